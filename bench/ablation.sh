#!/bin/sh
# The flow model with one mechanism off at a time, over the H200 truth set: what each one does to
# every headline metric. Takes some minutes; the table goes to standard output.
#   sh bench/ablation.sh BUILD [TRACE...]      (default: the launches of ../shared/truth/h200)
build=${1:-build}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")/.." && pwd)
measured=$src/../shared/truth/h200/counters.csv
if [ ! -f "$measured" ]; then
    echo "skipped: ../shared/truth/h200 is not here"
    exit 0
fi
[ $# -gt 0 ] || set -- "$src/../shared/truth/h200"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '%-34s %8s %8s %8s %8s %8s %8s %8s %8s\n' "off" "L1 pts" "to L1 %" "L2 rd %" "L2 pts" "L2 wr %" "DRAM %" "cycles %" "log r"
row() { # NAME SETTING...
    name=$1
    shift
    settings=""
    for s in "$@"; do settings="$settings --set $s"; done
    # shellcheck disable=SC2086 # settings are words
    "$build/tools/strata" predict $traces --gpu h200 $settings --format json -o "$out/p.json" -j 2 -q || return
    "$build/tools/strata" correlate --measured "$measured" "$out/p.json" --summary >"$out/s.txt"
    awk -v name="$name" '
        /^L1 load hit rate/ {a = $6} /^sectors returned/ {b = $6} /^L2 read sectors/ {c = $5}
        /^L2 read hit rate/ {d = $6} /^L2 write sectors/ {e = $5} /^DRAM read sectors/ {f = $5}
        /^cycles/ {g = $3; for (i = 1; i < NF; i++) if ($i == "logs") h = $(i + 1)}
        END {printf "%-34s %8s %8s %8s %8s %8s %8s %8s %8s\n", name, a, b, c, d, e, f, g, h}' "$out/s.txt"
}
traces="$*"
row "(nothing)"
row "L1" l1.enabled=false
row "in-flight sectors as hits" l1.inflight_counts_as_hit=false
row "coarse ages (plain LRU)" l1.replacement=lru
row "reserved L1 lines" l1.reserved_lines=0
row "merging of waiting stores" l1.store_buffer=0
row "allocation by stores" l1.write_policy=through-no-allocate
row "limit of L1 misses" l1.miss_requests_per_cycle=0
row "request coalescer" xbar.coalescer_window=0 xbar.coalescer_return=0
row "coalescer: until the data returns" xbar.coalescer_return=0
row "coalescer: limit of lines" xbar.coalescer_lines=0
row "partitions of the L2" l2.partitions=1
row "64-byte fetches" l2.fetch=32
row "limits of the L2 slices" l2.bytes_per_cycle_per_slice=0 l2.request=0
row "row activates" dram.row_miss=0
row "refresh" dram.tREFI=0 dram.tRFC=0
row "DRAM bandwidth (sixteen times)" dram.data_rate=16 dram.bus=32
row "instruction fetch" sm.fetch_miss=0 sm.fetch_cold=0 sm.fetch_interval=0
row "rate of block dispatch" launch.blocks_per_cycle=0
row "GPC order of blocks (by number)" launch.order=0-131
row "loose round robin (oldest first)" sm.scheduler_policy=oldest
