cp "$src"/models/default.learn m.learn
printf x | dd of=m.learn bs=1 seek=5000 conv=notrunc 2>/dev/null
"$strata" learn rank "$data"/rod_lud.strata --gpu h200 -m ./m.learn
