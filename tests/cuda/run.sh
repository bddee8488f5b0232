#!/bin/sh
# Builds each program of this folder with the C compiler and our headers, runs it under `strata trace`
# and compares what it prints with NAME.expected:
#   run.sh STRATA CC
# UPDATE=1 rewrites the expectations. On a machine with a GPU `run.sh --gpu` builds them with NVIDIA's
# header against its driver and compares with the same files, but not what Strata says besides
# (NAME.said, where it is there); KEEP names a folder for what they print.
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
if [ "$1" = --gpu ]; then
    build() { cc -std=gnu17 -O1 -I/usr/local/cuda/include -o "$2" "$1" -lcuda; }
    run() { "$1"; }
else
    strata=$1 cc=${2:-cc}
    case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
    libraries=${strata%/tools/strata}/src/cuda
    build() { $cc -std=gnu17 -Wall -Wextra -O1 -I"$src/device/include" -o "$2" "$1" "$libraries/libcuda.so.1"; }
    run() { "$strata" trace -q -o "$work/trace.strata" -- "$1"; }
fi
cd "$work" || exit 1
for file in "$here"/*.c; do
    name=$(basename "$file" .c)
    if ! build "$file" "$work/$name" 2>"$work/$name.err"; then
        echo "FAILED $name does not compile"; cat "$work/$name.err"; failed=$((failed + 1)); continue
    fi
    run "$work/$name" >"$work/$name.out" 2>"$work/$name.err"
    code=$?
    [ -n "${KEEP:-}" ] && cp "$work/$name.out" "$KEEP/"
    [ -n "${UPDATE:-}" ] && cp "$work/$name.out" "$here/$name.expected"
    [ -n "${UPDATE:-}" ] && [ -f "$here/$name.said" ] && cp "$work/$name.err" "$here/$name.said"
    # a kernel that fails is the point of one program: `strata trace` returns 3 then
    if [ $code != 0 ] && ! { [ $name = fault ] && [ $code = 3 ]; }; then
        echo "FAILED $name ends with $code"; tail -n 3 "$work/$name.out" "$work/$name.err"; failed=$((failed + 1))
    elif ! diff "$here/$name.expected" "$work/$name.out" >"$work/$name.diff"; then
        echo "FAILED $name prints something else"; cat "$work/$name.diff"; failed=$((failed + 1))
    elif [ -n "${strata:-}" ] && [ -f "$here/$name.said" ] && ! diff "$here/$name.said" "$work/$name.err" >"$work/$name.diff"; then
        echo "FAILED $name says something else"; cat "$work/$name.diff"; failed=$((failed + 1))
    else passed=$((passed + 1)); fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
