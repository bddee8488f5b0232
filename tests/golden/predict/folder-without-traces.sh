mkdir empty
"$strata" predict empty --gpu h200 --model coalesce
