"$strata" convert --level 40 "$data/rod_lud.strata" out.strata; code=$?; ls; exit $code
