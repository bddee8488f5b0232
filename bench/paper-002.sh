#!/bin/sh
# Paper 002 (Mei, Chu: Dissecting GPU Memory Hierarchy through Microbenchmarking, TPDS 2016): its tables and figures as rows of
# bench/results/papers.csv (bench/paper_rows.sh).
paper=002
. "$(dirname "$0")/paper_rows.sh"

cards="gtx560ti gtx780 gtx980"
[ -z "$small" ] || cards="gtx560ti gtx780"
# DISSECTED=FOLDER: takes FOLDER/TARGET-GPU.csv, made before, where it is there.
dissect() { # TARGET GPU
    [ ! -f "$DISSECTED/$1-$2.csv" ] || { cp "$DISSECTED/$1-$2.csv" "$out/$1-$2.csv"; return; }
    "$strata" dissect --target "$1:$2" -q --format csv -o "$out/$1-$2.csv" || exit 1
}
for gpu in $cards; do
    dissect model $gpu
    [ -n "$small" ] && [ $gpu != gtx560ti ] && continue
    dissect flow $gpu
done
[ -n "$small" ] || for gpu in gtx560ti gtx780 gtx980; do
    dissect sim $gpu
done
exactly() { # ITEM WHAT UNIT TARGET GPU FACT VALUE
    how=
    [ "$4" = model ] || how=", kernels through $4"
    row "$1" "$2$how" "$3" "$7" "$(fact "$out/$4-$5.csv" "$6")" "=$7" "" "strata dissect --target $4:$5" ""
}

# ---- Table 5 ----
for gpu in $cards; do
    exactly "Table 5" "$gpu, first TLB: size" bytes model $gpu tlb.l1.size 33554432
    exactly "Table 5" "$gpu, first TLB: ways" "" model $gpu tlb.l1.ways 16
    exactly "Table 5" "$gpu, second TLB: size" bytes model $gpu tlb.l2.size 136314880
    exactly "Table 5" "$gpu, second TLB: ways of its sets" "" model $gpu tlb.l2.set_ways "[17, 8*6]"
done
for target in model flow $([ -n "$small" ] || echo sim); do
    exactly "Table 5" "gtx560ti, L1: size" bytes $target gtx560ti l1.size 16384
    exactly "Table 5" "gtx560ti, L1: line" bytes $target gtx560ti l1.line 128
    exactly "Table 5" "gtx560ti, L1: sets" "" $target gtx560ti l1.sets 32
    exactly "Table 5" "gtx560ti, L1: replacement" "" $target gtx560ti l1.replacement weighted
    row "Section 4.5" "gtx560ti, L1: how often each way is replaced, $target" "" "[1/6, 1/2, 1/6, 1/6]" "$(fact "$out/$target-gtx560ti.csv" l1.way_weight)" "" "" "strata dissect --target $target:gtx560ti" ""
done
for gpu in gtx560ti gtx780; do
    exactly "Table 5" "$gpu, texture cache: size" bytes model $gpu texture.size 12288
    exactly "Table 5" "$gpu, texture cache: sets" "" model $gpu texture.sets 4
done
exactly "Table 5" "gtx780, read-only cache: size" bytes model gtx780 readonly.size 12288
[ -n "$small" ] || exactly "Table 5" "gtx980, L1: size" bytes model gtx980 l1.size 24576
[ -n "$small" ] || exactly "Table 5" "gtx980, L1: size" bytes sim gtx980 l1.size 24576
row "Figures 3 to 11" "misses by word, older methods, ways of the TLB, history of figure 11" "" "as printed" "the same" "" "" "meson test -C build dissect" "unit tests of those names; figures 4 and 5 need lines of four sectors (docs/dissect.md)"

# ---- Table 6, figure 12 ----
while read -r gpu published; do
    for target in flow sim; do
        [ -f "$out/$target-$gpu.csv" ] || continue
        low=$(awk -v x="$published" 'BEGIN { print 0.67 * x }') high=$(awk -v x="$published" 'BEGIN { print 1.5 * x }')
        why="flow has no commands of DRAM: dram.efficiency is this table; what comes out of a model is the row of sim"
        [ $target = flow ] || why="out of DRAM commands, GDDR5 timings of data sheets, refresh and queues; the paper tells nothing of those, nor does the file have this table in it"
        row "Table 6, figure 12" "$gpu, copy, the most, $target" GB/s "$published" "$(fact "$out/$target-$gpu.csv" copy.peak_rate)" "$low" "$high" "strata dissect --target $target:$gpu" "$why"
    done
done <<END
gtx560ti 109.38
gtx780 215.92
gtx980 156.25
END

# ---- figure 14 ----
for gpu in $cards; do
    for p in P1 P2 P3 P4 P5 P6; do
        eval "${gpu}_$p=$(fact "$out/model-$gpu.csv" latency.l2.$p)"
    done
