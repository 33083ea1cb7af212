# Makes of the page's sources what is compiled in: one script (bundle.awk), one sheet of styles, and names that
# change with the bytes, so that a browser may keep what it has for ever.  CMake runs this when one of them is
# another: FROM is the folder of the sources, TO the one for the results, PDF where pdf.js is, or empty.
#
# Everything refers to a file as /web/NAME; here that becomes /web/NAME-<of its bytes>.ENDING.

# What the styles are made of, in this order.
set(styles base controls dialogs interview screens)

# Each may name those before it.
set(files icon.svg icon-192.png icon-512.png app.css app.js manifest.webmanifest)
set(rows "")
set(declarations "")

function(replace_names variable)
    set(text "${${variable}}")
    foreach(file IN LISTS named)
        string(REPLACE "/web/${file}" "/web/${named_${file}}" text "${text}")
    endforeach()
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# name_file(<file>) settles the name of a file of TO.
macro(name_file file)
    file(SHA256 ${TO}/${file} hash)
    string(SUBSTRING ${hash} 0 12 hash)
    string(REGEX REPLACE "^(.*)(\\.[a-z]+)$" "\\1-${hash}\\2" named_${file} ${file})
    list(APPEND named ${file})
    add_row(${file} ${named_${file}})
endmacro()

macro(add_row file name)
    string(MAKE_C_IDENTIFIER "page_${file}" symbol)
    execute_process(COMMAND gzip -9nc ${TO}/${file} OUTPUT_FILE ${TO}/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND declarations "extern const char embedded_${symbol}[], embedded_${symbol}_end[];\n"
                               "extern const char embedded_${symbol}_gz[], embedded_${symbol}_gz_end[];\n")
    string(APPEND rows "    {\"${name}\", embedded_${symbol}, embedded_${symbol}_end,\n"
                       "     embedded_${symbol}_gz, embedded_${symbol}_gz_end},\n")
endmacro()

macro(rewrite file)
    file(READ ${FROM}/${file} text)
    replace_names(text)
    file(WRITE ${TO}/${file} "${text}")
endmacro()

file(MAKE_DIRECTORY ${TO})
execute_process(COMMAND awk -v folder=${FROM} -f ${FROM}/bundle.awk OUTPUT_FILE ${TO}/app.js
                COMMAND_ERROR_IS_FATAL ANY)
set(sheet "")
foreach(style IN LISTS styles)
    file(READ ${FROM}/${style}.css text)
    string(APPEND sheet "${text}")
endforeach()
file(READ ${FROM}/print.css text)
file(WRITE ${TO}/app.css "${sheet}\n@media print {\n${text}}\n")
foreach(file icon.svg icon-192.png icon-512.png)
    file(COPY_FILE ${FROM}/${file} ${TO}/${file})
endforeach()
foreach(file IN LISTS files)
    if(file STREQUAL manifest.webmanifest)
        rewrite(${file})
    endif()
    name_file(${file})
endforeach()
# What the worker keeps for a start without a network; pdf.js is left to whoever needs it.
set(kept "")
foreach(file IN LISTS named)
    string(APPEND kept " /web/${named_${file}}")
endforeach()
if(PDF)
    file(COPY_FILE ${PDF}/pdf.min.mjs ${TO}/pdf.js)
    file(COPY_FILE ${PDF}/pdf.worker.min.mjs ${TO}/pdf_worker.js)
    name_file(pdf.js)
    name_file(pdf_worker.js)
endif()
foreach(file docs.css docs.js)
    file(COPY_FILE ${FROM}/${file} ${TO}/${file})
    name_file(${file})
endforeach()
file(READ ${FROM}/worker.js text)
string(REPLACE "@FILES@" "/${kept}" text "${text}")
file(WRITE ${TO}/worker.js "${text}")
name_file(worker.js)
file(READ ${FROM}/index.html text)
if(NOT PDF)
    string(REGEX REPLACE "[^\n]*/web/pdf\\.js[^\n]*\n" "" text "${text}")
endif()
replace_names(text)
file(WRITE ${TO}/index.html "${text}")
add_row(index.html index.html)
rewrite(docs.html)
add_row(docs.html docs.html)
file(WRITE ${TO}/web_files.c
"#include \"web_file_internal.h\"

${declarations}
const struct web_file web_files[] = {
${rows}    {0},
};
")
