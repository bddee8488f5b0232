"$strata" generate columns -o x.strata; code=$?; ls; exit $code
