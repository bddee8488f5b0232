{ printf X; tail -c +2 "$data/rod_lud.strata"; } >x.strata; "$strata" info x.strata
