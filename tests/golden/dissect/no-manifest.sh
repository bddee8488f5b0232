mkdir empty
"$strata" dissect --from empty
