"$strata" predict some.strata --gpu h200 --format xml
