# What explains a launch comes back from the store.
cp "$data"/correlate/counters.csv .
python3 - "$data" <<END >kinds.json
import json, sys
p = json.load(open(sys.argv[1] + "/correlate/flow.json"))
for l in p["launches"]:
    l["detail"] = {"miss_kinds": {"compulsory": 60, "capacity": 30, "conflict": 10, "latency": 5, "mshr": 0}}
json.dump(p, sys.stdout)
END
"$strata" correlate --measured counters.csv kinds.json --explain stencil/kernel-1 >direct
"$strata" correlate --db s.db --measured counters.csv kinds.json --explain stencil/kernel-1 >stored
cmp direct stored && cat stored
