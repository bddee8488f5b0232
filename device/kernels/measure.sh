#!/bin/sh
# Measures the example suite on the GPU of this machine:
#
#   measure.sh OUT [small|large]
#
# Builds the suite with nvcc, runs its checks, profiles every launch once with Nsight Compute (all
# caches flushed before each pass, clocks left alone) and leaves in the folder OUT
#   counters.csv    a row a launch: program, kernel, trace, grid, block, regs, shmem, then the metrics
#   raw.csv         Nsight Compute's own table, from which the above is converted
#   checks.txt      what the suite printed
#   setup.txt       card, driver, clocks, versions and flags
#   sass.txt.gz     the machine code that ran
# SUITE_DIR names another folder of tests for the same driver, as for build.sh (device/holdout).
# The large size takes about three minutes. NVCC and NCU name other compilers and profilers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the results}
size=${2:-large}
program=suite
[ -z "${SUITE_DIR:-}" ] || program=$(basename "$SUITE_DIR")
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$here/build.sh" nvcc "$work/$program" -lineinfo
"$work/$program" --run all --size "$size" >"$out/checks.txt" || { cat "$out/checks.txt"; exit 1; }
tail -n 1 "$out/checks.txt"

flags="--clock-control none --cache-control all"
{
    echo "size: $size"
    echo "compiler: $("${NVCC:-nvcc}" --version | tail -n 2 | head -n 1), flags -O3 -arch=sm_90 -cudart shared -lineinfo"
    echo "profiler: $("$ncu" --version | tail -n 1), flags $flags"
    nvidia-smi --format=csv --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,persistence_mode || true
} >"$out/setup.txt"

profile() { # NCU-OPTION...
    # shellcheck disable=SC2086 # the flags are words
    "$ncu" $flags "$@" --export "$work/report" --force-overwrite \
        "$work/$program" --run all --size "$size" >"$work/log" 2>&1
}
# Some versions give the launch__ values only with their sections.
profile --metrics "$(paste -s -d , "$here/metrics.txt")" ||
    profile --metrics "$(grep -v -e ^launch__ -e _pct$ "$here/metrics.txt" | paste -s -d ,)" \
        --section LaunchStats --section Occupancy || { tail -n 40 "$work/log"; exit 1; }
echo "clocks after (SM, memory): $(nvidia-smi --format=csv,noheader --query-gpu=clocks.sm,clocks.mem)" >>"$out/setup.txt"
"$ncu" --import "$work/report.ncu-rep" --csv --page raw --print-units base \
    --print-kernel-base mangled >"$out/raw.csv"
"$work/$program" --list >"$work/list"
python3 "$here/counters.py" "$out/raw.csv" "$here/metrics.txt" "$work/list" "$program" >"$out/counters.csv"
cuobjdump -sass "$work/$program" | gzip -9 >"$out/sass.txt.gz" || rm -f "$out/sass.txt.gz"
echo "$(($(wc -l <"$out/counters.csv") - 1)) launches in $out/counters.csv"
