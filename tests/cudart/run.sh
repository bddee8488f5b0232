#!/bin/sh
# Builds the test programs of this folder with one compiler and runs them under `strata trace`:
#   run.sh STRATA clang|nvcc
# Each program checks itself. The trace must be legal, and the same with one and with two threads.
# Without the compiler: exit code 77 (skipped).
strata=$1 compiler=$2
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
STRATA_CUDART_DIR=${strata%/tools/strata}/src/cudart
export STRATA_CUDART_DIR
LC_ALL=C
export LC_ALL
# A runtime built with AddressSanitizer is loaded after the program's own libraries.
if ldd "$STRATA_CUDART_DIR/libcudart.so.12" | grep -q libasan; then
    export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
fail() { echo "FAILED $1"; failed=$((failed + 1)); }
pass() { passed=$((passed + 1)); }

case $compiler in
clang)
    command -v clang++ >/dev/null 2>&1 || { echo "skipped: there is no clang++ here"; exit 77; }
    build() { out=$1; shift; "$src/scripts/strata-clang" -o "$out" "$@"; }
    ;;
nvcc)
    command -v nvcc >/dev/null 2>&1 || { echo "skipped: there is no nvcc here"; exit 77; }
    build() { out=$1; shift; nvcc -cudart shared -Wno-deprecated-gpu-targets -o "$out" "$@"; }
    ;;
esac

# run NAME ARGUMENTS...: runs, expects success, compares the traces of one and two threads
run() {
    name=$1
    shift
    if ! "$strata" trace -q -j 1 -o "$name.1.strata" -- "./$name" "$@" >"$name.1.out" 2>"$name.1.err"; then
        fail "$name $*"; cat "$name.1.out" "$name.1.err"; return
    fi
    "$strata" trace -q -j 2 -o "$name.2.strata" -- "./$name" "$@" >"$name.2.out" 2>"$name.2.err"
    cmp -s "$name.1.out" "$name.2.out" || fail "$name: two threads print something else"
    cmp -s "$name.1.strata" "$name.2.strata" || fail "$name: two threads make another trace"
    "$strata" check "$name.1.strata" >"$name.check" 2>&1 || { fail "$name: strata check"; cat "$name.check"; }
    pass
}
# expect NAME EXIT WORDS ARGUMENTS...: a run that must end so and say so
expect() {
    name=$1 want=$2 words=$3
    shift 3
    "$strata" trace -o "$name.x.strata" "$@" >"$name.x.out" 2>"$name.x.err"
    code=$?
    if [ $code = "$want" ] && grep -q -- "$words" "$name.x.err"; then pass
    else fail "$name $*: exit $code, expected $want and \"$words\""; cat "$name.x.out" "$name.x.err"; fi
}
has() { grep -q -- "$2" "$1" || { fail "$1 lacks \"$2\""; cat "$1"; }; }

for program in memory launch streams texture warp math modern; do
    build $program "$here/$program.cu" || { fail "$program does not compile"; continue; }
    run $program
done
has warp.1.out "lane 5 saw 5, 1.25 text"
build mixed "$here/mixed.cpp" "$here/mixed_kernel.cu" && run mixed || fail "mixed does not compile"
build units "$here/units_a.cu" "$here/units_b.cu" && run units || fail "units does not compile"
has units.1.out "a kernel in a destructor made 181"
build vecadd "$src/examples/vecadd.cu" && run vecadd 5000 || fail "vecadd does not compile"

build faults "$here/faults.cu" || fail "faults does not compile"
for kind in bounds assert past freed reset; do
    expect faults 3 "a kernel failed: PTX of faults" --memcheck -- ./faults $kind
    has faults.x.out "0 failed"
    "$strata" info faults.x.strata >faults.info 2>&1
    has faults.info "FAILED after"
    "$strata" predict faults.x.strata --gpu h200 >faults.predict 2>&1 && fail "a failed kernel is predicted"
    has faults.predict "failed when it was traced"
done
expect faults 0 "warning: kernel .* loaded 16 times from addresses just outside" -- ./faults near
expect faults 3 "a kernel failed: PTX of faults" --memcheck -- ./faults near checked
has faults.x.out "0 failed"
expect faults 3 "warning: kernel .* stored 22 times outside of an allocation but in its page" -- ./faults page
has faults.x.out "0 failed"
expect faults 0 "which no malloc() of a kernel gave" -- ./faults free
expect faults 3 "instruction" --instruction-limit 100000 -- ./faults endless
expect faults 0 "runs past the end of its allocation" -- ./faults copy
has faults.x.err "launched no kernel, so nothing was traced"
has faults.x.err "not device memory"
has faults.x.err "freed before"
expect faults 134 "stopped by signal 6" -- ./faults crash
has faults.x.err "holds the launches that had ended by then"
expect faults 0 "1 launch seen, 1 traced" -- ./faults exit
ls | grep -q "part" && fail "temporary files were left behind"
[ -f faults.x.strata ] && rm -f faults.x.strata

expect vecadd 0 "1 launch seen, 1 traced, 100.0 %" -- ./vecadd 2000
expect memory 0 "4 launches seen, 2 traced" --kernel-name twice --launch-skip 1 -- ./memory
expect memory 0 "4 launches seen, 1 traced" --kernel-name regex:^add --launch-count 1 -- ./memory
expect memory 0 "2 launches seen, 2 traced" --launch-count 2 --kill -- ./memory
has memory.x.err "the program was ended (--kill)"
rm -f memory.x.strata
expect memory 3 "none of the 4 launches passed" --kernel-name nothing -- ./memory
[ -f memory.x.strata ] && fail "a trace without launches was kept"
build nvtx "$here/nvtx.cu" -ldl && run nvtx || fail "nvtx does not compile"
expect nvtx 0 "5 launches seen, 2 traced" --nvtx-include step -- ./nvtx
expect nvtx 0 "5 launches seen, 1 traced" --nvtx-include inner/ -- ./nvtx
expect nvtx 0 "5 launches seen, 1 traced" --nvtx-include phase -- ./nvtx
expect nvtx 0 "5 launches seen, 1 traced" --nvtx-include step --launch-skip 1 -- ./nvtx
expect nvtx 3 "none of the 5 launches passed" --nvtx-include phase/ -- ./nvtx
expect math 0 "reached its limit" --limit 20000 -- ./math
expect vecadd 0 "100.0\|25.0 %" --sample-blocks 2 -- ./vecadd 2000

if [ "$compiler" = clang ]; then
    # the CUDA 11 stand-in, and a program that runs outside strata trace
    "$src/scripts/strata-clang" -c -o vecadd.o "$src/examples/vecadd.cu"
    clang++ -o vecadd11 vecadd.o -L"$STRATA_CUDART_DIR" -l:libcudart.so.11.0 -Wl,-rpath,"$STRATA_CUDART_DIR" &&
        run vecadd11 300 || fail "vecadd11"
    ./vecadd 400 >plain.out 2>&1 || fail "vecadd outside strata trace"
    has plain.out "400 elements, 0 wrong"
else
    . "$here/nvcc.sh"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
