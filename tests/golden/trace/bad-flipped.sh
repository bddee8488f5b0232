f=flip.strata; head -c 700 "$data/rod_lud.strata" >$f; printf "\\377\\000" >>$f; tail -c +703 "$data/rod_lud.strata" >>$f
"$strata" check $f
