#!/bin/sh
# Measures the memory hierarchy of this machine's GPU:
#
#   measure.sh OUT [RUNS [PART,...]]
#
# builds the probe with nvcc, runs it RUNS times (3) one after the other and leaves in the folder OUT
#   run1.tar.xz ...  the raw data of each run: manifest.json and a CSV file a series
#   summary.txt      what each run printed
#   counters.txt     Nsight Compute's counters of the coalescer and write-policy launches
#   sass.txt.xz      the machine code that ran
#   card.csv         card, driver and clocks before and after
# Clocks and settings are left as they are. NVCC and NCU name other compilers and profilers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the results}
runs=${2:-3}
parts=${3:-}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$here/build.sh" "$work/probe"
card() { nvidia-smi --query-gpu=name,driver_version,uuid,clocks.sm,clocks.mem,clocks.max.sm,ecc.mode.current,temperature.gpu --format=csv; }
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader || echo unknown)
card >"$out/card.csv" || true
: >"$out/summary.txt"
run=1
while [ "$run" -le "$runs" ]; do
    mkdir -p "$work/run$run"
    start=$(date +%s)
    echo "run $run" >>"$out/summary.txt"
    timeout 200 "$work/probe" --out "$work/run$run" --driver "$driver" ${parts:+--only "$parts"} >>"$out/summary.txt" 2>&1 ||
        echo "run $run ended with status $?" >>"$out/summary.txt"
    echo "run $run took $(($(date +%s) - start)) s" >>"$out/summary.txt"
    tar -C "$work" -cf - "run$run" | xz -T0 -6 >"$out/run$run.tar.xz"
    run=$((run + 1))
done
card >>"$out/card.csv" || true
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,lts__t_requests_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum,dram__sectors_read.sum,dram__sectors_write.sum
timeout 60 "$ncu" --clock-control none --cache-control all --csv --page raw --print-units base --metrics $metrics \
    "$work/probe" --out "$work" --only counters >"$out/counters.txt" 2>&1 || echo "no counters: $ncu ended with status $?"
cuobjdump -sass "$work/probe" | xz -T0 -6 >"$out/sass.txt.xz" || rm -f "$out/sass.txt.xz"
cut -c1-700 "$out/summary.txt"
