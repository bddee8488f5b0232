#!/bin/sh
# Global load and store requests and sectors of the example suite: what the model `coalesce` counts
# from the emulator's own trace of the nvcc-built program, against the profiler's counters of the same
# program on an H200 (h200-suite/). Launches that differ have to be in suite.expected, which says why,
# and at least nine in ten have to be exactly equal.
set -eu
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-.}
build=$(cd "$(dirname "$strata")/.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
"$nvcc" --version 2>/dev/null | grep -q 'release 13\.0' ||
    { echo "skipped: the measured program was compiled by nvcc 13.0, which is not here"; exit 77; }
"$src/tests/suite.sh" "$strata" nvcc build
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
grep -v '^#' "$src/tests/fidelity/suite.expected" | sort >"$scratch/expected"
for size in small large; do
    "$strata" trace -q --code ptx -o "$scratch/suite.strata" -- "$build/suite/nvcc/suite" --size $size >"$scratch/log"
    "$strata" predict "$scratch/suite.strata" --gpu h200 --model coalesce -j 2 -q --format csv -o "$scratch/prediction.csv"
    awk -F, -v size=$size '
        FNR == 1 { file++ }
        file == 1 && FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        file == 1 { for (i = 8; i <= NF; i++) measured[$3 " " name[i]] = $i; next }
        FNR == 1 || $5 !~ /^l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_(ld|st)\.sum$/ { next }
        {
            launches[$2] = $4
            if ($7 + 0 == measured[$2 " " $5] + 0) next
            kernel = $4
            sub(/^_Z[0-9]+/, "", kernel)
            differs[$2] = kernel
            print "# " size, $2, kernel, $5, "model " $7 ", measured " measured[$2 " " $5]
        }
        END {
            for (l in launches) n++
            for (l in differs) { bad++; print size, l }
            print "# " size ": " n - bad " of " n " launches are exactly equal"
            if (n < 83 || (n - bad) * 10 < n * 9) print "# too few"
        }
    ' "$src/tests/fidelity/h200-suite/$size/counters.csv" "$scratch/prediction.csv" >>"$scratch/found"
done
grep '^#' "$scratch/found"
grep -v '^#' "$scratch/found" | sort >"$scratch/differing"
if grep -q '# too few' "$scratch/found"; then exit 1; fi
diff -u "$scratch/expected" "$scratch/differing"
