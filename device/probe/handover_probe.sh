#!/bin/bash
# Builds handover_probe.cu and runs it under Nsight Compute, which leaves caches alone: OUT/handover-counters.csv, a row a
# launch with its label. All metrics are had in one pass, so that every launch is run once.
set -eu
out=${1:?usage: handover_probe.sh OUTPUT-FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=sm_90 -w "$here/handover_probe.cu" -o "$work/handover_probe"
metrics=sm__cycles_elapsed.max,dram__sectors_read.sum,dram__sectors_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum
echo "launch,experiment,what,$metrics" >"$out/handover-counters.csv"
one() {
    "$work/handover_probe" "$@" >"$work/labels" 2>>"$out/handover-words.txt"
    ncu --replay-mode application --clock-control none --cache-control none --csv --page raw --print-units base --metrics $metrics \
        "$work/handover_probe" "$@" >"$work/raw"
    python3 - "$work/labels" "$work/raw" $metrics >>"$out/handover-counters.csv" <<'P'
import csv, sys
labels = list(csv.DictReader(open(sys.argv[1])))
rows = [r for r in csv.DictReader(line for line in open(sys.argv[2]) if line.startswith('"')) if r["ID"].isdigit()]
metrics = sys.argv[3].split(",")
assert len(labels) == len(rows), (len(labels), len(rows))
for label, row in zip(labels, rows):
    print(",".join([label["launch"], label["experiment"], label["what"]] + ["%d" % float(row[m].replace(",", "")) for m in metrics]))
P
}
one sms
for mb in 1 2 4 8 12 16 20 32; do one copied $mb pageable; done
for mb in 4 16; do one copied $mb pinned; done
for mb in 4 16; do one after $mb; done
one window
echo "$(wc -l <"$out/handover-counters.csv") rows of counters"
