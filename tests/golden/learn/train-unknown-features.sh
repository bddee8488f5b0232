"$strata" learn train d -o m.learn --features all
