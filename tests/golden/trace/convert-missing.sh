"$strata" convert nowhere.strata out.strata; code=$?; ls; exit $code
