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

# ---- the clocked model as the truth: labels of 16 launches and 30 caches, kept (bench/learn_labels.sh makes them) ----
# SAMPLES=FILE: what learn_samples.sh printed before.
tar xJf "$src/bench/results/learn-sim.tar.xz" -C "$out" || exit 1
sim_model=$src/models/sim.learn
said="bench/learn_labels.sh build; strata learn evaluate truth-*.learn -m models/sim.learn -m timed -m default -m sdcm -m ppt"
"$strata" learn evaluate "$out"/truth-*.learn -m "$sim_model" -m timed $([ -n "$small" ] && [ -z "$SAMPLES" ] || echo -m default -m sdcm -m ppt) -q --format json -o "$out/e.json" || exit 1
launches=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["models"][0]["launches"])' "$out/e.json")
machine="the L1 is a GTX 470's with 30 sizes and associativities; trained on synthetic kernels of one block labelled by sim (scripts/train-sim), no launch among them"
of_sim() { of sim "$1"; } # called as its file is
row "Section V, labels by sim" "miss rate, mean error, model trained on sim's labels, $launches launches, 30 caches" "" 0.043 "$(of_sim miss_mae)" 0 0.03 "$said" "$machine"
row "Section V, labels by sim" "merge rate, mean error, model trained on sim's labels" "" 0.043 "$(of_sim merge_mae)" 0 0.05 "$said" "$machine"
row "Section V, labels by sim" "R squared, model trained on sim's labels" "" 0.975 "$(of_sim r2)" 0.95 "" "$said" "over all thirty caches (at the paper's one it is the row of figure 9): sim has fewer first accesses than the profile (caches that hold everything miss 0.195 against 0.244 in 2DCONV, 0.656 against 0.748 in FDTD-2D's second kernel), and fewer merges; why was not found out"
row "Section V, labels by sim" "Spearman's rank correlation over ten caches, mean of the launches that have an order, model trained on sim's labels" "" "" "$(of_sim spearman)" "" "" "$said" "not the paper's measure, which is of one program (Table 6, labels by sim), and no better: six launches have an order, in 2DCONV by the third digit of the rate in sim; timed has $(of timed spearman), so learning makes the order of these ten worse"
row "Section V, labels by sim" "Spearman's rank correlation over all thirty caches, model trained on sim's labels" "" "" "$(of_sim spearman_all)" 0.6 "" "$said" "twelve launches have an order there; the paper has ten caches"
# As the paper counts: figure 9 is figure 8's data (8 KB, 8 ways), and Table 6 is GESUMMV alone.
"$strata" learn evaluate "$out"/truth-*.learn -m "$sim_model" -q --format csv -o "$out/e.csv" || exit 1
set -- $(python3 - "$out/e.csv" <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if (r["lines"], r["ways"]) == ("64", "8")]
def r2(whiches):
    pairs = [(float(r[w + "_true"]), float(r[w + "_predicted"])) for r in rows for w in whiches]
    mean = sum(t for t, _ in pairs) / len(pairs)
    return 1 - sum((t - p) ** 2 for t, p in pairs) / sum((t - mean) ** 2 for t, _ in pairs)
def error(w):
    return sum(abs(float(r[w + "_true"]) - float(r[w + "_predicted"])) for r in rows) / len(rows)
print("%.4f %.4f %.4f %.4f %.4f" % (r2(["miss", "merge"]), r2(["miss"]), r2(["merge"]), error("miss"), error("merge")))
END
)
said_8="strata learn evaluate truth-*.learn -m models/sim.learn --format csv, rows of 64 lines and 8 ways"
row "Figure 9" "R squared of miss and merge rates, 8 KB and 8 ways, $launches launches, model trained on sim's labels" "" 0.975 "$1" 0.975 "" "$said_8" "its figure 9 is of figure 8's cache. Both rates together; the paper says 0.975 for both, which may also mean each: of the miss rate alone $2, of the merge rate alone $3"
value=$4
row "Figure 9" "mean error of miss and merge rate, 8 KB and 8 ways" "" 0.043 "$4, $5" 0 0.043 "$said_8" "bounded is the miss rate"
value=
if [ -z "$small" ] || [ -n "$SAMPLES" ]; then
    RATES=${RATES:-$src/bench/results/learn-rank.csv} sh "$src/bench/learn_rank.sh" "$build" >"$out/rank" || exit 1
    rho() { awk -v m="$1" '$1 == "spearman" && $2 == m { print $3 }' "$out/rank"; }
    row "Table 6, labels by sim" "Spearman's rank correlation of GESUMMV's miss rates over its ten caches, model trained on sim's labels" "" 0.939 "$(rho sim)" 0.94 "" "sh bench/learn_rank.sh build" "the paper's measure: one program, ten caches; of GESUMMV no launch is in training. The four caches of 1024 lines tie in sim and share a rank"
    row "Table 6, labels by sim" "the same, PPT's formula" "" 0.491 "$(rho ppt)" "" "" "sh bench/learn_rank.sh build" "ours takes the profile of warps that wait for their data"
    row "Table 6, labels by sim" "the same, no learning (timed), stack-distance formula (sdcm)" "" "" "$(rho timed), $(rho sdcm)" "" "" "sh bench/learn_rank.sh build" "exact ties stay ties there; learning breaks them by 0.0001"
