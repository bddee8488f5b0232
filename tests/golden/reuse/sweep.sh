"$strata" generate column-copy height=64 width=64 -o t.strata -q
"$strata" reuse t.strata --gpu gtx470 --sweep --timed
