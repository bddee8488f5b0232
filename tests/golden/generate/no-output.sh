"$strata" generate stream
