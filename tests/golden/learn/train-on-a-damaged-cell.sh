"$strata" learn generate -o d --samples 1 --grid-only -q
printf x | dd of=d/grid-05-1024.learn bs=1 seek=400 conv=notrunc 2>/dev/null
"$strata" learn train d -o m.learn
