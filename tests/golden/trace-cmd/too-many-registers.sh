$strata trace --regs 300 -o out.strata -- ./app
