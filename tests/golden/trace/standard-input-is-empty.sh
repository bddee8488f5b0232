"$strata" info - </dev/null
