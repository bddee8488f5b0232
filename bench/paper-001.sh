#!/bin/sh
# Paper 001 (Wang, Jahre, Adileh, Wang, Eeckhout: Modeling Emerging Memory-Divergent GPU Applications, CAL 2019): its tables and
# figures as rows of bench/results/papers.csv (bench/paper_rows.sh).
paper=001
. "$(dirname "$0")/paper_rows.sh"

row "Table 1" "keys of the GPU file" "" "" "gpus/pascal-mdm.yaml" "" "" "strata gpu show pascal-mdm" "each key names its row; flow, sim and interval issue two instructions a cycle (meson test -C build sim)"
row "Equations 1 to 8, figure 2" "queues, MSHR batches, two warps with two MSHRs" "" "as printed" "the same" "" "" "meson test -C build interval" "unit tests"

# ---- figure 1: where the time of an L1 miss goes ----
breakdown() { # NAME KIND [PARAMETERS]
    name=$1
    shift
    "$strata" generate "$@" -q -o "$out/t.strata" || exit 1
    "$strata" predict "$out/t.strata" --gpu pascal-mdm --model sim -q --format json -o "$out/t.json" || exit 1
    python3 - "$out/t.json" "$name" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["launches"][0]["detail"]["latency"]
print("%.0f %.0f %.0f %.0f %.0f" % (d["mshr_cycles"], d["crossbar_cycles"], d["l2_cycles"] + d["l2_queue_cycles"], d["dram_cycles"], d["dram_queue_cycles"]))
END
}
parts() { # MSHR CROSSBAR L2 DRAM QUEUE
    echo "MSHR $1, crossbar $2, L2 $3, DRAM $4, its queue $5"
}
bars="the bars are not in the text, only that MSHR delay is negligible for non-divergent programs and hundreds to thousands of cycles for divergent ones"
set -- $(breakdown stream stream elements=64Ki)
value=$1
row "Figure 1" "L1 miss of a stream, MSHR delay and the rest" cycles "MSHR delay negligible" "$(parts "$@")" "" 20 "strata generate stream; strata predict --gpu pascal-mdm --model sim (detail.latency)" "$bars"
set -- $(breakdown gather gather elements=16Ki table=8Mi)
value=$1
row "Figure 1" "L1 miss of a gather, MSHR delay and the rest" cycles "MSHR delay of hundreds to thousands" "$(parts "$@")" 200 "" "strata generate gather; strata predict --gpu pascal-mdm --model sim (detail.latency)" "$bars"
value=

# ---- figure 3 ----
# Number and name of a variant, the paper's errors: divergent programs, others (-: not in the text).
cat >"$out/figure-3" <<END
1 gpumech 444 19
2 gpumech+ 206 -
3 mdm-queue 100 -
4 mdm-mshr 98 -
5 mdm 32 16
END
if [ -z "$small" ]; then
    # PASCAL=FILE: what interval_pascal.sh printed before.
    [ -n "$PASCAL" ] || { PASCAL=$out/pascal; sh "$src/bench/interval_pascal.sh" "$build" >"$PASCAL" || exit 1; }
    # PROGRAMS=FOLDER: predictions by program (bench/paper_programs.py), as the paper counts them: one IPC for a whole program.
    if [ -n "$PROGRAMS" ]; then
        python3 "$src/bench/paper_programs.py" interval "$PROGRAMS" >"$out/programs" || exit 1
        { echo "program table_2 type sim_cycles gpumech gpumech+ mdm-queue mdm-mshr mdm"; cat "$out/programs"; } | tr ' ' , >"$src/bench/results/interval-programs.csv"
        said="strata trace -o p.strata -- PROGRAM; strata predict p.strata --gpu pascal-mdm --model interval --variant VARIANT, against --model sim"
        mean() { awk -v k="$1" -v c="$2" -v t="$3" '$3 == k && (!t || $2 != "-") { s += $c; n++ } END { if (n) printf "%.1f %d", s / n, n }' "$out/programs"; }
        while read -r column variant divergent rest; do
            set -- $(mean MD $((column + 4)))
            row "Figure 3, by program" "IPC error, $2 divergent programs, $variant" % "$divergent" "$1" "" "" "$said" "PolyBench, Rodinia, Parboil and network operators (bench/results/interval-programs.csv); the paper has seven programs, three of MARS"
            [ "$rest" = - ] || { set -- $(mean NMD $((column + 4))); row "Figure 3, by program" "IPC error, $2 other programs, $variant" % "$rest" "$1" "" "" "$said" "mri-q waits for its sines, lu and 3DConvolution for few warps a launch: units and short launches that GPUMech has no part for (bench/results/interval-programs.csv)"; }
            [ "$variant" != mdm ] || {
                set -- $(mean NMD $((column + 4)) 1)
                row "Figure 3, by program" "IPC error, $2 of the paper's eight other programs, $variant" % 16 "$1" "" 60 "$said" "the set index of the L1 decides: with a linear one srad2's arrays share sets, and sim refuses 6.7 million accesses (docs/interval-model.md)"
                set -- $(mean MD $((column + 4)) 1)
                row "Figure 3, by program" "IPC error, $2 of the paper's seven divergent programs, $variant" % 32 "$1" "" "" "$said" "frontiers of a breadth-first search: most warps have nothing to do, and one of them represents all (docs/interval-model.md)"
            }
        done <"$out/figure-3"
        factor=$(awk '$3 == "MD" { a += $5; b += $9 } END { if (b) printf "%.1f", a / b }' "$out/programs")
        row "Figure 3, by program" "GPUMech's error by MDM's, divergent programs" times 14 "$factor" "" "" "$said" "bfs alone makes most of both means (its frontiers leave most warps idle, and one of those represents all; without it 133 and 63 %, a factor of 2.1); with the hashed L1 few launches here run out of 128 MSHRs for long. Not reached"
    fi
    programs="launches of tests/data/h200.strata, five of the paper's fifteen programs among them, each launch counted by itself, however short (docs/interval-model.md)"
    others="one launch of a single working thread (poly_GRAMSCHM k1) and three frontiers of a breadth-first search make most of it: the representative warp has nothing to do there; the paper counts whole programs (docs/interval-model.md)"
    while read -r column variant divergent rest; do
        ours() { awk -v g="$1" -v c="$column" '/^against flow/ { exit } $0 ~ "^" g " +IPC" { n = g == "not divergent" ? 3 : 2; print $(c + n) }' "$PASCAL"; }
        row "Figure 3" "IPC error, divergent launches, $variant" % "$divergent" "$(ours divergent)" "" "" "sh bench/interval_pascal.sh build" "$programs"
        [ "$rest" = - ] || row "Figure 3" "IPC error, other launches, $variant" % "$rest" "$(ours "not divergent")" "" "" "sh bench/interval_pascal.sh build" "$others"
    done <"$out/figure-3"
    factor=$(awk '/^against flow/ { exit } /gpumech by it +IPC/ { print $9 }' "$PASCAL")
    row "Figure 3" "GPUMech's error by MDM's, divergent launches" times 14 "$factor" 4 "" "sh bench/interval_pascal.sh build" "$programs"
fi
