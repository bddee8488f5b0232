#!/bin/sh
# Programs that fork, close descriptors, change their folder, are ended by signals or start others,
# under `strata trace`: each process has one sound trace, and the program's files stay its own.
#   run.sh STRATA
. "$(dirname "$0")/../scratch.sh"
failed=0
fail() { echo "FAILED $1"; failed=$((failed + 1)); }
cc -std=gnu17 -O1 -I"$src/device/include" -o app "$here/misbehave.c" "$libraries/libcuda.so.1" -lpthread || exit 1
# launches FILE: how many a sound trace holds
launches() { "$strata" check "$1" >check.out 2>&1 || { fail "$1 is not sound"; cat check.out; }; "$strata" info --format json "$1" | grep -c '"kernel"'; }
# try WHAT LAUNCHES [LAUNCHES of the second process]
try() {
    rm -f a.strata a-2.strata
    timeout 60 "$strata" trace -o a.strata -- ./app "$1" >out.txt 2>err.txt || { fail "$1: exit $?"; cat out.txt err.txt; }
    [ "$(launches a.strata)" = "$2" ] || { fail "$1: $(launches a.strata) launches, not $2"; cat err.txt; }
    if [ -n "${3:-}" ]; then [ "$(launches a-2.strata)" = "$3" ] || fail "$1: the second trace"
    elif [ -e a-2.strata ]; then fail "$1: a second trace"; fi
    for left in *.tmp.*; do [ -e "$left" ] && fail "$1: $left is left"; done
}
try threads 21
try fork-after 2
grep -q CUDA_ERROR_NOT_INITIALIZED out.txt || fail "a forked child has no GPU"
try fork-before 1 2
try close 101
grep -q "length = 0" out.txt || { fail "the program's own file was written to"; cat out.txt; }
try chdir 1
try last-thread 2
try main-thread-last 2
# each program that a process becomes has its own trace; one that was killed or left in a hurry keeps what had ended
rm -f a*.strata
"$strata" trace -o a.strata -- ./app exec 2 >out.txt 2>err.txt || { fail "exec: exit $?"; cat err.txt; }
[ "$(launches a.strata)$(launches a-2.strata)$(launches a-3.strata)" = 221 ] || { fail "a program that executes itself"; cat err.txt; }
grep -q "5 launches seen, 5 traced" err.txt || { fail "exec: the count of launches"; cat err.txt; }
for end in _exit=5 kill=137; do
    rm -f a*.strata
    "$strata" trace -o a.strata -- ./app ${end%=*} >out.txt 2>err.txt
    [ $? = ${end#*=} ] && [ "$(launches a.strata)" = 1 ] || { fail "${end%=*} loses the trace"; cat err.txt; }
done
rm -f a*.strata
# ended by a signal: what was recorded is kept, also if a kernel would never end (nohup's ignored SIGHUP is inherited: env undoes it)
for case in TERM:wait HUP:wait INT:wait TERM:hang; do
    signal=${case%:*}
    rm -f b.strata ready.txt
    env --default-signal=HUP,INT,TERM "$strata" trace -o b.strata -- ./app ${case#*:} >ready.txt 2>err.txt &
    pid=$!
    i=0
    while ! grep -q ready ready.txt 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
    app=$(pgrep -P $pid app)
    if [ $signal = INT ]; then kill -INT "$app"; else kill -$signal $pid; fi
    i=0
    while kill -0 "$app" 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
    kill -9 "$app" 2>/dev/null && fail "SIG$signal: no end after 10 s"
    wait $pid
    [ -f b.strata ] && [ "$(launches b.strata)" = 1 ] || { fail "SIG$signal loses the trace"; cat err.txt; }
    grep -q "was interrupted" err.txt || fail "SIG$signal: nothing is said"
done
# a signal that reaches the program by itself and handed on, in either order or to the whole group, is one: the launch that runs is kept;
# twice from the same side it ends the program at once
for case in group:TERM:long group:HUP:long app,strata:TERM:long strata,app:HUP:long app,app:TERM:hang app,app:INT:hang strata,strata:TERM:hang; do
    to=${case%%:*} what=${case##*:} signal=${case#*:}
    signal=${signal%:*}
    rm -f b.strata ready.txt
    setsid env --default-signal=HUP,INT,TERM "$strata" trace -j 1 -o b.strata -- ./app $what >ready.txt 2>err.txt &
    pid=$!
    i=0
    while ! grep -q ready ready.txt 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
    sleep 0.5
    app=$(pgrep -P $pid app)
    case $to in
    group) kill -$signal -$pid ;;
    app,*) kill -$signal "$app" ;;
    strata,*) kill -$signal $pid ;;
    esac
    [ $what = hang ] && sleep 0.2
    case $to in
    *,app) kill -$signal "$app" 2>/dev/null ;;
    *,strata) kill -$signal $pid 2>/dev/null ;;
    esac
    wait $pid
    want=2 words="was interrupted"
    [ $what = hang ] && want=1 words="stopped by signal"
    [ "$(launches b.strata)" = $want ] || { fail "SIG$signal to $to: not $want launches are kept"; cat err.txt; }
    grep -q "$words" err.txt || { fail "SIG$signal to $to: not told as it is"; cat err.txt; }
