$strata trace --ptx $data/ptx/saxpy.ptx --kernel saxpy --grid 4 --block 128 --arg i32:512 --arg f32:2 --arg buffer:2000 --arg buffer:2000 -o out.strata; code=$?; ls; exit $code
