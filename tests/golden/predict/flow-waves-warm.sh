"$strata" generate stream elements=1024 -q -o t.strata
"$strata" predict t.strata --gpu h200 --cache-control none --set model.waves=8
