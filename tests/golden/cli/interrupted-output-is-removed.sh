# The signal comes while the temporary file is there: the command is stopped as soon as it is seen, so that a busy machine
# cannot let it end in between, and goes on with the signal waiting for it.
interrupt() {
    "$strata" "$@" &
    pid=$!
    until ls | grep -q tmp || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -STOP $pid
    kill -TERM $pid
    kill -CONT $pid
    wait $pid
    echo "exit code $?"
    ls
}
interrupt convert "$data/h200.strata" out.strata --level 19 -q
interrupt convert "$data/h200.strata" folder -q
interrupt reuse "$data/h200.strata" --gpu h200 -o out.txt -q
