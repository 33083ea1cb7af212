# Makes one script of the page's modules, without npm: each becomes a function that is run once and gives
# what it exports, those that it imports before it.  What it knows of modules is what ours use, one line
# each: `import { a, b as c } from "./x.js";` and `export` before a function, a class or a const.  Anything
# else that begins so ends the build.  Comments that stand alone are left out.
#
#   awk -v folder=services/web -f bundle.awk

function fail(file, line) {
    print file ": the bundle does not understand: " line > "/dev/stderr"
    is_failed = 1
    exit 1
}

# "./level_meter.js" is of_level_meter.
function name_of(path) {
    sub(/^.*\.\//, "", path)
    sub(/\.js.*$/, "", path)
    return "of_" path
}

function bundle(file,    path, line, lines, count, at, names, is_comment) {
    if (file in done)
        return
    done[file] = 1
    path = folder "/" file
    while ((line_status = (getline line < path)) > 0)
        lines[++count] = line
    close(path)
    if (line_status < 0 || count == 0)
        fail(path, "(it cannot be read)")
    for (at = 1; at <= count; at++) {
        line = lines[at]
        if (line !~ /^import /)
            continue
        if (line !~ /^import \{ [^}]* \} from "\.\/[a-z_]+\.js";$/)
            fail(path, line)
        sub(/^.*"\.\//, "", line)
        sub(/";$/, "", line)
        bundle(line)
    }
    print "const " name_of("./" file) " = (() => {"
    for (at = 1; at <= count; at++) {
        line = lines[at]
        if (is_comment || line ~ /^ *\/\*\*/) {
            is_comment = line !~ /\*\/ *$/
            if (is_comment || line ~ /\*\/ *$/)
                continue
        }
        if (line ~ /^ *\/\// || line ~ /^ *$/)
            continue
        if (line ~ /^import /) {
            names_there = line
            sub(/^import /, "const ", names_there)
            gsub(/ as /, ": ", names_there)
            sub(/ from .*$/, " = " name_of(substr(line, index(line, "\""))) ";", names_there)
            print names_there
            continue
        }
        if (line ~ /^export /) {
            sub(/^export /, "", line)
            match(line, /^(async function\*? |function\*? |class |const )[A-Za-z_$][A-Za-z0-9_$]*/)
            if (RLENGTH < 0)
                fail(path, line)
            name = substr(line, 1, RLENGTH)
            sub(/^.* /, "", name)
            names = names (names == "" ? "" : ", ") name
        }
        print line
    }
    print "return { " names " };\n})();"
}

BEGIN {
    print "\"use strict\";"
    bundle("main.js")
    exit is_failed
}
