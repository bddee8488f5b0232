#!/bin/sh
# mixed_probe.sh OUT: runs mixed_probe plain (OUT/mixed.csv) and once under Nsight Compute (OUT/mixed-counters.csv: a
# line a launch, its description and its counters; all caches are flushed before each).
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the results}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -O3 -std=c++17 -arch="${ARCH:-sm_90}" -o "$work/mixed_probe" "$here/mixed_probe.cu" || exit 1
timeout 40 "$work/mixed_probe" >"$out/mixed.csv" || echo "mixed_probe failed"
"$ncu" --query-metrics --chip gh100 2>/dev/null | awk '{print $1}' >"$work/known" || true
metrics=sm__cycles_elapsed.max
for metric in lts__cycles_elapsed.avg lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum lts__t_requests.sum \
    lts__t_tag_requests.sum lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum \
    lts__t_sectors_srcunit_ltcfabric.sum lts__xbar2lts_cycles_active.sum lts__lts2xbar_cycles_active.sum \
    lts__xbar2lts_cycles_active.max lts__ltcfabric2lts_cycles_active.sum lts__d_sectors.sum lts__t_cycles_active.sum lts__d_cycles_active.sum \
    dram__cycles_elapsed.avg dram__cycles_active.avg dram__bytes_read.sum dram__bytes_write.sum \
    dram__read_throughput.avg dram__write_throughput.avg l1tex__m_l1tex2xbar_write_sectors.sum l1tex__m_xbar2l1tex_read_sectors.sum; do
    ! grep -qx "${metric%%.*}" "$work/known" || metrics=$metrics,$metric
done
timeout 110 "$ncu" --clock-control none --cache-control all --metrics "$metrics" --csv --page raw --print-units base \
    "$work/mixed_probe" counted >"$work/out" 2>"$work/err" || { echo "profiling failed"; tail -n 3 "$work/err"; }
# The table's header and units, then a row a launch.
{
    grep '^"' "$work/out" | head -n 2 | sed 's/^/"launch",/'
    grep '^"' "$work/out" | tail -n +3 >"$work/rows"
    sed -n 's/^launch [0-9]* //p' "$work/out" | sed 's/,/ /g; s/.*/"&",/' | paste -d '' - "$work/rows"
} >"$out/mixed-counters.csv"
wc -l "$out/mixed.csv" "$out/mixed-counters.csv"
