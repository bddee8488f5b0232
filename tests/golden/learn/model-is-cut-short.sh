head -c 5000 "$src"/models/default.learn >m.learn
"$strata" predict "$data"/rod_lud.strata --gpu h200 --model learned --set model.file=m.learn
