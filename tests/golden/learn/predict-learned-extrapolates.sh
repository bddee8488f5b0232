"$strata" predict "$data"/rod_lud.strata --gpu h200 --model learned --set l1.unified=4MiB --launch-count 1 --set model.sms=2 -f json -o p.json
grep -o '"extrapolated": "[a-z]*"' p.json
