# The result appears under its name, and nothing else does.
"$strata" info -q --headers -o out.txt "$data/poly_GRAMSCHM.strata" && ls && head -1 out.txt
