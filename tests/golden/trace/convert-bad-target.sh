"$strata" convert --to parquet "$data/rod_lud.strata" out.strata; code=$?; ls; exit $code
