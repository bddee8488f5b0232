$strata trace --ptx $data/ptx/saxpy.ptx --kernel nothing --grid 4x4 -o out.strata
