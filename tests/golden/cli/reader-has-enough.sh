# a reader that has seen enough is no error: nothing is said, and the first line is whole
for i in 1 2 3 4 5 6 7 8; do
    "$strata" gpu show h200 2>>said | head -n 1 >first
    "$strata" metrics 2>>said | head -n 1 >>first
    "$strata" help --man predict 2>>said | head -n 1 >>first
done
wc -c <said | tr -d ' '
wc -l <first | tr -d ' '
# one that is gone before the first word
{ "$strata" predict "$data/h200.strata" --gpu h200 --model coalesce 2>said; echo $? >code; } | true
cat said code
