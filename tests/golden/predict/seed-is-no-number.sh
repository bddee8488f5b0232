"$strata" predict some.strata --gpu h200 --seed lucky
