"$strata" predict --lauch-count 3
