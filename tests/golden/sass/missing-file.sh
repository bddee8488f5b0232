"$strata" sass nowhere.cubin
