#!/bin/sh
# One launch with one and with two threads of flow: the truth set's long launches, in turn, the least of several runs.
#   sh bench/two_threads.sh BUILD [REPEATS [LAUNCH...]]    launches by number in tests/data/h200.strata
build=${1:-build}
repeats=${2:-3}
src=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -gt 2 ]; then shift 2; else set -- 6 14 15 28 29 45 8 38 30 2; fi
if [ ! -x /usr/bin/time ]; then echo "skipped: /usr/bin/time is not installed"; exit 0; fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for launch in "$@"; do
    for run in $(seq "$repeats"); do
        for threads in 1 2; do
            /usr/bin/time -a -o "$out/times" -f "$launch $threads %U %S %e" "$build/tools/strata" predict \
                "$src/tests/data/h200.strata" --gpu "$src/gpus/h200.yaml" -q -f json -j $threads \
                --launch-skip $((launch - 1)) --launch-count 1 >"$out/$threads" || exit 1
        done
        cmp "$out/1" "$out/2" || exit 1
    done
done
awk 'function least(a, k, v) {if (!(k in a) || v < a[k]) a[k] = v}
    {k = $1 " " $2; least(user, k, $3 + $4); least(wall, k, $5); if (!seen[$1]++) order[++n] = $1}
    END {for (i = 1; i <= n; i++) {
             a = order[i] " 1"; b = order[i] " 2"
             printf "launch %2d: processor seconds %.2f and %.2f, wall seconds %.2f and %.2f, %.2f times as fast\n",
                 order[i], user[a], user[b], wall[a], wall[b], wall[a] / wall[b]
             one += wall[a]; two += wall[b]; u1 += user[a]; u2 += user[b]}
         printf "all: processor seconds %.2f and %.2f, wall seconds %.2f and %.2f, %.3f times as fast; identical results\n",
             u1, u2, one, two, one / two}' "$out/times"
