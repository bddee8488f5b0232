"$strata" help nothing; "$strata" help --man nothing
