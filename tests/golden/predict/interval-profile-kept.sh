# The second run reads no trace: it answers also when the blocks are gone, and in the same words.
cp "$data"/rod_bfs.strata .
predict() { "$strata" predict rod_bfs.strata --gpu pascal-mdm --model interval --variant mdm -f csv "$@"; }
predict >plain
predict --profile p.json >first
cp p.json p1.json
predict --profile p.json -j 2 >second
cmp plain first && cmp first second && cmp p.json p1.json && echo same
"$strata" predict rod_bfs.strata --gpu pascal-mdm --model interval --profile p.json --set l2.hit=200 -q -o /dev/null
cmp p.json p1.json && echo "another latency needs no new profile"
"$strata" predict rod_bfs.strata --gpu pascal-mdm --model interval --profile p.json --set l2.size=1536KiB -q -o /dev/null
cmp -s p.json p1.json || echo "another L2 does"
