$strata trace -k "regex:(" -o out.strata -- true
