"$strata" trace --sample 1% --ptx "$data/ptx/saxpy.ptx"
