#!/bin/sh
# How far the flow model is from silicon: the launches of tests/data/h200.strata, on any clone. The
# bounds are those the model was accepted with; `strata correlate` fails the test beyond them. The same
# prediction has to give the rows of bench/results/accuracy.csv, and the pages have to be made of those.
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
data=${STRATA_SOURCE:-.}/tests/data
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$strata" predict "$data/h200.strata" --gpu h200 -j 2 -q --format json -o "$scratch/truth-flow.json" || exit 1
"$strata" predict "$data/h200.strata" --gpu h200 -j 1 -q --format json -o "$scratch/one.json" --kernel-name regex:lud || exit 1
"$strata" predict "$data/h200.strata" --gpu h200 -j 2 -q --format json -o "$scratch/two.json" --kernel-name regex:lud || exit 1
cmp "$scratch/one.json" "$scratch/two.json" || { echo "the result depends on the number of threads"; exit 1; }
"$strata" correlate --measured "$data/counters.csv" "$scratch/truth-flow.json" --summary \
    --max-error l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct=0.7 \
    --max-error l1tex__m_xbar2l1tex_read_sectors.sum=1.5 \
    --max-error l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct=2.5 \
    --max-error lts__t_sectors_srcunit_tex_op_read.sum=3.5 \
    --max-error lts__t_sector_srcunit_tex_op_read_hit_rate.pct=2.5 \
    --max-error lts__t_sectors_srcunit_tex_op_write.sum=2 \
    --max-error sm__cycles_elapsed.max=10 || exit 1
"${STRATA_SOURCE:-.}/scripts/accuracy" --check --predictions "$scratch" "$(dirname "$strata")/.."
