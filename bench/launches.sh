#!/bin/sh
# Time and memory of predict and timeline by the number of launches (tests/tools/many_launches.c: small ones, whose
# prediction takes little, so that what a launch costs by itself is seen).
#   sh bench/launches.sh BUILD [OLD TOOL]    another tool to compare with; the output must be the same bytes
build=${1:-build}
old=${2:-}
src=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ ! -x /usr/bin/time ]; then echo "skipped: /usr/bin/time is not installed"; exit 0; fi
run() { # TOOL FILE COMMAND N OPTION...: "user seconds, peak MB"
    tool=$1 file=$2 command=$3 n=$4
    shift 4
    /usr/bin/time -f "%U %M" -o "$out/time" "$tool" "$command" "$out/$n.strata" --gpu "$src/gpus/h200.yaml" -q "$@" -o "$out/$file" || exit 1
    awk '{printf "%8.1f s %6.0f MB", $1, $2 / 1024}' "$out/time"
}
row() { # N COMMAND OPTION...
    n=$1 command=$2
    shift 2
    now=$(run "$build/tools/strata" new "$command" "$n" "$@")
    before=
    if [ -n "$old" ]; then
        before=$(run "$old" old "$command" "$n" "$@")
        cmp -s "$out/old" "$out/new" && before="$before, same bytes" || before="$before, OTHER BYTES"
        before="   before: $before"
    fi
    printf '%7d launches  %-55s %s%s\n' "$n" "$command $*" "$now" "$before"
}
for n in ${LAUNCHES:-1000 10000 100000}; do
    "$build/tests/many_launches" "$out/$n.strata" "$n" || exit 1
    row "$n" predict --cache-control none -f json
    row "$n" predict --cache-control none -f json --sample 1%
    row "$n" timeline -f json
    row "$n" timeline -f perfetto
    row "$n" timeline -f json --sample 1%
    rm -f "$out/$n.strata" "$out/old" "$out/new"
done
