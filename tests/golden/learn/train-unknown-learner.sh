"$strata" learn train d -o m.learn --learner oracle
