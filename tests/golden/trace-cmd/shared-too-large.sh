$strata trace --ptx $data/ptx/saxpy.ptx --kernel saxpy --grid 1 --block 64 --shared 4294967296 --arg i32:64 --arg f32:2 --arg buffer:256 --arg buffer:256 -o out.strata
