mkdir prog; head -c 900 "$data"/traces/strided/kernel-1.traceg >prog/cut.traceg
"$strata" predict prog/cut.traceg --gpu h200 --model coalesce -f csv | grep inst_executed.sum
