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
        # KIND COLUMN [1: only those of Table 2]
        mean() { awk -v k="$1" -v c="$2" -v t="$3" '$3 == k && (!t || $2 != "-") { s += $c; n++ } END { if (n) printf "%.1f %d", s / n, n }' "$out/programs"; }
        factor() { awk -v t="$1" '$3 == "MD" && (!t || $2 != "-") { a += $5; b += $9 } END { if (b) printf "%.1f", a / b }' "$out/programs"; }
        sources="public sources, inputs made anew in their formats: bfs 262144 nodes, cfd 98304 elements, k-means 65536 points, MARS 65536 records (the inverted index 3.7 MB of text), a matrix of finite elements of 65536 rows, chosen after a random one had been seen, with which the seven have 197 by GPUMech and 71 by MDM (bench/results/interval-programs.csv)"
        milder="MDM and the others of the paper's eight are as close as there; GPUMech is not as far off: in sim a miss of these programs waits 11 to 574 cycles for an MSHR (k-means 4169), in the paper's figure 1 hundreds to thousands, and the L2 answers about nine in ten misses of the largest kernels of bfs and cfd (mean time in DRAM 24 and 28 of 220 cycles; docs/interval-model.md)"
        while read -r column variant divergent rest; do
            set -- $(mean MD $((column + 4)) 1)
            high=
            [ "$variant" != mdm ] || high=45
            row "Figure 3, by program" "IPC error, the paper's $2 divergent programs, $variant" % "$divergent" "$1" "" "$high" "$said" "$sources"
            [ "$rest" = - ] && continue
            [ "$variant" != mdm ] || high=25
            set -- $(mean NMD $((column + 4)) 1)
            row "Figure 3, by program" "IPC error, the paper's $2 other programs, $variant" % "$rest" "$1" "" "$high" "$said" "all eight of Table 2; hotspot of 512 x 512 (of 128 x 128 cells, which do not fill the machine, 67.5 % by MDM)"
        done <"$out/figure-3"
        row "Figure 3, by program" "GPUMech's error by MDM's, the paper's divergent programs" times 14 "$(factor 1)" "" "" "$said" "not 10: $milder"
        syrk=$(awk '$1 == "poly_SYRK" { printf "%.0f and %.0f", $5, $9 }' "$out/programs")
        while read -r column variant divergent rest; do
            [ "$rest" = - ] && continue
            set -- $(mean MD $((column + 4)))
            row "Figure 3, all programs here" "IPC error, $2 divergent programs, $variant" % "$divergent" "$1" "" "" "$said" "the paper's seven and those of PolyBench and Parboil; syrk alone (one row of lines for each thread, all in the L2) has $syrk %"
            set -- $(mean NMD $((column + 4)))
            row "Figure 3, all programs here" "IPC error, $2 other programs, $variant" % "$rest" "$1" "" "" "$said" "mri-q waits for its sines, lu and 3DConvolution for few warps a launch: units and short launches that GPUMech has no part for"
        done <"$out/figure-3"
        row "Figure 3, all programs here" "GPUMech's error by MDM's, divergent programs" times 14 "$(factor)" "" "" "$said" "as above"
    fi
    # LAUNCHES=FOLDER: predictions of tests/data/h200.strata, named as those of PROGRAMS with h200 for the program.
    if [ -n "$LAUNCHES" ]; then
        python3 "$src/bench/paper_programs.py" launches "$LAUNCHES" >"$out/launches" || exit 1
        said="strata predict tests/data/h200.strata --gpu pascal-mdm --model interval --variant VARIANT, against --model sim"
        each="each launch counts by itself, however short: one of a single working thread (poly_GRAMSCHM k1) and three frontiers of a breadth-first search make most of the others' error; the paper counts whole programs (docs/interval-model.md)"
        while read -r column variant divergent rest; do
            for kind in MD NMD; do
                [ $kind = MD ] && published=$divergent || published=$rest
                [ "$published" = - ] || row "Figure 3, by launch" "IPC error, $(awk -v k=$kind '$1 == k { print $2, (k == "MD" ? "divergent" : "other") }' "$out/launches") launches, $variant" % "$published" "$(awk -v k=$kind -v c=$((column + 2)) '$1 == k { print $c }' "$out/launches")" "" "" "$said" "$each"
            done
        done <"$out/figure-3"
        row "Figure 3, by launch" "GPUMech's error by MDM's, divergent launches" times 14 "$(awk '$1 == "MD" { printf "%.1f", $3 / $7 }' "$out/launches")" 3 "" "$said" "$each"
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
