# Known counts: a copy of 4096 floats is 128 loads of 4 sectors and as many stores.
"$strata" generate stream elements=4096 -o copy.strata -q
"$strata" predict copy.strata --gpu h200 --model coalesce --format csv
