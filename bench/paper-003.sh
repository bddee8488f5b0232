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
against="the truth is the timed L1 of docs/learn.md, not a simulator; the paper's is one program of GPGPU-Sim"
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
row "Section V, against a simulator" "miss rate without merges, mean difference from sim, 8 KB" "" 0.043 "$error" "" 0.15 "strata predict tests/data/h200.strata --gpu gtx470 --set l1.size=8KiB --set l1.index=mix --model learned (and sim)" "labels are the timed L1's, whose accesses come one a cycle; warps that wait for data are not in it. Labels by sim are not made yet"
row "Figures 6, 7a, 11" "samples a cell, error histograms, seconds a launch" "" "" "bench/results/learn.txt" "" "" "sh bench/learn.sh build" "one number of samples (50) only; 5, 10, 20 and 100 are not run"
