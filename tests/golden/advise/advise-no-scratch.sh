TMPDIR=$PWD/none "$strata" advise "$data/rod_lud.strata" --gpu h200 -c 1 -q
