#!/bin/sh
# The clocked model's labels of launches, for paper 003: bench/results/learn-sim.tar.xz. Sim runs once for each launch and cache (30 of
# them), half an hour of a core in all.
# usage: learn_labels.sh BUILD [OUT]     needs BUILD/accuracy/suite-small-sass.strata (scripts/accuracy) for the example suite
build=${1:-build}
source=$(cd "$(dirname "$0")/.." && pwd)
out=${2:-$source/bench/results/learn-sim.tar.xz}
export STRATA_SOURCE="$source"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
label() { # NAME TRACE OPTIONS...: a file for each launch
    name=$1 trace=$2 i=0
    shift 2
    while "$build/tools/strata" convert "$trace" "$work/one.strata" "$@" --launch-skip $i --launch-count 1 -q 2>"$work/why"; do
        "$build/tools/strata" learn profile "$work/one.strata" --gpu gtx470 --labels sim -q -o "$work/$name-$i.learn" || exit 1
        i=$((i + 1))
    done
}
# The launches of the 8 KB comparison, but for hotspot, whose thirty runs take minutes alone.
label truth "$source/tests/data/h200.strata" --kernel-name 'regex:bpnn|Jacobi|srad|fdtd|convol|lud|softmax'
[ ! -f "$build/accuracy/suite-small-sass.strata" ] || label suite "$build/accuracy/suite-small-sass.strata"
cd "$work" && tar cJf "$out.new" --sort=name --owner=0 --group=0 --mtime=@0 ./*.learn && mv "$out.new" "$out"
