"$strata" generate stream elements=1024 -q -o t.strata
"$strata" predict t.strata --gpu h200 --model sim --set model.speed=high