fi
value=$(divide "$(of timed merge_mae)" "$(of_sim merge_mae)" 2)
row "Section V, labels by sim" "does learning beat no learning (timed)? miss, merge and R squared of timed" "" "" "yes: $(of timed miss_mae), $(of timed merge_mae), $(of timed r2)" 1.05 "" "$said" "bounded is the merge error of timed by that of the learned model"
value=
if [ -z "$small" ] || [ -n "$SAMPLES" ]; then
    row "Section V, labels by sim" "miss and merge rate, R squared, default model (trained on the timed L1's labels)" "" "" "$(of default miss_mae), $(of default merge_mae), $(of default r2)" "" "" "$said" "learned places in the band of the timed profile; sim's MSHRs and queues lead out of it"
    row "Section V, labels by sim" "miss rate, stack-distance formula (sdcm)" "" "" "$(of sdcm miss_mae)" "" "" "$said" "level with the learned model in the miss rate; it tells no merges"
    row "Section V, labels by sim" "miss rate, PPT's formula" "" 0.333 "$(of ppt miss_mae)" "" "" "$said" "the paper's baseline; its programs reuse more"
    "$strata" learn evaluate "$out"/suite-*.learn -m "$sim_model" -m timed -q --format json -o "$out/e.json" || exit 1
    launches=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["models"][0]["launches"])' "$out/e.json")
    for which in sim timed; do
        row "Section V, labels by sim, example suite" "miss, merge, R squared, Spearman over ten caches: $([ "$which" = timed ] && echo "no learning (timed)" || echo "model trained on sim's labels"), $launches launches" "" "" "$(of "$which" miss_mae), $(of "$which" merge_mae), $(of "$which" r2), $(of "$which" spearman)" "" "" "bench/learn_labels.sh build; strata learn evaluate suite-*.learn -m models/sim.learn -m timed" "no launch in training, but the features were chosen with these in view; small grids, in which the order of warps decides more"
    done
fi

# ---- figures 6, 7a, 11 ----
if [ -z "$small" ] || [ -n "$SAMPLES" ]; then
    [ -n "$SAMPLES" ] || { SAMPLES=$out/samples; sh "$src/bench/learn_samples.sh" "$build" >"$SAMPLES" || exit 1; }
    for n in 5 10 20 50 100; do
        mean=$(awk -v m="model-$n" '$1 == m || $1 == m ".learn" { printf "%s%s", s, $3; s = ", " }' "$SAMPLES")
        share=$(awk -v m="model-$n" '($1 == m || $1 == m ".learn") && $2 == "miss" { print $6 }' "$SAMPLES")
        [ -z "$mean" ] || row "Figures 6 and 7a" "$n samples a cell: mean error of miss and merge rate; launches and caches below 0.02" "" "$([ $n = 5 ] && echo 0.016 || { [ $n = 100 ] && echo "as with 50" || echo falls; })" "$mean; $share %" "" "" "sh bench/learn_samples.sh build" "labels and truth by sim; the network begins with the profile's own answer, so few samples do, and what is left is sim's order of warps and blocks; histograms: bench/results/learn-samples.txt"
    done
    for what in sim profile learned ppt; do
        seconds=$(awk -v w=$what 'NF == 2 && $1 == w { print $2 }' "$SAMPLES")
        row "Figure 11" "seconds a launch, $what" s "$([ $what = sim ] && echo 100000 times learned || echo)" "$(awk -v s="$seconds" 'BEGIN { if (s == "") exit; if (s + 0 < 1e-6) print "below 0.000001"; else print s }')" "" "" "sh bench/learn_samples.sh build" "17 launches, processor time, L1 of 8 KB and 8 ways; sim by learned: $(awk '$1 == "sim" { s = $2 } $1 == "learned" { l = $2 } END { if (l > 0) printf "%.0f times", s / l }' "$SAMPLES"); the profile is made once for all caches and costs most; the paper's simulator executes instructions, ours reads a trace; the bars are not in the text"
    done
fi
