$strata gpu show gtx560ti --format csv | grep -E '^(key|sm.clock|l1.size|l1.way_weight|launch.order|tlb.l2.set_ways|total: DRAM peak)'
