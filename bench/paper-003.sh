#!/bin/sh
# Paper 003 (Cho, Chung: MLCRP, ML-Based GPU Cache Performance Modeling Featured With Reuse Profiles, IEEE Access 2025): its tables and
# figures as rows of bench/results/papers.csv (bench/paper_rows.sh).
paper=003
. "$(dirname "$0")/paper_rows.sh"

row "Algorithms 1 and 2, Table 3" "synthetic profiles and sequences" "" "as printed" "the same" "" "" "meson test -C build learn_sequence" "unit tests; a distance of d needs d + 1 lines (docs/learn.md)"
trace=$src/tests/data/h200.strata
set -- --kernel-name 'regex:bpnn|Jacobi|srad|convol'
[ -n "$small" ] || set --
"$strata" learn evaluate "$trace" --gpu h200 --sms 4 -q -m default -m timed -m sdcm -m ppt "$@" --format json -o "$out/e.json" || exit 1
of() { # MODEL FIELD
    python3 - "$out/e.json" "$1" "$2" <<'END'
import json, sys
def find(x):
    if isinstance(x, dict):
        if x.get("model", x.get("name")) == sys.argv[2] and sys.argv[3] in x:
            return x[sys.argv[3]]
        x = list(x.values())
    for y in x if isinstance(x, list) else []:
        v = find(y)
        if v is not None:
            return v
v = find(json.load(open(sys.argv[1])))
print("" if v is None else "%.4f" % v)
END
}
against="the truth is the timed L1 of docs/learn.md; the clocked model as truth stands below"
said="strata learn evaluate tests/data/h200.strata --gpu h200 --sms 4 -m default -m timed -m sdcm -m ppt"
row "Section V, figure 8" "miss rate, mean error, default model" "" 0.043 "$(of default miss_mae)" 0 0.03 "$said" "$against"
row "Section V, figure 8" "merge rate, mean error, default model" "" "" "$(of default merge_mae)" 0 0.05 "$said" "$against"
row "Section V, figure 8" "R squared, default model" "" 0.975 "$(of default r2)" 0.98 "" "$said" "$against"
[ -n "$small" ] || row "Table 6" "Spearman's rank correlation over ten caches, default model" "" 0.939 "$(of default spearman)" 0.9 "" "$said" "$against"
row "Section V-B" "miss rate, mean error, no learning (timed)" "" "" "$(of timed miss_mae)" "" "" "$said" "most of the accuracy is the profile's, not the learning's (docs/learn.md)"
row "Section V-B" "miss rate, mean error, stack-distance formula (sdcm)" "" "" "$(of sdcm miss_mae)" "" "" "$said" "the paper's baseline without learning"
row "Section V-B" "miss rate, mean error, PPT's formula" "" "" "$(of ppt miss_mae)" "" "" "$said" "the paper's baseline without learning"

# ---- against the clocked model at the paper's 8 KB ----
HIT=l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
kernels='regex:bpnn|Jacobi|srad'
[ -n "$small" ] || kernels='regex:bpnn|Jacobi|srad|fdtd|convol|calculate|lud|softmax'
for model in sim learned; do
    predict "$out/$model.csv" "$trace" --gpu gtx470 --set l1.size=8KiB --set l1.index=mix --model $model --kernel-name "$kernels" -j 1
