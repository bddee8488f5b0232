#!/bin/sh
# Exact stack distances (20 million accesses over a million lines) against a plain Fenwick tree, the
# model's rate, and the peak memory of a profile of a short and of a four times longer trace.
build=${1:-build}
"$build/bench/bench_reuse" || exit 1
[ -x /usr/bin/time ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for iterations in 64 256; do
    "$build/tools/strata" generate strided stride=4 iterations=$iterations span=4194304 -q -o "$scratch/t.strata"
    for command in "reuse --scope gpu" "predict --model reuse"; do
        kb=$(/usr/bin/time -f %M "$build/tools/strata" $command -q --gpu h200 "$scratch/t.strata" 2>&1 >/dev/null | tail -1)
        printf 'memory   %-22s %4d loads a thread  %6.1f MB\n' "$command" $iterations "$(echo "$kb / 1024" | bc -l)"
    done
done
