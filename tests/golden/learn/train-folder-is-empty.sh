mkdir d
"$strata" learn train d -o m.learn
