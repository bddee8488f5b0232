$strata gpu list | cut -c1-60
