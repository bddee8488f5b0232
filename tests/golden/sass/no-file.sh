"$strata" sass
