"$strata" generate stream elements=1024 -o t.strata -q
"$strata" predict t.strata --gpu gtx470 --model reuse --set model.colour=red
