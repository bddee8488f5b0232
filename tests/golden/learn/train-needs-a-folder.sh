"$strata" learn train -o m.learn
