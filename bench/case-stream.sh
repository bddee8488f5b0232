#!/bin/sh
# Case study of paper 004, figure 15: DRAM bandwidth that a stream of three arrays reaches on all, 4 and 2
# SMs of the TITAN V, L1 on and off. A few SMs cannot take what the pins give, so the peak is the lesser of
# the pins and the crossbar ports of the SMs that run (docs/sim-memory.md). Written data that is still in the L2 at the
# end is not in the DRAM's counters, which weighs more the smaller the arrays are; the last column has what the SMs
# moved instead, and hardly depends on the size.
#   sh bench/case-stream.sh BUILD [ELEMENTS]     (default: 2Mi, 24 MB in three arrays)
build=${1:-build}
elements=${2:-2Mi}
strata=$build/tools/strata
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$strata" generate stream elements="$elements" reads=2 -q -o "$out/stream.strata" || exit 1
printf '%-12s %-5s %6s %12s %10s %10s %12s\n' model L1 SMs "bytes/cycle" "% of peak" hardware "SMs moved %" 
for model in titanv-new; do
    for l1 in true false; do
        for sms in 80 4 2; do
            "$strata" predict "$out/stream.strata" --gpu $model --set sm.count=$sms --set l1.enabled=$l1 --model sim -q \
                --format csv -o "$out/p.csv" || exit 1
            # 24 channels of 16 bytes, two transfers a clock of 850 MHz, SMs at 1200 MHz; a port gives an SM 16 bytes a cycle
            awk -F, -v model=$model -v l1=$l1 -v sms=$sms '
                $5 == "sm__cycles_elapsed.max" { cycles = $7 }
                $5 == "dram__sectors_read.sum" || $5 == "dram__sectors_write.sum" { sectors += $7 }
                $5 == "l1tex__m_xbar2l1tex_read_sectors.sum" || $5 == "l1tex__m_l1tex2xbar_write_sectors.sum" { moved += $7 }
                END {
                    pins = 24 * 16 * 2 * 850 / 1200; ports = sms * 16; peak = pins < ports ? pins : ports
                    printf "%-12s %-5s %6d %12.1f %10.1f %10s %12.1f\n", model, l1 == "true" ? "on" : "off", sms, sectors * 32 / cycles,
                        100 * sectors * 32 / cycles / peak, sms == 80 ? "82" : sms == 4 ? "75" : "68", 100 * moved * 32 / cycles / peak
                }' "$out/p.csv"
        done
    done
done
