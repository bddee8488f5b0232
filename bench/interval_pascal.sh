#!/bin/sh
# The interval model's variants against the flow model, both on the Pascal-like machine of paper 001,
# as that paper compared them with its simulator. Arguments: build folder, traces (default: tests/data).
build=${1:-build}
source=$(cd "$(dirname "$0")/.." && pwd)
traces=${2:-$source/tests/data/h200.strata}
work=$(mktemp -d) || exit 1
trap 'rm -r "$work"' EXIT
export STRATA_SOURCE="$source"
"$build/bench/bench_interval" profile pascal-mdm "$work/profile.json" $traces || exit 1
"$build/bench/bench_interval" table pascal-mdm "$work/profile.json" >"$work/table.csv" || exit 1
"$build/tools/strata" predict --gpu pascal-mdm --model flow --quiet --format csv -o "$work/flow.csv" $traces || exit 1
"$source/bench/interval_table.sh" "$work/table.csv" "$work/flow.csv"
