"$strata" convert "$data/h200.strata" out.strata -q & one=$!
"$strata" reuse "$data/h200.strata" --gpu h200 -o out.txt -q & two=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ls | grep -q out.strata.tmp && ls | grep -q out.txt.tmp && break
    sleep 0.1
done
kill -TERM $one $two
wait $one $two
echo "exit code $?"
ls
