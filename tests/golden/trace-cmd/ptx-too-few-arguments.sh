$strata trace --ptx $data/ptx/saxpy.ptx --kernel saxpy --arg i32:500 -o out.strata
