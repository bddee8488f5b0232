"$strata" learn profile --gpu h200 -o x.learn
