$strata gpu show gtx560ti --format json | grep -E 'schema|"(l1.size|l1.way_weight|l1.replacement|tlb.enabled|dram.efficiency|DRAM peak)"'
