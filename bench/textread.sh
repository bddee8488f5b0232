#!/bin/sh
# Reading xz-compressed Accel-Sim text on one core: warp instructions a second, and the ratio to
# `xz -dc` alone in the same run. Asked for: 3 million a second over the set.
build=${1:-build}
truth=$(dirname "$0")/../../shared/truth/h200
[ -d "$truth" ] || { echo "skipped: there is no truth set at ../shared/truth/h200"; exit 0; }
command -v xz >/dev/null || { echo "skipped: xz is not installed"; exit 0; }
set --
for trace in poly_GEMM/kernel-1 ml_sgemm/kernel-3 ml_softmax/kernel-1 l2_gather_16/kernel-1 l2_hist_4/kernel-1 \
    rod_srad2/kernel-1 rod_bfs/kernel-9 poly_ATAX/kernel-1 rod_lud/kernel-3; do
    set -- "$@" "$truth/$trace.traceg.xz"
done
"$build/bench/bench_textread" "$@"
