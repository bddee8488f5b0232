"""Prints every row of every table of a sweep's database, in the order of the tables' keys."""
import sqlite3, sys

db = sqlite3.connect(sys.argv[1])
tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
for table in tables:
    for row in db.execute(f"SELECT * FROM {table}"):
        print(table, *[repr(v) for v in row])
