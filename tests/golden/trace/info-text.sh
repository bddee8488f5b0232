# Launches, classes, spaces and bytes of a native file.
"$strata" info "$data/poly_GRAMSCHM.strata"
