"$strata" sass "$data/fatbin/ptx75-plain.fatbin"
