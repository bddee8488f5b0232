#!/bin/sh
# Runs every golden case: tests/golden/*/NAME.sh is run by sh in an empty scratch folder with
# $strata (the tool), $data (tests/data) and $src (the source folder) set; its standard output,
# standard error and exit code must equal NAME.stdout, NAME.stderr and NAME.exit (missing: nothing is
# printed, standard error is not looked at, and 0). UPDATE=1 rewrites the expectations instead. An argument after the tool
# limits the run to cases whose path contains it.
here=$(cd "$(dirname "$0")" && pwd)
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
only=${2:-}
src=$(cd "$here/../.." && pwd)
data=$src/tests/data
export strata src data
unset NO_COLOR STRATA_GPU_PATH STRATA_GPU
LC_ALL=C
export LC_ALL
passed=0 failed=0
for case in "$here"/*/*.sh; do
    case $case in *"$only"*) ;; *) continue ;; esac
    base=${case%.sh}
    scratch=$(mktemp -d)
    (cd "$scratch" && sh "$case" >"$scratch/.out" 2>"$scratch/.err"; echo $? >"$scratch/.code")
    # Paths of this machine never enter the expectations.
    sed -i -e "s#$src#SRC#g" -e "s#$scratch#SCRATCH#g" -e "s#$strata#strata#g" "$scratch/.out" "$scratch/.err"
    code=$(cat "$scratch/.code")
    if [ -n "${UPDATE:-}" ]; then
        if [ -s "$scratch/.out" ]; then cp "$scratch/.out" "$base.stdout"; else rm -f "$base.stdout"; fi
        if [ -s "$scratch/.err" ]; then cp "$scratch/.err" "$base.stderr"; else rm -f "$base.stderr"; fi
        if [ "$code" != 0 ]; then echo "$code" >"$base.exit"; else rm -f "$base.exit"; fi
    fi
    want=0
    [ -f "$base.exit" ] && want=$(cat "$base.exit")
    ok=1
    [ "$code" = "$want" ] || { echo "exit code $code, expected $want"; ok=0; }
    expected=$base.stdout
    [ -f "$expected" ] || expected=/dev/null
    diff -u "$expected" "$scratch/.out" || ok=0
    if [ -f "$base.stderr" ]; then diff -u "$base.stderr" "$scratch/.err" || ok=0; fi
    if [ $ok = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $base"; fi
    rm -rf "$scratch"
done
echo "golden: $passed passed, $failed failed"
[ $failed = 0 ]
