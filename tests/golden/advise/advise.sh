# one finding and its lines, as text, CSV and JSON; nothing is left in the scratch folder
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
"$strata" advise "$data/rod_lud.strata" --gpu h200 -c 1 -q >text || exit 9
head -n 3 text | sed 's/[0-9.][0-9.]* us/T us/'
"$strata" advise "$data/rod_lud.strata" --gpu h200 -c 1 -q -f csv | head -n 2 | cut -d, -f1-3,5-8,11
"$strata" advise "$data/rod_lud.strata" --gpu h200 -c 1 -q -f json | python3 -c '
import json, sys
l = json.load(sys.stdin)["launches"][0]
print(sorted(l), sorted(l["findings"][0]))'
ls tmp
