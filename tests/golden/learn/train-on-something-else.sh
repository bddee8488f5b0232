mkdir d
echo "training data" >d/x.learn
"$strata" learn train d -o m.learn
