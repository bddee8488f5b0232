$strata gpu show gtx470 --set l1.size=48KiB --set l1.ways=6 --set shared.per_sm=16KiB --set shared.per_block=16KiB --set shared.per_block_optin=16KiB | grep -E 'l1.size|l1.ways|L1 sets'
