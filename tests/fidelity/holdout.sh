#!/bin/sh
# The models on the held-out set (device/holdout, 78 launches) against the counters of an H200
# (h200-holdout/), through their PTX: some three minutes, part of `make soak`. The bounds are a little above docs/holdout.md.
set -eu
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "$(dirname "$strata")/.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
"$nvcc" --version 2>/dev/null | grep -q 'release 13\.0' ||
    { echo "skipped: the measured program was compiled by nvcc 13.0, which is not here"; exit 77; }
SUITE=holdout "$src/tests/suite.sh" "$strata" nvcc build
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$strata" trace -q --code ptx -o "$scratch/holdout.strata" -- "$build/suite/nvcc/holdout" --size large >"$scratch/log"
for model in ${MODELS:-flow sim reuse}; do
    "$strata" predict "$scratch/holdout.strata" --gpu h200 --model "$model" -j 2 -q --format json -o "$scratch/$model.json"
    "$strata" correlate --measured "$src/tests/fidelity/h200-holdout/counters.csv" "$scratch/$model.json" --summary \
        --max-error l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct=1 \
        --max-error l1tex__m_xbar2l1tex_read_sectors.sum=3 \
        --max-error lts__t_sectors_srcunit_tex_op_read.sum=6 \
        --max-error lts__t_sector_srcunit_tex_op_read_hit_rate.pct=3 \
        --max-error dram__sectors_read.sum=3
done
