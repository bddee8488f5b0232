$strata trace --ptx $data/ptx/saxpy.ptx --kernel sdot -o out.strata
