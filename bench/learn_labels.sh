#!/bin/sh
# The clocked model's labels of launches, for paper 003: bench/results/learn-sim.tar.xz. Sim runs once for each launch and cache (30 of
# them), half an hour of a core in all; JOBS=N: N launches at a time, which changes no byte of the result.
# usage: learn_labels.sh BUILD [OUT]     needs BUILD/accuracy/suite-small-sass.strata (scripts/accuracy) for the example suite
build=$(cd "${1:-build}" && pwd) || exit 1
source=$(cd "$(dirname "$0")/.." && pwd)
out=${2:-$source/bench/results/learn-sim.tar.xz}
case $out in /*) ;; *) out=$PWD/$out ;; esac
export STRATA_SOURCE="$source"
strata=$build/tools/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
single() { # NAME TRACE OPTIONS...: a trace for each launch
    name=$1 trace=$2 i=0
    shift 2
    while "$strata" convert "$trace" "$work/$name-$i.strata" "$@" --launch-skip $i --launch-count 1 -q 2>"$work/why"; do
        i=$((i + 1))
    done
}
# The launches of the 8 KB comparison, but for hotspot, whose thirty runs take minutes alone.
single truth "$source/tests/data/h200.strata" --kernel-name 'regex:bpnn|Jacobi|srad|fdtd|convol|lud|softmax'
[ ! -f "$build/accuracy/suite-small-sass.strata" ] || single suite "$build/accuracy/suite-small-sass.strata"
cd "$work" || exit 1
# The longest first, as far as the size of a trace tells.
ls -S ./*.strata | sed 's/\.strata$//' | xargs -P "${JOBS:-1}" -I{} "$strata" learn profile {}.strata --gpu gtx470 --labels sim -q -o {}.learn || exit 1
tar cJf "$out.new" --sort=name --owner=0 --group=0 --mtime=@0 ./*.learn && mv "$out.new" "$out"
