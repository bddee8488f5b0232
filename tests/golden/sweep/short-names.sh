# Goals and columns may be named by their short words.
"$strata" generate strided stride=128 blocks=4 iterations=2 -q -o t.strata
"$strata" sweep t.strata --gpu h200 --model reuse --vary l1.size=64KiB,128KiB --rank l1hit --metric loads -q
