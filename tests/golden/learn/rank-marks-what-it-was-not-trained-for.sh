"$strata" learn rank "$data"/poly_GRAMSCHM.strata --gpu h200 -q --launch-count 1 --cache 64,8 --cache 4,4 --cache 65536,16 -f csv | cut -d, -f3,4,7 | sort
