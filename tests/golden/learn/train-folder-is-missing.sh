"$strata" learn train nowhere -o m.learn
