python3 -c "
import sqlite3, subprocess, sys
d = sqlite3.connect(\"x.db\")
d.execute(\"begin exclusive\")
sys.exit(subprocess.call([sys.argv[1], \"sweep\", sys.argv[2] + \"/traces/again\", \"--gpu\", \"h200\", \"--model\", \"coalesce\", \"--vary\", \"l1.ways=4\", \"--db\", \"x.db\"]))" "$strata" "$data"
