# as many sectors as the model counts, less code and the front end's own; and the first lines of each format
"$strata" generate stream elements=4M -q -o s.strata
set -- s.strata --gpu titanv-new --set launch.dram_sectors=0
for format in ramulator dramsim3 csv; do
    "$strata" export "$@" --dram $format -o out.$format
    head -n 2 out.$format
done
"$strata" predict "$@" -m reuse -f csv -q | awk -F, '
    NR == FNR { n[$6]++; next }
    /dram__sectors_read/ { print "read", ($7 - n["read"] >= 0 && $7 - n["read"] < 100) }
    /dram__sectors_write/ { print "written", $7 - n["write"], ($7 > 0) }' out.csv -
awk '$3 < before { print "time falls at line " NR; exit } { before = $3 }' out.dramsim3
