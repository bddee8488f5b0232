touch mine
"$strata" gpu check mine
