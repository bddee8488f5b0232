#!/bin/sh
# A trace of a sample has the first launches of each kind whole and a few blocks of the others; what `predict --sample` says of
# it is what it says of the whole trace.
#   run.sh STRATA CC
. "$(dirname "$0")/../scratch.sh"
cc=${2:-cc}
fail() {
    echo "FAILED $1"
    exit 1
}
is() { [ "$2" = "$3" ] || fail "$1: $2, not $3"; }
$cc -std=gnu17 -O1 -I"$src/device/include" -o alike "$here/alike.c" "${strata%/tools/strata}/src/cuda/libcuda.so.1" || exit 1
"$strata" trace -q -o whole.strata -- ./alike || fail "trace"
"$strata" trace -q --sample 5% -o some.strata -- ./alike || fail "trace --sample"
"$strata" info some.strata >info
is "launches" "$(grep -c shape info)" 43
# 8 of 100 blocks are more than 5 % of 40 launches; the 3 of 50 blocks are the first of their kind.
is "launches in part" "$(grep -c 'a sample of 12 blocks' info)" 32
"$strata" check some.strata >/dev/null || fail "check of a trace of a sample"
for how in all none; do
    for t in whole some; do
        "$strata" predict $t.strata --gpu h200 --cache-control $how --sample 25% -q --format csv -o $t.$how.csv || fail "predict of $t"
        is "rows of $t" "$(cut -d, -f1-3 $t.$how.csv | sort -u | wc -l)" "$(cut -d, -f1-3 whole.all.csv | sort -u | wc -l)"
    done
done
# Cold, launches that do the same have the same answer, whichever of them stands for the others.
grep -v 'sample.as_launch\|# ' whole.all.csv >a
grep -v 'sample.as_launch\|# ' some.all.csv >b
cmp a b || fail "the two samples differ"
# A launch recorded in part is not what a model may take for the whole.
"$strata" predict some.strata --gpu h200 --launch-skip 20 --launch-count 1 | grep -q 'Only 12 of the launch' || fail "a launch in part is predicted without a word"
echo "a trace of a sample: 32 of 43 launches in part"
