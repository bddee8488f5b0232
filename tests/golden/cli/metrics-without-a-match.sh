"$strata" metrics nonsense
