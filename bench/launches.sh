#!/bin/sh
# Time and memory of predict and timeline by the number of launches (tests/tools/many_launches.c: small ones, whose
# prediction takes little, so that what a launch costs by itself is seen).
#   sh bench/launches.sh BUILD [OLD TOOL]    another tool to compare with; the output must be the same bytes
# PROGRAMS=1 sh bench/launches.sh BUILD [OLD TOOL]: heat and waves of device/applications instead, traced here (needs nvcc)
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
program() { # NAME SIZE LAUNCHES LAUNCHES_OF_5_STEPS: a program that has so many launches
    "$build/tools/strata" trace -q -o "$out/$3.strata" -- "$out/$1" "$2" $(($3 * 5 / $4)) 1 >/dev/null || exit 1
    echo "$1 $2"
    row "$3" predict --cache-control none -f json
    row "$3" predict --cache-control none -f json -j 2
    row "$3" predict -f csv -j 2
    row "$3" timeline -f json
    row "$3" timeline -f perfetto -j 2
}
if [ -n "$PROGRAMS" ]; then
    for name in heat waves; do nvcc -O3 -arch=sm_90 -o "$out/$name" "$src/device/applications/$name.cu" || exit 1; done
    for n in ${LAUNCHES:-450 900 1800 3600}; do
        program heat 96 "$n" 6
        program waves 128 "$n" 20
    done
    exit 0
fi
for n in ${LAUNCHES:-1000 10000 100000}; do
    "$build/tests/many_launches" "$out/$n.strata" "$n" || exit 1
    row "$n" predict --cache-control none -f json
    row "$n" predict --cache-control none -f json --sample 1%
    row "$n" timeline -f json
    row "$n" timeline -f perfetto
    row "$n" timeline -f json --sample 1%
    rm -f "$out/$n.strata" "$out/old" "$out/new"
done
