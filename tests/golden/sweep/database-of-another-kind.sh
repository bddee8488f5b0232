python3 -c "import sqlite3; d = sqlite3.connect(\"x.db\"); d.execute(\"create table a(b)\"); d.commit()"
"$strata" sweep "$data"/traces/again --gpu h200 --model coalesce --vary l1.ways=4 --db x.db
