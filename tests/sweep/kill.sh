#!/bin/sh
# A sweep that is killed again and again ends with the rows of one that is not, and so does one shared by
# two processes under mpirun.
# Arguments: the tool, "small" (60 points, 4 kills) or "full" (1,000 points, 10 kills).
strata=$(realpath "$1")
size=${2:-small}
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if [ "$size" = full ]; then
    points=1000 kills=10
    axes="l1.size=16KiB..256KiB*2 l1.ways=2,4,8,16,5 l1.mshrs=16..128*2 reuse.miss=50..500+50"
else
    points=60 kills=4
    axes="l1.size=16KiB,64KiB,256KiB l1.ways=2,4,8,16,5 l1.mshrs=16,32,64,128"
fi
# Three launches; ways of 5 do not divide any of the sizes, so a fifth of the points fails.
sweep() {
    "$@" "$strata" sweep "$data/rod_bfs.strata" "$data/poly_GRAMSCHM.strata" -k 'regex:Kernel|gramschmidt_kernel2' --gpu h200 \
        --model reuse --vary $axes --rank l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct --top 1 -q --db "$db" >"$work/out" 2>"$work/err"
}
fail() {
    echo "sweep: $1"
    cat "$work/err"
    exit 1
}
count() { python3 -c "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])" "$1" "$2"; }

db=$work/whole.db
started=$(date +%s%N)
sweep || fail "the undisturbed sweep failed"
took_ms=$((($(date +%s%N) - started) / 1000000))
python3 "$here/rows.py" "$db" >"$work/whole.rows" || exit 1
[ "$(count "$db" "SELECT count(*) FROM result")" = "$points" ] || fail "the undisturbed sweep has not $points results"

# Kills at random moments of what an undisturbed run takes, so that some come before the first result and
# some after many.
db=$work/killed.db
killed=0 seed=$$ longest_ms=$((took_ms / kills))
while [ $killed -lt $kills ]; do
    "$strata" sweep "$data/rod_bfs.strata" "$data/poly_GRAMSCHM.strata" -k 'regex:Kernel|gramschmidt_kernel2' --gpu h200 \
        --model reuse --vary $axes -q --db "$db" >/dev/null 2>"$work/err" &
    pid=$!
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    ms=$((20 + seed / 1000 % (longest_ms + 1)))
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    if ! kill -9 $pid 2>/dev/null; then # it was faster than the first one: again, with earlier kills
        wait $pid || fail "the sweep failed by itself"
        longest_ms=$((longest_ms / 2)) killed=0
        [ $longest_ms -gt 0 ] || fail "the sweep ends before it can be killed $kills times"
        rm -f "$db"*
        continue
    fi
    wait $pid 2>/dev/null
    killed=$((killed + 1))
    [ -f "$db" ] && echo "killed after $ms ms: $(count "$db" "SELECT count(*) FROM sqlite_master WHERE name = 'result'" 2>/dev/null |
        grep -q 1 && count "$db" "SELECT count(*) FROM result") results"
done
sweep || fail "the last run failed"
python3 "$here/rows.py" "$db" >"$work/killed.rows" || exit 1
cmp "$work/whole.rows" "$work/killed.rows" || fail "the killed sweep has other rows than the undisturbed one"
failed=$(count "$db" "SELECT count(*) FROM result WHERE status = 'failed'")
echo "$points points, killed $kills times: $(count "$db" "SELECT count(*) FROM result") results ($failed failed points with their reasons), all rows equal"
[ "$failed" -gt 0 ] || fail "no point failed, but those with 5 ways must"

# A second time nothing is left to do.
sweep || fail "the finished sweep failed"
python3 "$here/rows.py" "$db" | cmp - "$work/whole.rows" || fail "a run with nothing to do changed rows"

# As root, and with fewer cores than processes, Open MPI wants to be asked twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ -f "$(dirname "$strata")/../src/explore/mpi/strata-mpi.so" ] && command -v mpirun >/dev/null; then
    counts="2 3"
    [ "$size" = full ] && counts=2
    for n in $counts; do
        db=$work/mpi$n.db
        sweep mpirun -np $n --oversubscribe || fail "the sweep under mpirun -np $n failed"
        python3 "$here/rows.py" "$db" | cmp - "$work/whole.rows" || fail "under mpirun -np $n the database has other rows"
        [ "$(grep -c 'points' "$work/out")" = 1 ] || fail "under mpirun -np $n the results were printed more than once"
        echo "mpirun -np $n: all rows equal"
    done
else
    echo "skipped: mpirun (openmpi-bin and libopenmpi-dev are not there)"
fi
