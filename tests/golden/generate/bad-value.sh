"$strata" generate stream elements=many -o x.strata; code=$?; ls; exit $code
