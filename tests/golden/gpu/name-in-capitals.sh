# H200 is h200; STRATA_GPU stands for --gpu
"$strata" gpu show H200 | head -n 1
STRATA_GPU=TitanV-New "$strata" predict "$data/rod_lud.strata" --model coalesce -q -c 1 | head -n 1