done
error=$(awk -F, -v m=$HIT '$5 != m { next } FNR == NR { a[$1 "/" $2 "/" $3] = $7; next }
    ($1 "/" $2 "/" $3) in a { d = $7 - a[$1 "/" $2 "/" $3]; s += d < 0 ? -d : d; n++ } END { printf "%.3f", s / n / 100 }' "$out/sim.csv" "$out/learned.csv")
row "Section V, against a simulator" "miss rate without merges, mean difference from sim, 8 KB" "" 0.043 "$error" "" 0.043 "strata predict tests/data/h200.strata --gpu gtx470 --set l1.size=8KiB --set l1.index=mix --model learned (and sim)" "order and times of the accesses are of warps that wait for their data, as caches that hold everything would let them; queues are not in them (0.104 when warps took turns)"

# ---- the clocked model as the truth: labels of every launch and cache ----
# SIM_LABELS=FILES: profiles that `strata learn profile --labels sim` wrote before; all launches take many minutes, so four are the default.
said="strata learn profile tests/data/h200.strata --gpu gtx470 --labels sim --kernel-name 'regex:bpnn|Jacobi' -o s.learn; strata learn evaluate s.learn -m default -m timed -m sdcm -m ppt"
if [ -z "$small" ]; then
    [ -n "$SIM_LABELS" ] || {
        SIM_LABELS=$out/sim.learn
        "$strata" learn profile "$trace" --gpu gtx470 --labels sim --kernel-name 'regex:bpnn|Jacobi' -q -o "$SIM_LABELS" || exit 1
    }
    # SIM_MODEL=FILE: a model trained on data of `strata learn generate --sim gtx470`
    # shellcheck disable=SC2086 # lists of words
    "$strata" learn evaluate $SIM_LABELS ${SIM_MODEL:+-m "$SIM_MODEL"} -m default -m timed -m sdcm -m ppt -q --format json -o "$out/e.json" || exit 1
    launches=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["models"][0]["launches"])' "$out/e.json")
    why="the L1 is a GTX 470's with 30 sizes and associativities; sim has queues, bandwidth and its own order of warps, which a profile made once for all caches cannot have"
    row "Section V, labels by sim" "miss rate, mean error, default model, $launches launches, 30 caches" "" 0.043 "$(of default miss_mae)" 0 0.05 "$said" "$why"
    row "Section V, labels by sim" "merge rate, mean error, default model" "" 0.043 "$(of default merge_mae)" 0 0.08 "$said" "$why"
    row "Section V, labels by sim" "R squared, default model" "" 0.975 "$(of default r2)" "" "" "$said" "$why"
    row "Section V, labels by sim" "Spearman's rank correlation over ten caches, default model" "" 0.939 "$(of default spearman)" "" "" "$said" "$why"
    row "Section V, labels by sim" "miss and merge rate, no learning (timed)" "" "" "$(of timed miss_mae), $(of timed merge_mae)" "" "" "$said" "learning does not beat the profile with time here: what is left is sim's timing, which is in no feature"
    [ -z "$SIM_MODEL" ] || row "Section V, labels by sim" "miss and merge rate, model trained on sim's labels" "" "" "$(of "$SIM_MODEL" miss_mae), $(of "$SIM_MODEL" merge_mae)" "" "" "strata learn generate -o data --sim gtx470 --samples 15; strata learn train data -o m.learn; $said -m m.learn" "synthetic kernels of one block, labelled by sim as in the paper"
    row "Section V, labels by sim" "miss rate, PPT's formula" "" 0.333 "$(of ppt miss_mae)" "" "" "$said" "the paper's baseline"
fi

# ---- figures 6, 7a, 11 ----
# SAMPLES=FILE: what learn_samples.sh printed before.
if [ -z "$small" ]; then
    [ -n "$SAMPLES" ] || { SAMPLES=$out/samples; sh "$src/bench/learn_samples.sh" "$build" >"$SAMPLES" || exit 1; }
    for n in 5 10 20 50 100; do
        mean=$(awk -v m="model-$n" '$1 == m || $1 == m ".learn" { printf "%s%s", s, $3; s = ", " }' "$SAMPLES")
        share=$(awk -v m="model-$n" '($1 == m || $1 == m ".learn") && $2 == "miss" { print $6 }' "$SAMPLES")
        [ -z "$mean" ] || row "Figures 6 and 7a" "$n samples a cell: mean error of miss and merge rate; launches and caches below 0.02" "" "$([ $n = 5 ] && echo 0.016 || { [ $n = 100 ] && echo "as with 50" || echo falls; })" "$mean; $share %" "" "" "sh bench/learn_samples.sh build" "what is learned is a place in a band that the profile with time gives, so few samples do; histograms: bench/results/learn-samples.txt"
    done
    for what in sim profile learned ppt; do
        row "Figure 11" "seconds a launch, $what" s "$([ $what = sim ] && echo 100000 times learned || echo)" "$(awk -v w=$what '$1 == w { print $2 }' "$SAMPLES")" "" "" "sh bench/learn_samples.sh build" "17 launches, processor time, L1 of 8 KB and 8 ways; the profile is made once for all caches and costs most; the paper's bars are not in the text"
    done
fi
