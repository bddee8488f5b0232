#!/bin/sh
# Paper 003, figures 6, 7a and 11: the error of the learned model by the number of training samples a cell, as histograms and
# means, and the seconds a launch takes in the clocked model, the learned one and PPT's formula.
# Labels and truth are the clocked model's on a GTX 470, as the paper has its simulator's.
# usage: learn_samples.sh BUILD [SAMPLES...]     SAMPLES: 5 10 20 50 100 if none is given
# WORK=FOLDER keeps training data, models and profiles there; DATA=FOLDER: training data made before (100 samples a cell take
# eleven minutes of a core); TRUTH=FILES: profiles with labels (strata learn profile --labels sim) in place of those kept in
# bench/results/learn-sim.tar.xz.
build=${1:-build}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- 5 10 20 50 100
source=$(cd "$(dirname "$0")/.." && pwd)
export STRATA_SOURCE="$source"
strata=$build/tools/strata
scratch=
[ -n "$WORK" ] || { scratch=$(mktemp -d) && WORK=$scratch; }
[ -z "$scratch" ] || trap 'rm -rf "$scratch"' EXIT
trace=$source/tests/data/h200.strata
kernels='regex:bpnn|Jacobi|srad|fdtd|convol|calculate|lud|softmax'
if [ -z "$TRUTH" ]; then
    mkdir -p "$WORK/truth" && tar xJf "$source/bench/results/learn-sim.tar.xz" -C "$WORK/truth" || exit 1
    TRUTH=$(echo "$WORK"/truth/truth-*.learn)
fi
if [ -z "$DATA" ]; then
    most=$(printf '%s\n' "$@" | sort -n | tail -n 1)
    DATA=$WORK/data
    "$strata" learn generate -o "$DATA" --sim gtx470 --samples "$most" -j "${JOBS:-1}" -q || exit 1
fi
models=
for samples; do
    model=$WORK/model-$samples.learn
    [ -f "$model" ] || "$strata" learn train "$DATA" --samples "$samples" --features open -o "$model" --epochs 12 -j "${JOBS:-1}" -q || exit 1
    models="$models -m $model"
done
# shellcheck disable=SC2086 # lists of words
"$strata" learn evaluate $TRUTH $models -m timed -m ppt -q --format csv -o "$WORK/errors.csv" || exit 1
python3 - "$WORK/errors.csv" <<'END'
import csv, os, sys
EDGES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.6, 1.0]
errors = {}
for row in csv.DictReader(open(sys.argv[1])):
    name = os.path.basename(row["model"])
    for which in ("miss", "merge"):
        if row[which + "_predicted"]:
            errors.setdefault((name, which), []).append(abs(float(row[which + "_predicted"]) - float(row[which + "_true"])))
print("figures 6 and 7a: share of launches and caches, %, whose error is below")
print("%-20s %-6s %7s" % ("model", "rate", "mean") + "".join("%8g" % e for e in EDGES))
for (name, which), found in errors.items():
    shares = [100 * sum(e < edge for e in found) / len(found) for edge in EDGES]
    print("%-20s %-6s %7.4f" % (name, which, sum(found) / len(found)) + "".join("%8.1f" % s for s in shares))
END
# ---- figure 11: 8 KB, 8 ways ----
[ "${TIMES:-1}" != 0 ] || exit 0 # TIMES=0: without it
seconds() { # COMMAND...: processor time of a run
    python3 -c 'import os, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print("%.3f" % os.times().children_user)' "$@"
}
echo "figure 11: processor seconds a launch, L1 of 8 KB and 8 ways (profile: reading a trace and making the profile of a launch, once for all caches)"
launches=$("$strata" predict "$trace" --gpu gtx470 --model coalesce --kernel-name "$kernels" -q --format csv | awk -F, '$5 == "launch__block_size"' | wc -l)
set -- --gpu gtx470 --set l1.size=8KiB --set l1.ways=8 --set l1.index=mix --kernel-name "$kernels" -j 1 -q --format csv -o "$WORK/p.csv"
sim=$(seconds "$strata" predict "$trace" --model sim "$@") || exit 1
"$strata" learn profile "$trace" --gpu gtx470 --no-labels --kernel-name "$kernels" -q -o "$WORK/plain.learn" || exit 1
profile=$(seconds "$strata" learn profile "$trace" --gpu gtx470 --no-labels --kernel-name "$kernels" -q -o "$WORK/plain.learn") || exit 1
for model in default ppt; do
    # a thousand times the same, so that the start of the program does not count
    many=$(seconds "$strata" learn rank "$WORK/plain.learn" -m $model $(i=0; while [ $i -lt 1000 ]; do printf -- '--cache 64,8 '; i=$((i + 1)); done) -q -o "$WORK/r.txt") || exit 1
    one=$(seconds "$strata" learn rank "$WORK/plain.learn" -m $model --cache 64,8 -q -o "$WORK/r.txt") || exit 1
    eval "$model=\$(awk -v m=$many -v o=$one -v n=$launches 'BEGIN { printf \"%.8f\", (m - o) / 999 / n }')"
done
awk -v n="$launches" -v s="$sim" -v p="$profile" -v l="$default" -v f="$ppt" \
    'BEGIN { printf "launches %d\nsim %.4f\nprofile %.4f\nlearned %.7f\nppt %.7f\n", n, s / n, p / n, l, f }'