done
# a limit that leaves no room is what is named, not the filters
"$strata" trace --limit 1 -o c.strata -- ./app chdir >out.txt 2>err.txt && fail "--limit 1 is told as done"
grep -q "reached its limit of 1 bytes" err.txt || { fail "--limit 1 is blamed on something else"; cat err.txt; }
# a script that starts the program, with another search path and all descriptors closed
cat >start.sh <<'END'
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-
./app chdir && ./app chdir
END
rm -f a.strata a-2.strata
"$strata" trace -o a.strata -- sh start.sh >out.txt 2>err.txt || { fail "script"; cat err.txt; }
[ "$(launches a.strata)" = 1 ] && [ "$(launches a-2.strata)" = 1 ] || fail "two programs of a script"
# libraries by path, as wheels load them
if command -v python3 >/dev/null; then
    cat >paths.py <<'END'
import ctypes
nvml = ctypes.CDLL("libnvidia-ml.so.1")
count, handle, name = ctypes.c_uint(), ctypes.c_void_p(), ctypes.create_string_buffer(64)
assert nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 1  # not initialised
assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0 and count.value == 1
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) == 0
assert nvml.nvmlDeviceGetName(handle, name, 64) == 0 and b"H200" in name.value
assert nvml.nvmlDeviceGetName(handle, name, 3) == 7 and nvml.nvmlDeviceGetTemperature(handle) == 3
cuda, n = ctypes.CDLL("/no/such/folder/libcuda.so.1"), ctypes.c_int()
assert cuda.cuDeviceGetCount(ctypes.byref(n)) == 0 and n.value == 1
runtime = ctypes.CDLL("/no/such/folder/libcudart.so.12")
assert runtime.cudaGetDeviceCount(ctypes.byref(n)) == 0 and n.value == 1
print("found", n.value)
END
    "$strata" trace -o d.strata -- python3 paths.py >out.txt 2>err.txt && grep -q "found 1" out.txt || { fail "by path"; cat out.txt err.txt; }
fi
# no launch: the program's own code, and no trace
"$strata" trace -o c.strata -- ./app init 2>err.txt || fail "init"
grep -q "launched no kernel, so nothing was traced" err.txt || fail "nothing is said of no launch"
[ -e c.strata ] && fail "an empty trace was kept"
# configurations of a program: loads that lie close together are faster, and both models say so
cc -std=gnu17 -O1 -I"$src/device/include" -o tunable "$here/tunable.c" "$libraries/libcuda.so.1" || exit 1
"$strata" tune --vary STRIDE=128,4,32 -- ./tunable {STRIDE} >tune.txt 2>err.txt || { fail tune; cat err.txt; }
[ "$(sed -n 's/.* us  STRIDE=//p' tune.txt | tr '\n' ' ')" = "4 32 128 " ] && grep -q "both name the same best" tune.txt ||
    { fail "tune ranks otherwise"; cat tune.txt; }
"$strata" tune --vary STRIDE=4,999999 -- ./tunable {STRIDE} >tune.txt 2>err.txt && fail "tune with a failing program"
grep -q "every configuration has to run" err.txt || { fail "tune says nothing of a failing program"; cat err.txt; }
echo "$failed failed"
[ $failed = 0 ]
