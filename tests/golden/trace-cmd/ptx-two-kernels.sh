$strata trace --ptx $data/ptx/saxpy.ptx -o out.strata
