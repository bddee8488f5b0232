#!/bin/sh
# `strata predict` and `strata timeline` under mpirun print what one process prints, also if a process dies with work in hand.
#   team.sh STRATA DYING_RANK
strata=$(realpath "$1")
dying=$(realpath "$2")
data=$(cd "$(dirname "$0")/../data" && pwd)
module=$(dirname "$strata")/../src/explore/mpi/strata-mpi.so
if [ ! -f "$module" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: mpirun (openmpi-bin and libopenmpi-dev are not there)"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# As root, and with fewer cores than processes, Open MPI wants to be asked twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fail() {
    echo "FAILED $1"
    cat err
    exit 1
}
same() { cmp "$1" "$2" || fail "$3"; }
predict="$strata predict $data/rod_bfs.strata $data/poly_GRAMSCHM.strata --gpu h200 --model reuse --format json -q"
$predict -o one.json 2>err || fail "predict"
timeout 60 mpirun --enable-recovery --oversubscribe -np 2 $predict -o left.json : -np 1 "$dying" "$module" >out 2>err || fail "predict with a process that dies"
same one.json left.json "two processes and one that died print something else"
timeline="$strata timeline $data/poly_GRAMSCHM.strata --gpu h200 --format json --cache-control all -q"
$timeline -o one.json 2>err || fail "timeline"
timeout 60 mpirun -np 2 --oversubscribe $timeline -o two.json 2>err || fail "timeline under mpirun"
same one.json two.json "the timeline of two processes is another"
# An error is that of the first failing launch, whoever ran it.
$predict --set l1.line=256 >/dev/null 2>one.err
timeout 60 mpirun -np 2 --oversubscribe $predict --set l1.line=256 >/dev/null 2>two.err && fail "a wrong setting under mpirun"
grep -qF "$(tail -n 1 one.err)" two.err || { cat one.err two.err; fail "another error under mpirun"; }
echo "predict by two processes and one that died, timeline by two: the same bytes as by one"
