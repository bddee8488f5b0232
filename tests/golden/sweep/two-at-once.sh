# Of two sweeps that are started together on one database one works and the other refuses.
# Unit test t_database arranges how they meet.
$strata generate stencil2d nx=96 ny=16 -o t.strata -q
both=0 neither=0
for i in 1 2 3; do
    rm -f r.db*
    $strata sweep t.strata --gpu h200 -m coalesce --vary l1.hit=30,31 --db r.db -q >/dev/null 2>a.err &
    $strata sweep t.strata --gpu h200 -m coalesce --vary l1.hit=30,31 --db r.db -q >/dev/null 2>b.err
    second=$?
    wait $! && first=0 || first=1
    [ $first != 0 ] && [ $second != 0 ] && neither=$((neither + 1))
done
echo "neither worked: $neither"
