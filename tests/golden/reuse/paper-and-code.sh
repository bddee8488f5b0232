"$strata" generate column-copy height=128 width=1024 -o t.strata -q
"$strata" predict t.strata --gpu gtx470 --model reuse --set model.miss=80 -f json | grep detail
"$strata" predict t.strata --gpu gtx470 --model reuse --set model.code=on -f json | grep detail
