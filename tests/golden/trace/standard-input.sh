"$strata" generate stream elements=1Ki -o - | "$strata" predict - --gpu h200 -m coalesce -f csv | sed -n "1,2p"
xz -c "$data"/traces/strided/kernel-1.traceg | "$strata" info - --headers | head -n 1
