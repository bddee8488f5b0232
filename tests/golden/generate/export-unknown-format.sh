"$strata" export "$data/rod_lud.strata" --gpu h200 --dram dramsys
