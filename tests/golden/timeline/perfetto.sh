# A file for Perfetto is complete JSON and ends when the program does.
"$strata" timeline "$data/poly_GRAMSCHM.strata" --gpu h200 -q --format perfetto -o t.json
python3 - <<'P'
import json
t = json.load(open("t.json"))
spans = [e for e in t["traceEvents"] if e["ph"] == "X"]
end = max(e["ts"] + e["dur"] for e in spans)
print(len(spans), "spans, ends with the program:", abs(end - float(t["otherData"]["time_us"])) < 0.01)
P
