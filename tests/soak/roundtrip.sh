#!/bin/sh
# The round trip of every trace of the H200 set; a minute or two.
build=${1:-build}
truth=../shared/truth/h200
[ -d "$truth" ] || { echo "skipped: $truth is not here"; exit 0; }
sh tests/tools/roundtrip.sh "$build/tools/strata" "$build/tests/trace_compare" "$truth"/*/
