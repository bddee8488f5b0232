$strata trace --ptx $data/ptx/saxpy.ptx --kernel saxpy --arg 500 --arg f32:2 --arg buffer:2000 --arg buffer:2000 -o out.strata
