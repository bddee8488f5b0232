"$strata" learn train d -o m.learn --epochs 0
