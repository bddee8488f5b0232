#!/bin/sh
# How far the reuse model is from silicon, without a clock: the launches of ../shared/truth/h200, or
# those of tests/data/h200.strata where that is not there. The bounds are the ones the model has to
# keep; `strata correlate` fails the test beyond them.
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-.}
truth=$src/../shared/truth/h200 counters=$src/../shared/truth/h200/counters.csv
[ -f "$counters" ] || truth=$src/tests/data/h200.strata counters=$src/tests/data/counters.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$strata" predict "$truth" --gpu h200 --model reuse -j 2 -q --format json -o "$scratch/p.json" || exit 1
"$strata" correlate --measured "$counters" "$scratch/p.json" --summary \
    --max-error l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct=0.5 \
    --max-error l1tex__m_xbar2l1tex_read_sectors.sum=1.5 \
    --max-error lts__t_sectors_srcunit_tex_op_read.sum=3 \
    --max-error lts__t_sector_srcunit_tex_op_read_hit_rate.pct=2.5 \
    --max-error dram__sectors_read.sum=2
