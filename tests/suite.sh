#!/bin/sh
# The example suite under `strata trace`, as nvcc or clang compiles it:
#
#   suite.sh STRATA nvcc|clang
#
# SUITE=holdout takes the held-out set (device/holdout) instead.
#
# Every test passes its own check on the CPU with one thread and with two, both print the same, and
# the two traces are the same byte for byte. Exit code 77 says that the compiler is not here.
set -eu
strata=$1 how=$2
source=${STRATA_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=$(cd "$(dirname "$strata")/.." && pwd)
fail() { echo "suite.sh: $1" >&2; exit 1; }

case $how in
nvcc) command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || { echo "skipped: there is no nvcc here"; exit 77; } ;;
clang) command -v clang++ >/dev/null || { echo "skipped: there is no clang++ here"; exit 77; } ;;
esac

# Two tests may want the program at once.
name=${SUITE:-suite} tests=kernels
[ "$name" = suite ] || tests=$name
app=$build/suite/$how/$name
mkdir -p "$build/suite/$how"
exec 9>"$app.lock"
flock 9
if [ ! -x "$app" ] || [ -n "$(find "$source/device/$tests" "$source/device/kernels" "$source/device/include" "$source/scripts/strata-clang" -newer "$app" -type f)" ]; then
    STRATA_CUDART_DIR=$build/src/cudart "$source/device/$tests/build.sh" "$how" "$app.new"
    mv "$app.new" "$app"
fi
flock -u 9
[ "${3:-}" != build ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for threads in 1 2; do
    "$strata" trace -q -j $threads -o "$work/$threads.strata" -- "$app" --run all --size small >"$work/$threads.txt" ||
        { grep -v ' ok ' "$work/$threads.txt"; fail "a test failed with $threads thread(s)."; }
done
listed=$("$strata" trace -q --no-record -- "$app" --list | wc -l)
[ "$listed" -ge 36 ] || fail "the suite lists only $listed tests."
[ "$(grep -c ' ok ' "$work/1.txt")" = "$listed" ] || fail "not every one of the $listed tests ran."
cmp "$work/1.txt" "$work/2.txt" || fail "one and two threads print different results."
cmp "$work/1.strata" "$work/2.strata" || fail "one and two threads give different traces."
"$strata" check -q "$work/1.strata" || fail "the trace is not consistent."
tail -n 1 "$work/1.txt"
