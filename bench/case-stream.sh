#!/bin/sh
# Case study of paper 004 (Khairy, Jain, Aamodt, Rogers: Exploring Modern GPU Memory System Design Challenges through
# Accurate Modeling), figure 15: the bandwidth that a stream of three arrays reaches on all, 4 and 2 SMs of the TITAN V, L1 on
# and off, in the new and the old model. Bandwidth is what the program moves by the cycles it takes, as STREAM reports it: traffic that
# an L2 makes by fetching what is written over does not count.
# Two SMs share a crossbar port of one flit a cycle (32 bytes, with a head of 8 more in the new model); with 4 or 2 of
# them each has one to itself. "% of pins" is of the 652 GB/s; "% of reach" of the lesser of the pins and one and a half times the ports (two reads come in for each write out).
#   sh bench/case-stream.sh BUILD [ELEMENTS]     (default: 2Mi, 24 MB in three arrays)
# CSV=1 prints commas instead.
build=${1:-build}
elements=${2:-2Mi}
strata=$build/tools/strata
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$strata" generate stream elements="$elements" reads=2 -q -o "$out/stream.strata" || exit 1
if [ -n "$CSV" ]; then echo "model,l1,sms,bytes_per_cycle,pct_of_pins,pct_of_reach,hardware_pct"; else
    printf '%-12s %-5s %6s %12s %10s %11s %10s\n' model L1 SMs "bytes/cycle" "% of pins" "% of reach" hardware
fi
for model in titanv-new titanv-old; do
    for l1 in true false; do
        for sms in 80 4 2; do
            port=40
            [ $model = titanv-old ] && port=32
            [ $sms = 80 ] && port=$((port / 2))
            "$strata" predict "$out/stream.strata" --gpu $model --set sm.count=$sms --set l1.enabled=$l1 --model sim -q \
                --set xbar.request_bytes_per_cycle=$port --set xbar.response_bytes_per_cycle=$port --format csv -o "$out/p.csv" || exit 1
            # 24 channels of 16 bytes, two transfers a clock of 850 MHz, SMs at 1200 MHz
            awk -F, -v model=$model -v l1=$l1 -v sms=$sms -v csv="$CSV" '
                $5 == "sm__cycles_elapsed.max" { cycles = $7 }
                $5 == "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" { loads = $7 }
                END {
                    moved = 128 * (loads > 0 ? loads : 0) * 1.5 / cycles
                    pins = 24 * 16 * 2 * 850 / 1200; reach = 1.5 * sms * (sms == 80 ? 16 : 32); if (reach > pins) reach = pins
                    printf csv ? "%s,%s,%d,%.1f,%.1f,%.1f,%s\n" : "%-12s %-5s %6d %12.1f %10.1f %11.1f %10s\n", model,
                        l1 == "true" ? "on" : "off", sms, moved, 100 * moved / pins, 100 * moved / reach,
                        sms == 80 ? "82" : sms == 4 ? "75" : "68"
                }' "$out/p.csv"
        done
    done
done
