#!/bin/sh
# What a program asks of persisting lines of the L2 is in its trace: windows of streams, launches and nodes of graphs, what is set
# aside, and resets.
#   run.sh STRATA CC
. "$(dirname "$0")/../scratch.sh"
cc=${2:-cc}
$cc -std=gnu17 -O1 -I"$src/device/include" -o window "$here/window.c" "${strata%/tools/strata}/src/cuda/libcuda.so.1" || exit 1
"$strata" trace -q -o window.strata -- ./window >said || exit 1
# Addresses differ from run to run.
"$strata" info --headers window.strata | grep -v '^  origin' | sed 's/ at 0x[0-9a-f]*//' >>said
# A copy of the trace has the same, and so has a machine without such lines.
"$strata" convert -q window.strata copy.strata && "$strata" info --headers window.strata >a && "$strata" info --headers copy.strata >b &&
    cmp a b || exit 1
"$strata" trace -q --gpu v100 -o none.strata -- ./window | grep '^most' >>said
"$strata" predict window.strata --gpu h200 --cache-control none -q >/dev/null || exit 1
diff "$here/window.expected" said && echo "windows of 7 launches"
