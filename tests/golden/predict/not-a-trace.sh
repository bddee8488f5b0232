echo hello >hello.txt
"$strata" predict hello.txt --gpu h200 --model coalesce
