#!/bin/sh
# Paper 000 (Nugteren, van den Braak, Corporaal, Bal: A Detailed GPU Cache Model Based on Reuse Distance Theory, HPCA 2014): its tables
# and figures as rows of bench/results/papers.csv (bench/paper_rows.sh).
paper=000
. "$(dirname "$0")/paper_rows.sh"

HIT=l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
difference() { # A B: mean difference of the L1 hit rate in points, over the launches of both, and their number
    awk -F, -v m=$HIT '$5 != m { next } FNR == NR { a[$1 "/" $2 "/" $3] = $7; next }
        ($1 "/" $2 "/" $3) in a { d = $7 - a[$1 "/" $2 "/" $3]; s += d < 0 ? -d : d; n++ } END { if (n) printf "%.2f %d", s / n, n }' "$1" "$2"
}
seconds() { # COMMAND...: processor time of a run
    python3 -c 'import os, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print("%.2f" % os.times().children_user)' "$@"
}

# ---- tables and micro-benchmarks ----
unit="unit tests, every row of the tables"
row "Tables 1 to 5" "stack distances, associativity, latency, MSHRs" "" "as printed" "the same" "" "" "meson test -C build reuse_timed" "$unit"
for gpu in gtx470 gtx470-48k; do
    [ -z "$small" ] || [ $gpu = gtx470 ] || continue
    "$strata" dissect --target model:$gpu -q --format csv -o "$out/$gpu.csv" || exit 1
done
row "Figures 5 and 6" "bits of the set hash, 16 KB" "" "7^13, 8^14, 9^15, 10^17, 11^19" "$(fact "$out/gtx470.csv" l1.set_bits)" "=7^13, 8^14, 9^15, 10^17, 11^19" "" "strata dissect --target model:gtx470" ""
[ -n "$small" ] || row "Figures 5 and 6" "sets, 48 KB" "" 64 "$(fact "$out/gtx470-48k.csv" l1.sets)" 64 64 "strata dissect --target model:gtx470-48k" ""
row "Figures 8 and 9" "MSHRs of an SM" "" 64 "$(fact "$out/gtx470.csv" l1.mshrs)" 64 64 "strata dissect --target model:gtx470" ""
row "Figures 8 and 9" "MSHRs of a warp" "" 6 "$(fact "$out/gtx470.csv" l1.mshrs_per_warp)" 6 6 "strata dissect --target model:gtx470" ""

# ---- column copy (section 4.4) ----
sum=0 n=0
while read -r height measured; do
    [ -z "$small" ] || [ "$height" -le 256 ] || continue
    "$strata" generate column-copy height="$height" -q -o "$out/c.strata" || exit 1
    predict "$out/c.csv" "$out/c.strata" --gpu gtx470 --model reuse --variant paper --set model.miss=80
    miss=$(awk -v h="$(metric "$out/c.csv" $HIT)" 'BEGIN { printf "%.2f", 100 - h }')
    row "Section 4.4, column copy" "miss rate, $height threads" % "$measured" "$miss" "" "" "strata generate column-copy height=$height; strata predict --gpu gtx470 --variant paper --set model.miss=80" "model.miss was chosen on these six (docs/reuse.md)"
    sum=$(awk -v s=$sum -v a="$miss" -v b="$measured" 'BEGIN { d = a - b; print s + (d < 0 ? -d : d) }') n=$((n + 1))
done <<END
32 3.13
64 3.77
128 32.71
256 42.05
512 67.20
1024 82.28
END
[ -n "$small" ] || row "Section 4.4, column copy" "mean difference of the six" points 0 "$(divide "$sum" $n 2)" "" 8 "sh bench/paper-000.sh build" "the paper has measured rates only"

