# Data of patterns/ that is compiled into the program; one line each.

# What the built-in coach knows becomes constant tables.
add_executable(coach_tables services/coach/generate/coach_tables.c)
target_link_libraries(coach_tables PRIVATE PkgConfig::JSONC)
set(coach_data ${CMAKE_CURRENT_SOURCE_DIR}/patterns)
add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c
    COMMAND coach_tables ${coach_data} ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c
    DEPENDS coach_tables ${coach_data}/questions.json ${coach_data}/interviews.json
            ${coach_data}/topics.json ${coach_data}/answer_cues.json ${coach_data}/fillers.json
            ${coach_data}/redirects.json ${coach_data}/coach_lines.json
            ${coach_data}/question_signs.json ${coach_data}/themes.json
            ${coach_data}/coach_advice.json ${coach_data}/papers.json
    VERBATIM)
target_sources(coach PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/coach_tables.c)
poise_embed(safety safety_patterns patterns/safety.json)
poise_embed(http openapi services/http/openapi.json)
poise_embed(grounding support_words patterns/support.txt)
poise_embed(grounding handbook_corpus patterns/handbook/corpus.json)
poise_embed(grounding handbook_1 patterns/handbook/1-how-interviews-work.md)
poise_embed(grounding handbook_2 patterns/handbook/2-before-the-day.md)
poise_embed(grounding handbook_3 patterns/handbook/3-questions-about-experience.md)
poise_embed(grounding handbook_4 patterns/handbook/4-other-kinds-of-questions.md)
poise_embed(grounding handbook_5 patterns/handbook/5-technical-interviews.md)
poise_embed(grounding handbook_6 patterns/handbook/6-speaking-well.md)
poise_embed(grounding handbook_7 patterns/handbook/7-video-telephone-and-panels.md)
poise_embed(grounding handbook_8 patterns/handbook/8-after-the-interview.md)
poise_embed_page(http services/web)
