"$strata" predict nowhere.strata --gpu h200 --model coalesce
