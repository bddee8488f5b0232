cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --explain stencil/kernel-1.traceg.xz
"$strata" correlate --measured counters.csv flow.json --explain tiny -f csv
