"$strata" predict "$data"/rod_lud.strata --gpu h200 --model interval --launch-count 1
"$strata" predict "$data"/ml_sgemm.strata --gpu pascal-mdm --model interval --variant mdm --launch-count 1
