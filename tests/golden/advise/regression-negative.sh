"$strata" check-regression a b --max-slowdown -3
