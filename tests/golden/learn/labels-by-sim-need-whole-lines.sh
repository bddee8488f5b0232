# the clocked model labels caches of whole lines: not those of a sectored L1, not sectors, not the L2
"$strata" learn profile "$data/h200.strata" --gpu h200 --labels sim --kernel-name regex:Jacobi -q -o p.learn
echo $?
"$strata" learn profile "$data/h200.strata" --gpu gtx470 --labels sim --l2 --kernel-name regex:Jacobi -q -o p.learn
echo $?
"$strata" learn generate -o data --sim h200 --samples 1 -q
