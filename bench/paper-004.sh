#!/bin/sh
# Paper 004 (Khairy, Jain, Aamodt, Rogers: Exploring Modern GPU Memory System Design Challenges through Accurate Modeling, 2018):
# its tables and figures as rows of bench/results/papers.csv (bench/paper_rows.sh).
paper=004
. "$(dirname "$0")/paper_rows.sh"

other_card="the paper has a TITAN V, 1400 launches of other programs and PTX; here the counters are an H200's"
# What, metric, the paper's mean errors (old, new) and correlations, and how many times the old error must be the new one.
statistics() {
    cat <<END
L1 requests|l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum|48|0.5|0.92|1.00|20
L1 hit rate|l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct|41|18|0.89|0.93|5
L2 reads|lts__t_sectors_srcunit_tex_op_read.sum|66|1|0.49|0.94|10
L2 writes|lts__t_sectors_srcunit_tex_op_write.sum|56|1|0.99|1.00|10
L2 read hits|lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum|80|15|0.68|0.81|1
DRAM reads|dram__sectors_read.sum|89|11|0.60|0.95|10
cycles|sm__cycles_elapsed.max|68|27|0.71|0.96|2
END
}
# SIM=1: the clocked model too, which takes minutes. PREDICTIONS=DIR: takes DIR/TRACE-MODEL-GPU.json for the whole sets where it is there.
table_1() { # NAME MODEL TRACE MEASURED [KERNELS]
    name=$1 model=$2 trace=$3 measured=$4
    shift 4
    for gpu in h200-old h200; do
        made=$PREDICTIONS/$(basename "$trace" .strata)-$model-$gpu.json
        [ $# != 0 ] || [ ! -f "$made" ] || { cp "$made" "$out/$gpu.json"; continue; }
        "$strata" predict "$trace" --gpu $gpu --model "$model" "$@" -j "${JOBS:-2}" -q --format json -o "$out/$gpu.json" || exit 1
    done
    errors "$out/h200-old.json" "$measured" >"$out/old.txt"
    errors "$out/h200.json" "$measured" >"$out/new.txt"
    said="strata predict $(basename "$trace") --gpu h200-old (and h200) --model $model; strata correlate --table"
    statistics | while IFS='|' read -r what metric old new old_r new_r least; do
        set -- $(awk -v m="$metric" '$1 == m { print $2, $3 }' "$out/old.txt") $(awk -v m="$metric" '$1 == m { print $2, $3 }' "$out/new.txt")
        unit=%
        case $metric in *pct) unit=points ;; esac
        value=$(divide "$1" "$3" 1)
        row "Table I, $name" "$what: mean error and correlation, old model → new" $unit "$old → $new (r $old_r → $new_r)" \
            "$(digits "$1" 2) → $(digits "$3" 2) (r $(digits "$2" 3) → $(digits "$4" 3))" "$least" "" "$said" "$other_card"
        value=
    done
}

# The example suite and the held-out set as machine code: traces that scripts/accuracy keeps, left out where they are not there.
whole_set() { # NAME MODEL SET MEASURED
    trace=$build/accuracy/$3-sass.strata
    [ -n "$small" ] && [ ! -f "$PREDICTIONS/$3-sass-$2-h200.json" ] && return
    [ ! -f "$trace" ] || table_1 "$1" "$2" "$trace" "$4"
}

# ---- Table I ----
# A few launches of each kind that take seconds.
table_1 "a few launches, flow" flow "$src/tests/data/h200.strata" "$src/tests/data/counters.csv" --kernel-name 'regex:bpnn_adjust|softmax|Jacobi|elementwise|calculate'
if [ -z "$small" ] || [ -n "$PREDICTIONS" ]; then
    for model in flow ${SIM:+sim}; do
        table_1 "truth set, $model" $model "$src/tests/data/h200.strata" "$src/tests/data/counters.csv"
        for set in small large; do
            whole_set "example suite $set, $model" $model suite-$set "$src/tests/fidelity/h200-suite/$set/counters.csv"
        done
        whole_set "held-out set, $model" $model holdout "$src/tests/fidelity/h200-holdout/counters.csv"
    done
fi

