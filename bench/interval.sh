#!/bin/sh
# The interval model: profiles of the test launches, written once; the errors of its variants against
# the H200's counters; and 10,000 GPU configurations from the stored profiles.
# Arguments: build folder, traces and their measured counters (default: those of tests/data).
build=${1:-build}
source=$(cd "$(dirname "$0")/.." && pwd)
traces=${2:-$source/tests/data/h200.strata}
counters=${3:-$source/tests/data/counters.csv}
work=$(mktemp -d) || exit 1
trap 'rm -r "$work"' EXIT
export STRATA_SOURCE="$source"
"$build/bench/bench_interval" profile h200 "$work/profile.json" $traces || exit 1
"$build/bench/bench_interval" table h200 "$work/profile.json" >"$work/table.csv" || exit 1
"$source/bench/interval_table.sh" "$work/table.csv" "$counters"
"$build/bench/bench_interval" parts h200 "$work/profile.json" >"$work/parts.csv" || exit 1
"$source/bench/interval_table.sh" "$work/parts.csv" "$counters"
"$build/bench/bench_interval" time h200 "$work/profile.json" 10000
