"$strata" generate stream elements=64 -o missing/x.strata
