#!/bin/sh
# Paper 003, Table 6, as the paper counts it: GESUMMV alone, its ten caches, Spearman's rank correlation of the miss rates with the
# simulator's (there Accel-Sim, here the clocked model on a GTX 470 with such an L1); ties share their mean rank.
# usage: learn_rank.sh BUILD     RATES=FILE: the simulator's rates of an earlier run (bench/results/learn-rank.csv), else ten runs of
# sim, three minutes of a core; JOBS=N of them at a time
build=${1:-build}
source=$(cd "$(dirname "$0")/.." && pwd)
export STRATA_SOURCE="$source"
strata=$build/tools/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$source/tests/data/h200.strata
caches="1024,512 1024,1024 512,512 1024,256 512,256 1024,128 512,128 128,128 256,64 128,64" # lines, ways
export strata trace work
if [ -z "$RATES" ]; then
    RATES=$work/rates.csv
    # shellcheck disable=SC2016 # for the inner shell
    printf '%s\n' $caches | xargs -P "${JOBS:-1}" -I{} sh -c 'c={}
        "$strata" predict "$trace" --kernel-name regex:gesummv --gpu gtx470 --set l1.size=$((${c%,*} * 128)) --set l1.ways=${c#*,} \
            --set l1.index=mix --model sim -q --format csv -o "$work/$c.csv"' || exit 1
    { echo "lines,ways,miss"; for c in $caches; do
        awk -F, -v c="$c" '$5 == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" { s = $7 }
            $5 == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum" { h = $7 } END { printf "%s,%.6f\n", c, 1 - h / s }' "$work/$c.csv"
    done; } >"$RATES"
fi
"$strata" learn profile "$trace" --gpu gtx470 --no-labels --kernel-name regex:gesummv -q -o "$work/plain.learn" || exit 1
for model in "$source/models/sim.learn" timed default sdcm ppt; do
    # shellcheck disable=SC2046 # a list of words
    "$strata" learn rank "$work/plain.learn" -m "$model" $(for c in $caches; do echo "--cache $c"; done) -q -o "$work/rank-$(basename "$model" .learn).txt" || exit 1
done
python3 - "$RATES" "$work" <<'END'
import csv, os, sys

def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) + 1) / 2 for v in values]

def pearson(a, b):
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return top / (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5

truth = {(int(r["lines"]), int(r["ways"])): float(r["miss"]) for r in csv.DictReader(open(sys.argv[1]))}
found = {"simulator": truth}
for model in ("sim", "timed", "default", "sdcm", "ppt"):
    rows = [line.split() for line in open(os.path.join(sys.argv[2], f"rank-{model}.txt"))]
    found[model] = {(int(r[1]), int(r[3])): float(r[4]) for r in rows if len(r) == 6 and r[0].isdigit()}
print("%-10s" % "lines,ways" + "".join("%11s" % name for name in found))
for cache in truth:
    print("%-10s" % ("%d,%d" % cache) + "".join("%11.4f" % rates[cache] for rates in found.values()))
for model in list(found)[1:]:
    print("spearman", model, "%.3f" % pearson(ranks(list(truth.values())), ranks([found[model][c] for c in truth])))
END
