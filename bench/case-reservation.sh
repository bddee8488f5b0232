#!/bin/sh
# Case study of paper 004, figure 14: reservation failures of the L1 per thousand cycles and SM, old and new model.
#   sh bench/case-reservation.sh BUILD [TRACE...]     (default: kernels of `strata generate` and tests/data)
build=${1:-build}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")/.." && pwd)
strata=$build/tools/strata
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ $# -eq 0 ]; then
    generate() { "$strata" generate "$@" -q -o "$out/$1.strata"; }
    generate stream elements=512Ki reads=2
    generate strided stride=64 iterations=8 blocks=160
    generate gather elements=32Ki table=8Mi
    generate stencil2d nx=1024 ny=512
    generate column-copy height=4096 width=16
    generate matmul
    set -- "$out"/*.strata "$src/tests/data/rod_bfs.strata"
fi
for model in old new; do
    "$strata" predict "$@" --gpu titanv-$model --model sim -q --format json -o "$out/$model.json" || exit 1
done
python3 - "$out/old.json" "$out/new.json" <<'END'
import json, sys
old, new = (json.load(open(f))["launches"] for f in sys.argv[1:])
rate = lambda l: 1000.0 * l["detail"]["l1"]["reservation_failures"] / l["metrics"]["sm__cycles_elapsed.max"] / 80
print("%-40s %12s %12s" % ("failures per 1000 cycles of an SM", "old model", "new model"))
for a, b in zip(old, new):
    name = a["program"] if a["program"] == a["trace"] else a["program"] + "/" + a["trace"]
    print("%-40s %12.1f %12.1f" % (name, rate(a), rate(b)))
END
