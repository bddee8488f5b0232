$strata trace --interleave 4294967296 -- ./app
