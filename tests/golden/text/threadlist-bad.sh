# A word where a number should be.
printf 'blocksize: 4 1 1\n0 0 4096 4\n1 load 4100 4\n' >list_00.trc
"$strata" info list_00.trc
