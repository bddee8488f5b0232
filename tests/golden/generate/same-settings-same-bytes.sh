# The same settings give the same file, in both formats, and the formats say the same.
"$strata" generate gather elements=512 seed=7 -o a.strata
"$strata" generate gather elements=512 seed=7 -o b.strata -q
cmp a.strata b.strata && echo "same bytes"
"$strata" generate gather elements=512 seed=8 -o c.strata -q
cmp -s a.strata c.strata || echo "another seed, other bytes"
"$strata" generate gather elements=512 seed=7 -o folder
ls folder
"$strata" check a.strata
"$strata" check folder
