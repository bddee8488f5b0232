head -c 9000 "$data/rod_lud.strata" >cut.strata; "$strata" info cut.strata; echo "exit $?"
"$strata" convert cut.strata out.strata; code=$?; ls; exit $code
