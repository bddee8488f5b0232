#!/bin/sh
# Traces: size of the native format, rate of decoding it, rate of reading xz text, each against
# `xz -dc` of the same files in the same run. One core; seconds are processor time.
build=${1:-build}
truth=../shared/truth/h200
[ -d "$truth" ] || { echo "skipped: $truth is not here"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Processor seconds of a command: `times` tells those of a subshell's children.
cpu_seconds() {
    ("$@" >/dev/null; times) | awk 'NR == 2 {n = split($0, t, /[ms ]+/); print t[1] * 60 + t[2] + t[3] * 60 + t[4]}'
}
native=$scratch/all.strata

xz_seconds=$(cpu_seconds xz -dc "$truth"/*/*.xz)
xz_bytes=$(cat "$truth"/*/*.xz | wc -c)

largest=$(ls -S "$truth"/*/*.xz | head -1)
[ -x /usr/bin/time ] && rss=$(/usr/bin/time -f %M "$build/tools/strata" convert -q "$largest" "$scratch/one.strata" 2>&1 | tail -1)
convert_seconds=$(cpu_seconds "$build/tools/strata" convert -q "$truth" "$native")
native_bytes=$(wc -c <"$native")

set -- $("$build/bench/bench_trace" decode "$native")
n=$2 native_seconds=$4
set -- $("$build/bench/bench_trace" decode "$truth"/*/)
text_seconds=$4
awk -v n="$n" -v nb="$native_bytes" -v xb="$xz_bytes" -v ns="$native_seconds" -v ts="$text_seconds" \
    -v xs="$xz_seconds" -v cs="$convert_seconds" -v rss="${rss:-}" 'BEGIN {
    printf "warp instructions            %12d\n", n
    printf "native bytes / instruction   %12.4f   (xz text %.4f, ratio %.2f; limit 0.25)\n", nb / n, xb / n, nb / xb
    printf "decoding native              %12.1f M/s (%.1f times the speed of xz -dc alone; limit 20)\n", n / ns / 1e6, xs / ns
    printf "reading xz text              %12.1f M/s (%.2f times the speed of xz -dc alone; limit 3)\n", n / ts / 1e6, xs / ts
    printf "xz -dc alone                 %12.1f M/s\n", n / xs / 1e6
    printf "converting xz text to native %12.1f M/s\n", n / cs / 1e6
    if (rss != "") printf "memory for the largest file  %12.1f MB  (limit 300)\n", rss / 1024
    bad = nb / n > 0.25 || n / ns < 20e6 || n / ts < 3e6 || rss / 1024 > 300
    exit bad }'
