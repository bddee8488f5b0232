"$strata" generate stream elements=1024 -o t.strata -q
"$strata" reuse t.strata --gpu h200 --scope block
