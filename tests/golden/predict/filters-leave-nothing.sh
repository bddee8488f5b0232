"$strata" predict "$data"/traces --gpu h200 --model coalesce --kernel-name gemm
