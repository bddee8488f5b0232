$strata trace -o out.strata app --flag
