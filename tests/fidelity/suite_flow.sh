#!/bin/sh
# The flow model on PTX: the example suite's own trace against the counters of an H200 (h200-suite/), in
# both sizes. The bounds are a little above what the model was accepted with.
set -eu
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-.}
build=$(cd "$(dirname "$strata")/.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
"$nvcc" --version 2>/dev/null | grep -q 'release 13\.0' ||
    { echo "skipped: the measured program was compiled by nvcc 13.0, which is not here"; exit 77; }
"$src/tests/suite.sh" "$strata" nvcc build
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for size in small large; do
    "$strata" trace -q --code ptx -o "$scratch/suite.strata" -- "$build/suite/nvcc/suite" --size $size >"$scratch/log"
    "$strata" predict "$scratch/suite.strata" --gpu h200 -j 2 -q --format json -o "$scratch/p.json"
    "$strata" correlate --measured "$src/tests/fidelity/h200-suite/$size/counters.csv" "$scratch/p.json" --summary \
        --max-error l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct=1 \
        --max-error l1tex__m_xbar2l1tex_read_sectors.sum=1 \
        --max-error lts__t_sectors_srcunit_tex_op_read.sum=5 \
        --max-error dram__sectors_read.sum=3 \
        --max-error sm__cycles_elapsed.max=18
done