# ---- figures 10 and 11: against the clocked model in the place of a card ----
without() { # GPU EXTENSION: the paper's mean error without it (section 6.1: 16 KB alone)
    case $1.$2 in
    gtx470.associativity) echo 9.6 ;;
    gtx470.latency) echo 12.1 ;;
    gtx470.mshrs) echo 7.1 ;;
    esac
}
kernels='regex:bpnn|Jacobi'
[ -n "$small" ] || kernels='regex:bpnn|Jacobi|srad|fdtd|convol|calculate|lud|softmax|elementwise'
trace=$src/tests/data/h200.strata
stand_in="no Fermi is here: the clocked model stands for it; PolyBench, Rodinia and network operators of tests/data/h200.strata, machine code of sm_90"
for gpu in gtx470 gtx470-48k; do
    [ -z "$small" ] || [ $gpu = gtx470 ] || continue
    published=6.4
    [ $gpu = gtx470 ] || published=8.3
    time_sim=$(seconds "$strata" predict "$trace" --gpu $gpu --model sim --kernel-name "$kernels" -j 1 -q --format csv -o "$out/sim.csv") || exit 1
    said="strata predict tests/data/h200.strata --gpu $gpu --model reuse --variant paper, against --model sim"
    for off in "" associativity latency mshrs; do
        [ -z "$small" ] || [ -z "$off" ] || continue
        set --
        [ -z "$off" ] || set -- --set "model.$off=off"
        predict "$out/paper.csv" "$trace" --gpu $gpu --model reuse --variant paper --kernel-name "$kernels" -j 1 "$@"
        set -- $(difference "$out/sim.csv" "$out/paper.csv")
        if [ -z "$off" ]; then
            row "Figures 10 and 11" "mean difference of the miss rate, $gpu, $2 launches" points "$published" "$1" "" 15 "$said" "$stand_in"
        else
            set -- "$1" "$2" "$(without $gpu $off)"
            row "Figures 10 and 11, one extension off" "$gpu without $off, $2 launches" points "$3" "$1" "" "" "$said --set model.$off=off" "the same launches against the clocked model; the paper's are PolyBench and Parboil on a card, and of 48 KB it gives none"
        fi
    done
    time_one=$(seconds "$strata" predict "$trace" --gpu $gpu --model reuse --variant paper --set model.cores=1 --kernel-name "$kernels" -j 1 -q --format csv -o "$out/one.csv") || exit 1
    set -- $(difference "$out/sim.csv" "$out/one.csv")
    row "Section 6.2" "time of the simulator by the model's, $gpu" times 267 "$(divide "$time_sim" "$time_one" 0)" "$([ -n "$small" ] || echo 15)" "" "sh bench/paper-000.sh build" "one core modelled as in the paper (model.cores=1; $1 points from the clocked model); its simulator executes instructions, ours reads a trace and is itself fast"
done

# ---- the paper's own programs ----
# PROGRAMS=FOLDER: predictions of traced programs as bench/paper_programs.py describes them; the traces are not kept in this tree, their
# rates by launch are (bench/results/reuse-programs.csv).
if [ -z "$small" ] && [ -n "$PROGRAMS" ]; then
    echo "gpu,program,trace,kernel,miss_sim_pct,miss_paper_pct" >"$out/programs.csv"
    for gpu in gtx470 gtx470-48k; do
        published=6.4
        [ $gpu = gtx470 ] || published=8.3
        python3 "$src/bench/paper_programs.py" reuse "$PROGRAMS" $gpu >"$out/list" || exit 1
        sed 1d "$out/list" >>"$out/programs.csv"
        read -r launches programs all associativity latency mshrs one ratio most program trace <"$out/list"
        said="strata trace -o p.strata -- PROGRAM; strata predict p.strata --gpu $gpu --model reuse --variant paper, against --model sim"
        what="public sources of PolyBench/GPU and Parboil (inputs of their formats made anew) at sizes that fit, machine code of sm_75; no Fermi is here, the clocked model stands for it; by launch: bench/results/reuse-programs.csv"
        row "Figures 10 and 11, PolyBench and Parboil" "mean difference of the miss rate, $gpu, $launches launches of $programs programs" points $published "$all" "" 12 "$said" "$what"
        row "Figures 10 and 11, PolyBench and Parboil" "the largest, $gpu: $program, $trace" points "" "$most" "" "" "$said" "the paper's are bars"
        for off in associativity latency mshrs; do
            eval "ours=\$$off"
            row "Figures 10 and 11, PolyBench and Parboil" "$gpu without $off" points "$(without $gpu $off)" "$ours" "" "" "$said --set model.$off=off" "the clocked model stands for the card"
        done
        [ "$ratio" = 0 ] || row "Section 6.2, PolyBench and Parboil" "time of the simulator by the model's, $gpu" times 267 "$ratio" 15 "" "$said --set model.cores=1" "one core modelled as in the paper ($one points from the clocked model); its simulator executes instructions, ours reads a trace and is itself fast"
    done
    cp "$out/programs.csv" "$src/bench/results/reuse-programs.csv"
fi

# ---- the H200 ----
if [ -z "$small" ]; then
    for sectors in off on; do
        "$strata" predict "$trace" --gpu h200 --model reuse --variant paper --set model.sectors=$sectors -j 2 -q --format json -o "$out/h200.json" || exit 1
        errors "$out/h200.json" "$src/tests/data/counters.csv" >"$out/errors"
        [ $sectors = on ] && reason="a line keeps the sectors that were asked for; left are stores, which this model has not in the L1" ||
            reason="the paper's model has no sectors: a miss brings a line of 128 bytes"
        row "Beyond the paper" "L1 hit rate of an H200, --variant paper, sectors $sectors, mean error" points "" "$(digits "$(awk -v m=$HIT '$1 == m { print $2 }' "$out/errors")" 2)" "" "" "strata predict tests/data/h200.strata --gpu h200 --model reuse --variant paper --set model.sectors=$sectors; strata correlate" "$reason"
    done
fi
