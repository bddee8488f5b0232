# Only parts: keys are added all the time.
$strata gpu show titanv-new | grep -E '^titan|  (sm.count|l1.carveouts|sm.clock|l1.hit|l2.size|l2.sector|dram.efficiency|resident|L1 |L2 |DRAM |load)'
