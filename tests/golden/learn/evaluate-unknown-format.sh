"$strata" learn evaluate x.learn -f xml
