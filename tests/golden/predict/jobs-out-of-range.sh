"$strata" predict some.strata --gpu h200 -j 0