# ---- Volta itself: published counters of a GV100 (docs/cards.md), the first tables of its section ----
volta() { # HEADING: flow, Accel-Sim, PPT-GPU, HyFiSS; means over all kernels
    awk -v h="$1" '/^## / { on = /^## GV100/ } on && index($0, "**" h) == 1 { here = 1 }
        on && here && /^\| all \|/ { n = split($0, c, "|"); for (i = 4; i <= 7; i++) { split(c[i], v, ","); printf "%s ", v[1] } print c[3]; exit }' "$src/docs/cards.md"
}
while IFS='|' read -r heading unit; do
    set -- $(volta "$heading")
    [ $# = 5 ] || continue
    row "Table I, a GV100" "$heading: mean error of flow, $5 kernels, beside Accel-Sim, PPT-GPU and HyFiSS" $unit "Accel-Sim $2, PPT-GPU $3, HyFiSS $4" "$1" "" "" "scripts/cards/page (docs/cards.md)" "published counters and predictions of the same kernels; 200 of them are of two programs"
done <<END
Cycles|%
L1 hit rate|points
L2 hit rate|points
END

# ---- Table II, figures 2 to 6 ----
row "Figures 7 to 12" "correlation plots, with bars of the spread from run to run" "" "" "a page" "" "" "strata report --measured counters.csv --repeated runs-1.csv --repeated runs-2.csv --repeated runs-3.csv -o page.html prediction.json" "each metric measured against predicted, old and new side by side (meson test -C build web-browser); the figures' points are not in the text. The truth set was measured once, the suites and the held-out set four times"
spread() { # FOLDER METRIC: mean of most less least by least over the four runs, %, and how many launches differ
    python3 - "$src/tests/fidelity/$1" "$2" <<'END'
import csv, os, sys
runs = {}
for name in ("counters.csv", "runs-1.csv", "runs-2.csv", "runs-3.csv"):
    for row in csv.DictReader(open(os.path.join(sys.argv[1], name), newline="")):
        if row.get(sys.argv[2]):
            runs.setdefault(row["trace"], []).append(float(row[sys.argv[2]]))
spread = [100 * (max(r) / min(r) - 1) for r in runs.values() if len(r) == 4 and min(r) > 1000]
print("%.2f" % (sum(spread) / len(spread)), sum(s > 0 for s in spread), len(spread))
END
}
while IFS='|' read -r name folder; do
    for metric in sm__cycles_elapsed.max dram__sectors_read.sum; do
        set -- $(spread $folder $metric)
        row "Figures 7 to 12" "the card's own spread in four runs, $name, $metric: mean of the $3 launches above 1000" % "" "$1" 0 50 "strata report --measured tests/fidelity/$folder/counters.csv --repeated tests/fidelity/$folder/runs-1.csv (and -2, -3) -o page.html prediction.json" "$2 of them differ; the paper's bars are not in the text"
    done
done <<END
example suite small|h200-suite/small
example suite large|h200-suite/large
held-out set|h200-holdout
END
row "Table II, old model" "keys of the GPU file" "" "" "gpus/titanv-old.yaml" "" "" "strata gpu show titanv-old" "each key names the row it comes from"
row "Table II, new model" "keys of the GPU file" "" "" "gpus/titanv-new.yaml" "" "" "strata gpu diff titanv-old titanv-new" "each key names the row it comes from"
"$strata" dissect --target model:titanv-new -q --format csv -o "$out/new.csv" || exit 1
row "Figures 3 and 4" "bytes of one L1 access, new model" bytes 32 "$(fact "$out/new.csv" coalesce.granularity)" 32 32 "strata dissect --target model:titanv-new" ""
row "Figures 3 and 4" "lanes that are coalesced together, new model" lanes 8 "$(fact "$out/new.csv" coalesce.group)" 8 8 "strata dissect --target model:titanv-new" ""
row "Figures 3 and 4" "L1 reads of a warp at strides 1 to 32, both models" "" "32 to 4" "32, 16, 8, 4, 4, 4" "" "" "meson test -C build sim" "unit test the_coalescer_microbenchmark_gives_the_reads_of_figure_4, through the clocked model"
row "Figure 5" "write misses of the L2, new model" "" "lazy-fetch-on-read" "$(fact "$out/new.csv" l2.write_miss)" =lazy-fetch-on-read "" "strata dissect --target model:titanv-new" ""
row "Figure 6" "streaming L1: more misses under way than lines" "" "yes" "yes" "" "" "meson test -C build sim" "unit test with_allocation_on_fill_more_misses_are_under_way_than_there_are_lines"
row "Section II" "carve-out: least that does not limit the blocks" "" "0, 8, 16, 32, 64, 96 KB" "the same" "" "" "meson test -C build place" "unit test volta_leaves_the_l1_all_that_shared_memory_does_not_need"
row "Table II, new model" "banks of the L1: lines of one bank are looked up one after another" "" "banked" "l1.banks" "" "" "meson test -C build key_readers" "read by reuse, interval, flow and sim; titanv-new has four, from the public configuration"
row "Section IV-B" "a missing sector whose line is there counts as a hit" "" "yes" "l1.tag_hit_counts_as_hit" "" "" "meson test -C build sim" "unit test a_missing_sector_of_a_line_that_is_there_counts_as_volta_counts_it"

# ---- figures 13 to 15 ----
if [ -z "$small" ]; then
    sh "$src/bench/case-frfcfs.sh" "$build" >"$out/frfcfs" || exit 1
    old=$(awk '/geometric mean/ { sub(/x/, "", $5); print $5 }' "$out/frfcfs")
    new=$(awk '/geometric mean/ { sub(/x/, "", $6); print $6 }' "$out/frfcfs")
    programs="the paper's programs are 1400 launches, these are nine synthetic kernels and one of Rodinia"
    row "Figure 13" "gain of FR-FCFS over FCFS, old model" times 1.2 "$old" "" "" "sh bench/case-frfcfs.sh build" "$programs"
    row "Figure 13" "gain of FR-FCFS over FCFS, new model" times 2 "$new" 1.5 "" "sh bench/case-frfcfs.sh build" "$programs"
fi
"$strata" generate gather elements=16Ki table=8Mi -q -o "$out/gather.strata" || exit 1
for model in old new; do
    "$strata" predict "$out/gather.strata" --gpu titanv-$model --model sim -q --format json -o "$out/g.json" || exit 1
    failures=$(python3 -c 'import json, sys
l = json.load(open(sys.argv[1]))["launches"][0]
print("%.1f" % (1000 * l["detail"]["l1"]["reservation_failures"] / l["metrics"]["sm__cycles_elapsed.max"] / 80))' "$out/g.json")
    if [ $model = old ]; then
        row "Figure 14" "reservation failures of a gather, per 1000 cycles of an SM, old model" "" "many" "$failures" 100 "" "sh bench/case-reservation.sh build" "the figure's bars are not in the text"
    else
        row "Figure 14" "reservation failures of a gather, per 1000 cycles of an SM, new model" "" 0 "$failures" 0 0 "sh bench/case-reservation.sh build" ""
    fi
done
elements=2Mi
[ -z "$small" ] || elements=128Ki
CSV=1 sh "$src/bench/case-stream.sh" "$build" $elements >"$out/stream" || exit 1
of() { awk -F, -v m="$1" -v l="$2" -v s="$3" -v c="$4" '$1 == m && $2 == l && $3 == s { print $c }' "$out/stream"; }
for sms in 80 4 2; do
    hardware=$(of titanv-new on $sms 7)
    lone="two SMs cannot take 68 % of 652 GB/s (185 bytes a cycle each) through a port of a flit a cycle; of what the ports let through it is the last number"
    [ -n "$small" ] || row "Figure 15" "STREAM on $sms SMs, L1 on, new model" "% of pins" "$hardware" "$(of titanv-new on $sms 5)" "" "" "sh bench/case-stream.sh build" "$lone: $(of titanv-new on $sms 6) %"
    [ -n "$small" ] || row "Figure 15" "STREAM on $sms SMs, L1 on, old model" "% of pins" "" "$(of titanv-old on $sms 5)" "" "" "sh bench/case-stream.sh build" "of the ports' $(of titanv-old on $sms 6) %; the figure's bars are not in the text"
    row "Figure 15" "$sms SMs: L1 on by L1 off, new model" times 1 "$(divide "$(of titanv-new on $sms 4)" "$(of titanv-new off $sms 4)" 2)" 0.98 1.02 "sh bench/case-stream.sh build" ""
    row "Figure 15" "$sms SMs: L1 on by L1 off, old model" times "below 1" "$(divide "$(of titanv-old on $sms 4)" "$(of titanv-old off $sms 4)" 2)" "" "$([ $sms = 80 ] && echo 1 || echo 0.8)" "sh bench/case-stream.sh build" "on 80 SMs 32 registers each are enough for the pins; with few SMs they are what limits"
done
