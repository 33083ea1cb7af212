# Data of patterns/ that is compiled into the program; one line each.

# What the built-in coach knows becomes constant tables.
add_executable(coach_tables services/provider/generate/coach_tables.c)
target_link_libraries(coach_tables PRIVATE PkgConfig::JSONC)
set(coach_data ${CMAKE_CURRENT_SOURCE_DIR}/patterns)
add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c
    COMMAND coach_tables ${coach_data} ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c
    DEPENDS coach_tables ${coach_data}/questions.json ${coach_data}/interviews.json
            ${coach_data}/topics.json ${coach_data}/answer_cues.json ${coach_data}/fillers.json
            ${coach_data}/redirects.json ${coach_data}/coach_lines.json
            ${coach_data}/question_signs.json
    VERBATIM)
target_sources(provider PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c)
poise_embed(safety safety_patterns patterns/safety.json)
poise_embed(http openapi services/http/openapi.json)
poise_embed_page(http services/web)
