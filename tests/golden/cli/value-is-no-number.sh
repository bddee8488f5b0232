"$strata" predict --jobs many
