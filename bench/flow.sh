#!/bin/sh
# Speed of the flow model over the H200 launches: warp instructions a second of one core, the gain of
# a second thread, peak memory, and the ratio to decoding the same traces alone in the same run.
#   sh bench/flow.sh BUILD [TRACE...]     (default: tests/data/h200.strata)
build=${1:-build}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$src/tests/data/h200.strata"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
strata=$build/tools/strata
timed() { # NAME COMMAND...: user seconds, wall seconds, peak MB
    name=$1
    shift
    # shellcheck disable=SC2016
    /usr/bin/time -f "%U %e %M" -o "$out/$name" "$@" >/dev/null 2>&1
}
if [ ! -x /usr/bin/time ]; then echo "skipped: /usr/bin/time is not installed"; exit 0; fi
timed decode "$strata" info "$@"
timed one "$strata" predict "$@" --gpu h200 -j 1 -q --format json -o "$out/one.json"
timed two "$strata" predict "$@" --gpu h200 -j 2 -q --format json -o "$out/two.json"
cmp "$out/one.json" "$out/two.json" && echo "one and two threads: identical results"
n=$(sed 's/[,{}]/\n/g' "$out/one.json" | awk -F: '/smsp__inst_executed.sum/ {s += $2} END {print s}')
awk -v n="$n" 'FNR == 1 {f++} f == 1 {d = $1} f == 2 {u = $1; w = $2; m = $3} f == 3 {w2 = $2}
    END {printf "%.1f M warp instructions: %.2f M/s of one core (%.1f times the time of decoding alone), two threads %.2f times as fast, peak %.0f MB\n",
         n / 1e6, n / u / 1e6, u / d, w / w2, m / 1024}' "$out/decode" "$out/one" "$out/two"
