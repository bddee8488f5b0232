"""What commands write as JSON is what docs/schemas says: every member there is and every one that is needed.
Arguments: the tool, the source folder and a folder to write in. The part of JSON Schema that the files use is checked here,
more strictly than it asks: a member that a schema does not name is an error, so that schemas cannot lag behind."""
import json
import math
import os
import subprocess
import sys

tool, source, folder = sys.argv[1:4]
KINDS = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list, "null": type(None)}


def is_kind(value, kind):
    return isinstance(value, KINDS[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))


def faults(value, schema, root, at):
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].split("/")[-1]], root, at)
    if "anyOf" in schema:
        tried = [faults(value, s, root, at) for s in schema["anyOf"]]
        return [] if [] in tried else [f"{at}: fits none of {len(tried)} schemas"]
    if "const" in schema:
        return [] if value == schema["const"] else [f"{at}: is {value!r}, not {schema['const']!r}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: is {value!r}, none of {schema['enum']}"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(is_kind(value, k) for k in kinds):
        return [f"{at}: is {type(value).__name__}, not {' or '.join(kinds)}"]
    found = []
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        found += [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in known or others:
                found += faults(member, known.get(name, others), root, f"{at}.{name}")
            else:
                found.append(f"{at}: {name} is not in the schema")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{at}: has {len(value)} items")
        for i, item in enumerate(value):
            found += faults(item, schema["items"], root, f"{at}[{i}]")
    if isinstance(value, (int, float)) and value < schema.get("minimum", value):
        found.append(f"{at}: is below {schema['minimum']}")
    return found


def run(*words):
    done = subprocess.run([tool, *words], stdout=subprocess.PIPE, text=True)
    assert done.returncode in (0, 1), words  # 1: checked, and something was found
    return done.stdout


trace = os.path.join(folder, "schemas.strata")
before, after = os.path.join(folder, "schemas-a.json"), os.path.join(folder, "schemas-b.json")
run("generate", "strided", "stride=128", "blocks=16", "iterations=4", "-q", "-o", trace)
run("predict", trace, "--gpu", "h200", "-q", "-f", "json", "-o", before)
run("predict", trace, "--gpu", "h200", "--set", "l2.size=30MiB", "-q", "-f", "json", "-o", after)
recorded = os.path.join(source, "tests/data/h200.strata")
measured = os.path.join(source, "tests/data/correlate")
joined = ["--measured", os.path.join(measured, "ncu_h200_raw.csv"), os.path.join(measured, "broken-flow.json")]
cubins = os.path.join(source, "tests/data/sass")
profile, raw = os.path.join(folder, "schemas.learn"), os.path.join(folder, "schemas-raw")
run("learn", "profile", trace, "--gpu", "h200", "-q", "-o", profile)
os.makedirs(raw, exist_ok=True)
with open(os.path.join(raw, "manifest.json"), "w") as f:
    json.dump({"schema": "strata.probe/1", "target": "cuda", "series": [{"name": "banks", "file": "banks.csv", "experiment": "shared-conflict", "path": "shared", "parameters": {"element_bytes": 4, "bank_bytes": 4}},
        {"name": "misses", "file": "misses.csv", "experiment": "mshr", "path": "l1", "parameters": {}}]}, f)
with open(os.path.join(raw, "banks.csv"), "w") as f:  # shared memory of 32 banks, two cycles a conflict
    f.write("stride,latency\n" + "".join(f"{s},{30 + 2 * (math.gcd(s, 32) - 1)}\n" for s in range(65)))
with open(os.path.join(raw, "misses.csv"), "w") as f:  # too few to tell anything
    f.write("warps,loads,cycles\n1,1,500\n1,2,500\n")
outputs = {
    "prediction": [open(before).read(), open(after).read(), run("predict", recorded, "--gpu", "h200", "-c", "1", "-m", "reuse", "--variant", "paper", "-q", "-f", "json"),
                   run("predict", recorded, "--gpu", "h200", "-c", "4", "-m", "coalesce", "-q", "-f", "json")],
    "advise": [run("advise", trace, "--gpu", "h200", "-q", "-f", "json")],
    "hotspots": [run("hotspots", trace, "--gpu", "h200", "-q", "-f", "json")],
    "compare": [run("compare", before, after, "-f", "json"), run("compare", before, before, "-f", "json", "--top", "0")],
    "reuse": [run("reuse", trace, "--gpu", "h200", "-q", "-f", "json"), run("reuse", trace, "--gpu", "h200", "--sweep", "-q", "-f", "json")],
    "sweep": [run("sweep", trace, "--gpu", "h200", "-m", "reuse", "--vary", "l1.size=64KiB,128KiB", "--rank", "l1hit", "--each-launch", "-q", "-f", "json")],
    "info": [run("info", trace, "-q", "-f", "json"), run("info", recorded, "-c", "4", "-q", "-f", "json")],
    "metrics": [run("metrics", "-f", "json")],
    "correlation": [run("correlate", *joined, "-f", "json"), run("correlate", *joined, "-f", "json", "--metric", "cycles")],
    "correlation-table": [run("correlate", *joined, "--table", "-f", "json")],
    "correlation-summary": [run("correlate", *joined, "--summary", "-f", "json")],
    "explanation": [run("correlate", *joined, "--explain", name, "-f", "json") for name in ("kernel-3", "kernel-7")],
    "sass": [run("sass", os.path.join(cubins, name), "-f", "json") for name in ("inlined90.cubin", "small75.cubin", "small.fatbin")],
    "learn-evaluation": [run("learn", "evaluate", profile, "-m", "timed", "-f", "json")],
    "learn-rank": [run("learn", "rank", trace, "--gpu", "h200", "-m", "sdcm", "-q", "-f", "json")],
    "dissect": [run("dissect", "--from", raw, "-f", "json")],
    "check": [run("check", recorded, "-k", "regex:[Ss]oftmax", "-q", "-f", "json")],
    "doctor": [run("doctor", "--format", "json")],
    "gpu": [run("gpu", "show", name, "--format", "json") for name in ("h200", "titanv-new", "gtx560ti")],
    "gpus": [run("gpu", "list", "--format", "json")],
    "gpu-diff": [run("gpu", "diff", "h200", "titanv-new", "--format", "json")],
    "gpu-keys": [run("gpu", "keys", "--format", "json")],
    "timeline": [run("timeline", trace, "--gpu", "h200", "-q", "-f", "json"), run("timeline", os.path.join(source, "tests/data/poly_GRAMSCHM.strata"), "--gpu", "h200", "-q", "--sample", "1%", "-f", "json")],
}
schemas = os.path.join(source, "docs/schemas")
assert {f"strata.{name}-1.json" for name in outputs} == set(os.listdir(schemas)), "a schema without a test, or the other way round"
bad = []
for name, texts in outputs.items():
    with open(os.path.join(schemas, f"strata.{name}-1.json")) as f:
        schema = json.load(f)
    for text in texts:
        bad += faults(json.loads(text), schema, schema, name)[:8]
assert {f["value"] is None for f in json.loads(outputs["dissect"][0])["facts"]} == {False, True}, "facts of both kinds"
# the check itself: what is taken away or added is found
broken = json.loads(outputs["advise"][0])
del broken["gpu"]
broken["launches"][0]["id"] = "one"
broken["launches"][0]["more"] = 1
with open(os.path.join(schemas, "strata.advise-1.json")) as f:
    schema = json.load(f)
assert len(faults(broken, schema, schema, "advise")) == 3
assert not bad, "\n".join(bad)
print(f"{sum(len(t) for t in outputs.values())} outputs of {len(outputs)} schemas are as they say")
