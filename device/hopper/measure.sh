#!/bin/sh
# Measures the kernels of this folder on the GPU of this machine:
#
#   measure.sh OUT
#
# leaves in the folder OUT
#   checks.txt     a line a row: name, hash of the result, error against the host
#   rates.csv      times of the units (rates.cu)
#   cluster.csv    multicast copies, fences, starts of clusters (cluster.cu)
#   turns.csv      in which order products of two warpgroups are carried out (turns.cu)
#   merge.csv      the profiler's table of merge.cu: reads of one GPC that reach the L2 as one, in the order of merge.txt
#   clock.csv      the profiler's table of clock.cu: clocks of SMs and L2, in the order of clock.txt
#   traffic.csv    bytes a cycle that SMs store and load by shape (traffic.cu); cold.csv: boxes that only DRAM has
#   <program>.csv  Nsight Compute's table of the launches of gemm, attention and copy, in the order of checks.txt
#   registers.txt  registers of each kernel
#   setup.txt      card, driver, versions, flags
# All caches are flushed before each pass, clocks are left alone. Metrics this profiler does not know are left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the results}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
flags="--clock-control none --cache-control all"
"$here/build.sh" "$work" || exit 1
{
    "${NVCC:-nvcc}" --version | tail -n 2 | head -n 1
    "$ncu" --version | tail -n 1
    echo "profiler flags $flags"
    nvidia-smi --format=csv --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem || true
} >"$out/setup.txt" 2>&1
timeout 40 "$work/rates" >"$out/rates.csv" 2>"$work/rates.err" || { echo "rates failed"; cat "$work/rates.err"; }
timeout 20 "$work/cluster" >"$out/cluster.csv" 2>>"$work/rates.err" || echo "cluster failed"
timeout 20 "$work/traffic" >"$out/traffic.csv" 2>>"$work/rates.err" || echo "traffic failed"
timeout 20 "$work/traffic" cold >"$out/cold.csv" 2>>"$work/rates.err" || echo "traffic cold failed"
timeout 20 "$work/turns" >"$out/turns.csv" 2>>"$work/rates.err" || echo "turns failed"
timeout 60 "$ncu" --clock-control none --csv --page raw --metrics gpu__time_duration.sum,sm__cycles_elapsed.max,lts__cycles_elapsed.max \
    --log-file "$out/clock.csv" "$work/clock" >"$out/clock.txt" 2>>"$work/rates.err" || echo "clock failed"
# shellcheck disable=SC2086 # the flags are words
timeout 60 "$ncu" $flags --csv --page raw --metrics lts__t_sectors_srcunit_tex_op_read.sum \
    --log-file "$out/merge.csv" "$work/merge" >"$out/merge.txt" 2>>"$work/rates.err" || echo "merge failed"
: >"$out/checks.txt"
for name in gemm attention copy; do
    timeout 60 "$work/$name" >>"$out/checks.txt" 2>>"$work/errors" || { echo "$name failed"; tail -n 3 "$work/errors"; }
done
"$ncu" --query-metrics --chip gh100 2>/dev/null | awk '{print $1}' >"$work/known" || true
metrics=
while read -r metric; do
    base=${metric%%.*}
    case $base in
    launch__*) ;;
    *) [ ! -s "$work/known" ] || grep -qx "$base" "$work/known" || { echo "no metric $base" >>"$out/setup.txt"; continue; } ;;
    esac
    metrics=$metrics${metrics:+,}$metric
done <"$here/metrics.txt"
for name in copy attention gemm; do
    # shellcheck disable=SC2086 # the flags are words
    timeout 110 "$ncu" $flags --profile-from-start off --metrics "$metrics" --csv --page raw \
        "$work/$name" >"$work/$name.out" 2>"$work/$name.err" || { echo "profiling $name failed"; tail -n 3 "$work/$name.err"; }
    grep '^"' "$work/$name.out" >"$out/$name.csv"
    tail -n 1 "$work/$name.err" >>"$out/setup.txt"
done
cuobjdump -res-usage "$work/gemm" "$work/attention" "$work/copy" >"$out/registers.txt" 2>&1 || true
wc -l "$out"/*
awk '/error/ {print $NF}' "$out/checks.txt" | sort -g | tail -n 1
head -n 30 "$out/rates.csv"
