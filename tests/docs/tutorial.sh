#!/bin/sh
# docs/tutorial.md word for word: every command of its sh boxes, in a folder that looks like the source
# tree after a build; then what the text claims. Arguments: the tool, the source and the build folder.
set -eu
strata=$1 src=$2 build=$3
command -v clang++ >/dev/null 2>&1 || { echo "skipped: there is no clang here to compile CUDA with"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in examples device scripts gpus tests docs; do ln -s "$src/$name" "$scratch/$name"; done
ln -s "$build" "$scratch/build"
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$src/docs/tutorial.md" >"$scratch/commands"
[ "$(grep -c '^strata ' "$scratch/commands")" -ge 10 ] || { echo "the tutorial has lost its commands"; exit 1; }
# a sanitized tool brings its own allocator into the traced programs
case $(ldd "$strata" 2>/dev/null) in *libasan*) export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 ;; esac
(cd "$scratch" && sh -e ./commands >output 2>errors) ||
    { cat "$scratch/output" "$scratch/errors"; echo "tutorial: a command failed"; exit 1; }
fail() { echo "tutorial: $1"; exit 1; }
# Each line of the box with counters is what the commands printed.
awk '/^```$/ { on = !on; next } on && /l1tex__/' "$src/docs/tutorial.md" >"$scratch/claimed"
[ "$(wc -l <"$scratch/claimed")" = 9 ] || fail "the box with counters has changed its length"
while read -r line; do grep -qxF "$line" "$scratch/output" || fail "not printed: $line"; done <"$scratch/claimed"
# The order of the three kernels, on both GPUs.
cycles() { # cycles FILE PROGRAM KERNEL
    python3 - "$@" <<'PY'
import json, sys
launches = json.load(open(sys.argv[1]))["launches"]
print(*[int(l["metrics"]["sm__cycles_elapsed.max"]) for l in launches if l["program"] == sys.argv[2] and sys.argv[3] in l["kernel"]])
PY
}
for gpu in h200 titanv; do
    file=$scratch/tutorial/flow-$gpu.json
    padded=$(cycles "$file" transpose tiled) tile=$(cycles "$file" unpadded tiled) plain=$(cycles "$file" transpose naive)
    echo "tutorial: $gpu: $padded with the column, $tile without, $plain plain"
    [ "$padded" -lt "$tile" ] && [ "$tile" -lt "$plain" ] || fail "the decision does not hold on $gpu"
done
# The table says what the commands predict, within the two per cent that a change of the model may bring.
python3 - "$src/docs/tutorial.md" "$scratch/tutorial" <<'PY' || fail "the table of cycles is out of date"
import json, re, sys
rows = {"tiled, with the extra column": ("transpose", "tiled"), "tiled, without": ("unpadded", "tiled"), "plain": ("transpose", "naive")}
found = bad = 0
for line in open(sys.argv[1]):
    cells = [c.strip() for c in line.strip().strip("|").split("|")]
    if cells[0] not in rows or len(cells) != 3:
        continue
    program, kernel = rows[cells[0]]
    for gpu, told in zip(("h200", "titanv"), cells[1:]):
        launches = json.load(open(f"{sys.argv[2]}/flow-{gpu}.json"))["launches"]
        cycles = [l["metrics"]["sm__cycles_elapsed.max"] for l in launches if l["program"] == program and kernel in l["kernel"]][0]
        found += 1
        if abs(int(re.sub(",", "", told)) / cycles - 1) > 0.02:
            print(f"tutorial: {cells[0]} on {gpu}: {told} is told, {cycles:.0f} predicted")
            bad = 1
sys.exit(bad or found != 6)
PY
grep -q 'few-blocks' "$scratch/output" || fail "advise does not name the small grid of row_sums"
python3 - "$scratch/tutorial" <<'PY' || fail "mending row_sums does not gain what its advice tells"
import json, sys
time = [json.load(open(f"{sys.argv[1]}/{f}.json"))["launches"][-1]["metrics"]["gpu__time_duration.sum"] for f in ("mine", "mended")]
print(f"tutorial: row_sums {time[0] / 1e3:.1f} us, mended {time[1] / 1e3:.2f} us")
sys.exit(not 0.05 < time[1] / time[0] < 0.12)
PY
grep -q 'uncoalesced-store' "$scratch/output" || fail "advise does not name the scattered store"
python3 - "$scratch/tutorial/sweep.json" <<'PY' || fail "a point of the sweep saves the plain kernel, or failed"
import json, sys
points = json.load(open(sys.argv[1]))["points"]
cycles = "sm__cycles_elapsed.max"
sys.exit(not points or any(p["status"] != "done" or p["launches"][0][cycles] < 1.5 * p["launches"][1][cycles] for p in points))
PY
[ -s "$scratch/tutorial/report.html" ] || fail "there is no report"
echo "the tutorial does what it says"
