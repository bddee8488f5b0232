# The first samples of a cell are a set of their own: as many rows as from data of that size.
"$strata" learn generate -o two --grid-only --samples 2 -q
"$strata" learn generate -o one --grid-only --samples 1 -q
"$strata" learn train two --samples 1 --learner mlp --features open --epochs 1 -o m.learn | sed 's/;.*//'
"$strata" learn train one --learner mlp --features open --epochs 1 -o m.learn | sed 's/;.*//'
"$strata" learn train two --learner mlp --epochs 1 -o m.learn | sed 's/;.*//'
