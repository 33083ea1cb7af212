#!/usr/bin/env bash
# Instructions per operation of each micro-benchmark, counted by callgrind (valgrind).
#
# Usage: micro.sh PROGRAM...        e.g. micro.sh build/gcc/tests/bench/micro_*
#
# What the first operation does alone (allocating, filling caches of its own) is taken out by the
# difference of two runs: 20 operations and 120.
set -euo pipefail

few=20
many=120

# Instructions inside micro_operation() over so many operations.
count() {
    local program=$1 operations=$2
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=micro_operation \
        "$program" "$operations" 2>&1 | awk '/Collected *:/ { print $NF; found = 1 }
            END { if (!found) exit 1 }'
}

if [ $# -eq 0 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
printf '%-28s %s\n' operation instructions
for program in "$@"; do
    name=$(basename "$program")
    first=$(count "$program" "$few")
    second=$(count "$program" "$many")
    printf '%-28s %d\n' "${name#micro_}" $(((second - first) / (many - few)))
done
