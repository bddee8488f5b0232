#!/bin/bash
# Builds survive_probe.cu and runs it: OUT/survive-times.csv (gaps, copies, TLBs, two kernels at once), and under Nsight
# Compute, which leaves caches alone, OUT/survive-counters.csv, a row a launch with its label.
set -eu
out=${1:?usage: survive_probe.sh OUTPUT-FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=sm_90 -w "$here/survive_probe.cu" -o "$work/survive_probe"
"$work/survive_probe" times >"$out/survive-times.csv"
"$work/survive_probe" counters >"$work/labels"
metrics=gpc__cycles_elapsed.max,dram__sectors_read.sum,dram__sectors_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_write.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
ncu --replay-mode application --clock-control none --cache-control none --csv --page raw --print-units base --metrics $metrics \
    "$work/survive_probe" counters >"$work/raw"
python3 - "$work/labels" "$work/raw" $metrics >"$out/survive-counters.csv" <<'P'
import csv, sys
labels = list(csv.DictReader(open(sys.argv[1])))
rows = [r for r in csv.DictReader(line for line in open(sys.argv[2]) if line.startswith('"')) if r["ID"].isdigit()]
metrics = sys.argv[3].split(",")
assert len(labels) == len(rows)
print(",".join(["launch", "experiment", "what"] + metrics))
for label, row in zip(labels, rows):
    print(",".join([label["launch"], label["experiment"], label["what"]] + ["%d" % float(row[m].replace(",", "")) for m in metrics]))
P
echo "$(wc -l <"$out/survive-counters.csv") rows of counters, $(wc -l <"$out/survive-times.csv") of times"
