"$strata" help >/dev/full
