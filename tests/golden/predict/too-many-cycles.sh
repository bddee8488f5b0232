# times are kept in 32 bits: a launch beyond them is given up with a sentence, not wrapped
"$strata" generate chase -o chase.strata iterations=6000 bytes=64MiB stride=4096 blocks=1 >/dev/null
"$strata" predict chase.strata --gpu h200 --set dram.access=1000000
