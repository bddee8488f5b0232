"$strata" generate stream size=4 -o x.strata; code=$?; ls; exit $code
