# A tile of 32 x 32 through shared memory: rows and columns without conflicts.
"$strata" generate matmul-tiled m=64 n=64 k=64 tile=32 -o tiled.strata -q
"$strata" predict tiled.strata --gpu h200 --model coalesce --format csv | grep -E "shared|occupancy|sectors.*global_op_(ld|st)"
