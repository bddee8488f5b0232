"$strata" learn generate -o d --samples 1 --grid-only
rm d/grid-02-0016.learn
head -c 100 d/grid-03-0128.learn >cut && mv cut d/grid-03-0128.learn
"$strata" learn generate -o d --samples 1 --grid-only
"$strata" learn generate -o e --samples 1 --grid-only -j 2 -q
diff -r d e && echo the same bytes with two threads
"$strata" learn generate -o d --samples 1 --grid-only --seed 2
