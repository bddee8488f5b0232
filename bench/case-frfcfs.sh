#!/bin/sh
# Case study of paper 004, section V: open rows first (FR-FCFS) against in order (FCFS), old and new model.
#   sh bench/case-frfcfs.sh BUILD [TRACE...]     (default: kernels of `strata generate` and tests/data)
build=${1:-build}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")/.." && pwd)
strata=$build/tools/strata
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ $# -eq 0 ]; then
    generate() { "$strata" generate "$@" -q -o "$out/$1.strata" && set -- "$out/$1.strata"; }
    generate stream elements=1Mi reads=2
    generate strided stride=64 iterations=16 blocks=320
    generate gather elements=64Ki table=8Mi
    generate stencil2d nx=2048 ny=512
    generate stencil3d
    generate column-copy height=4096 width=16
    generate matmul
    generate matmul-tiled m=512 n=512 k=256
    set -- "$out"/*.strata "$src/tests/data/rod_bfs.strata"
fi
for model in old new; do
    for scheduler in fcfs frfcfs; do
        "$strata" predict "$@" --gpu titanv-$model --set dram.scheduler=$scheduler --model sim -q --format csv \
            -o "$out/$model-$scheduler.csv" || exit 1
    done
done
# Long form: program,trace,id,kernel,metric,unit,value,model,gpu; a gain is cycles in order by cycles with open rows first.
awk -F, '
    FNR == 1 { split(FILENAME, part, "/"); run = part[length(part)]; sub(/\.csv$/, "", run) }
    $5 == "sm__cycles_elapsed.max" { key = $1 "/" $2 "/" $3; if (!(key in seen)) { seen[key] = ++n; name[n] = $1 == $2 ? $1 : $1 "/" $2 }
        cycles[run, seen[key]] = $7 }
    END {
        printf "%-40s %12s %12s\n", "gain of FR-FCFS over FCFS", "old model", "new model"
        for (i = 1; i <= n; i++) {
            old = cycles["old-fcfs", i] / cycles["old-frfcfs", i]; new = cycles["new-fcfs", i] / cycles["new-frfcfs", i]
            printf "%-40s %11.2fx %11.2fx\n", name[i], old, new
            log_old += log(old); log_new += log(new)
        }
        printf "%-40s %11.2fx %11.2fx   (paper 004, figure 13: 1.2x and 2x)\n", "geometric mean of " n, exp(log_old / n), exp(log_new / n)
    }' "$out"/old-fcfs.csv "$out"/old-frfcfs.csv "$out"/new-fcfs.csv "$out"/new-frfcfs.csv
