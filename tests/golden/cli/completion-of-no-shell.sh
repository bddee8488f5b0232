"$strata" completion tcsh
