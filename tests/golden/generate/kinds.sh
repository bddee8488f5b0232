"$strata" generate --kinds
