"$strata" generate gather elements=4096 table=65536 -o t.strata -q
for scope in thread warp sm gpu; do "$strata" reuse t.strata --gpu h200 --scope $scope --unit sector -f csv | head -n 3 | tail -n 2; done
"$strata" reuse t.strata --gpu h200 --scope gpu -f csv >exact
for j in 1 2 3; do "$strata" reuse t.strata --gpu h200 --scope gpu -f csv --engine parallel -j $j | cmp - exact && echo the same; done
"$strata" reuse t.strata --gpu h200 --scope gpu -f csv --engine sampled --rate 1 | cut -d, -f7-9 | grep -c miss_ratio
