"$strata" predict --gpu h200
