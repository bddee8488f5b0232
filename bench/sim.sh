#!/bin/sh
# Speed of the clocked model: warp instructions a second of one core over the memory-bound H200 launches,
# the ratio to the flow model in the same run, what a second thread gains on one launch, peak memory.
#   sh bench/sim.sh BUILD [TRACE...]     (default: tests/data/h200.strata)
build=${1:-build}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$src/tests/data/h200.strata"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
strata=$build/tools/strata
# DRAM, L2 or latency of memory decides the time of these.
bound='regex:column_sum|stencil3d|two_pass|write_then_read|gather|elementwise|fdtd|convolution|Jacobi|atax|bicg|mvt|gesummv|srad|bpnn_adjust|Kernel'
single='regex:srad'
timed() { # NAME COMMAND...: user seconds, wall seconds, peak MB
    name=$1
    shift
    /usr/bin/time -f "%U %e %M" -o "$out/$name" "$@" >/dev/null 2>&1
}
if [ ! -x /usr/bin/time ]; then echo "skipped: /usr/bin/time is not installed"; exit 0; fi
predict() { # NAME MODEL KERNELS JOBS
    name=$1
    model=$2
    kernels=$3
    jobs=$4
    timed "$name" "$strata" predict "$traces" --gpu h200 --model "$model" --kernel-name "$kernels" -j "$jobs" -q --format json -o "$out/$name.json"
}
traces=$1
predict flow flow "$bound" 1
predict sim sim "$bound" 1
predict one sim "$single" 1
predict two sim "$single" 2
cmp "$out/one.json" "$out/two.json" && echo "one launch on one and two threads: identical results"
n=$(sed 's/[,{}]/\n/g' "$out/sim.json" | awk -F: '/smsp__inst_executed.sum/ {s += $2} END {print s}')
awk -v n="$n" 'FNR == 1 {f++} f == 1 {d = $1} f == 2 {u = $1; m = $3} f == 3 {w1 = $2} f == 4 {w2 = $2}
    END {printf "%.1f M warp instructions of memory-bound launches: %.0f thousand/s of one core (%.1f times the time of the flow model), peak %.0f MB\none launch: two threads %.2f times as fast as one\n",
         n / 1e6, n / u / 1e3, u / d, m / 1024, w1 / w2}' "$out/flow" "$out/sim" "$out/one" "$out/two"