done
spectrum="the text has ratios only; latencies of the L2 and DRAM are those of the GPU files"
for p in P2 P3 P4 P5; do
    eval "a=\$gtx780_$p b=\$gtx560ti_$p"
    row "Figure 14" "$p, Kepler by Fermi" times "about 0.5" "$(divide "$a" "$b" 2)" 0.35 0.67 "strata dissect --target model:gtx780 (and gtx560ti)" "$spectrum"
done
[ -n "$small" ] || row "Figure 14" "P5, Maxwell by Kepler" times 3.5 "$(divide "$gtx980_P5" "$gtx780_P5" 2)" 2.6 4.7 "strata dissect --target model:gtx980 (and gtx780)" "tlb.cold of gtx980 was chosen with this ratio and the next"
[ -n "$small" ] || row "Figure 14" "P5, Maxwell by Fermi" times 2 "$(divide "$gtx980_P5" "$gtx560ti_P5" 2)" 1.5 2.7 "strata dissect --target model:gtx980 (and gtx560ti)" "as above"
[ -n "$small" ] || row "Figure 14" "P6, Maxwell by Kepler" times "above 1" "$(divide "$gtx980_P6" "$gtx780_P6" 2)" 1.05 "" "strata dissect --target model:gtx980 (and gtx780)" ""
row "Figure 14" "gtx560ti: first TLB missed, data in the L1" cycles 288 "$(fact "$out/model-gtx560ti.csv" latency.l1.P2 | awk -v h="$(fact "$out/model-gtx560ti.csv" latency.l1.P1)" '{ print $1 - h }')" 288 288 "strata dissect --target model:gtx560ti" ""
row "Figure 14" "gtx560ti: first TLB missed, data in the L2" cycles 27 "$(awk -v a="$gtx560ti_P2" -v b="$gtx560ti_P1" 'BEGIN { print a - b }')" 20 30 "strata dissect --target model:gtx560ti" ""

# ---- Table 7, figures 15 to 19 ----
while read -r gpu peak published; do
    for target in flow sim; do
        [ -f "$out/$target-$gpu.csv" ] || continue
        row "Table 7, figure 15" "$gpu, shared memory, share of the peak, $target" % "$published" "$(divide "$(fact "$out/$target-$gpu.csv" shared.peak)" "$peak" 3 | awk '{ printf "%.1f", 100 * $1 }')" \
            "$(awk -v x="$published" 'BEGIN { print 0.67 * x }')" "$(awk -v x="$published" 'BEGIN { print 1.5 * x }')" "strata dissect --target $target:$gpu" "shared.access of the GTX 560 Ti was chosen with this row; peaks are at 32 warps here, in the paper at 16, 32 and 16"
    done
done <<END
gtx560ti 64 57.4
gtx780 256 32.5
gtx980 128 83.9
END
while read -r gpu latency rule; do
    [ -f "$out/flow-$gpu.csv" ] || continue
    exactly "Section 6.2" "$gpu, shared memory, no conflict" cycles flow $gpu shared.latency "$latency"
    row "Figures 17 to 19" "$gpu, ways of conflicts" "" "$rule" "$(fact "$out/flow-$gpu.csv" shared.conflict_rule_4)" "=$rule" "" "strata dissect --target flow:$gpu" ""
done <<END
gtx560ti 50 gcd(stride, 32)
gtx780 47 gcd(stride, 32) / 2
END
row "Figures 17 to 19" "conflicts of 32 ways against a global load" "" "dearer on Fermi and Kepler, an L1 hit on Maxwell" "the same" "" "" "meson test -C build dissect_kernels" "unit test conflicts_of_32_ways_cost_what_section_6_says; costs of a pass were chosen with the text"

# ---- beyond the L1: kernels through the models ----
for target in flow $([ -n "$small" ] || echo sim); do
    row "Section 5.2, as kernels" "gtx560ti, L2 hit, $target" cycles 310 "$(fact "$out/$target-gtx560ti.csv" l2.hit)" 300 320 "strata dissect --target $target:gtx560ti" "the GPU file's number"
    row "Section 5.2, as kernels" "gtx560ti, DRAM beyond the L2, $target" cycles 375 "$(fact "$out/$target-gtx560ti.csv" dram.access)" 365 390 "strata dissect --target $target:gtx560ti" "the GPU file's number"
    row "Paper 000, section 5.2, as kernels" "gtx560ti, MSHRs, $target" "" 64 "$(fact "$out/$target-gtx560ti.csv" l1.mshrs)" 64 64 "strata dissect --target $target:gtx560ti" ""
done
for target in flow $([ -n "$small" ] || echo sim); do
    [ -f "$out/$target-gtx780.csv" ] || continue
    for cache in readonly texture; do
        exactly "Table 5" "gtx780, $cache cache: size" bytes $target gtx780 $cache.size 12288
        exactly "Table 5" "gtx780, $cache cache: sets" "" $target gtx780 $cache.sets 4
    done
done
row "Section 4.6, as kernels" "prefetch of the L2" "" "about 2/3 of the L2" "model: only" "" "" "strata dissect --target model:gtx780" "flow and sim have the TLB levels, cold walks, page switches, texture and read-only caches, but no prefetch: the paper gives its size, not when it stops"
