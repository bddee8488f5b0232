#!/bin/sh
# The interval model's variants against the simulator and the flow model, all on the Pascal-like machine of
# paper 001, as that paper compared them with its simulator. The simulator's results are kept in a database,
# so that a run that was stopped goes on.
# Arguments: build folder, traces (default: tests/data), database (default: none is kept).
build=${1:-build}
source=$(cd "$(dirname "$0")/.." && pwd)
traces=${2:-$source/tests/data/h200.strata}
work=$(mktemp -d) || exit 1
trap 'rm -r "$work"' EXIT
db=${3:-$work/sim.db}
export STRATA_SOURCE="$source"
"$build/bench/bench_interval" profile pascal-mdm "$work/profile.json" $traces || exit 1
"$build/bench/bench_interval" table pascal-mdm "$work/profile.json" >"$work/table.csv" || exit 1
for model in sim flow; do
    "$build/tools/strata" sweep $traces --gpu pascal-mdm --model $model --each-launch --metric sm__cycles_elapsed.max -q -j "$(nproc)" \
        --format csv -o "$work/$model.csv" --db "$db" || exit 1
    echo "against $model"
    "$source/bench/interval_table.sh" "$work/table.csv" "$work/$model.csv"
done
