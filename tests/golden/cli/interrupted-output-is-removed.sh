interrupt() {
    "$strata" "$@" &
    pid=$!
    until ls | grep -q tmp || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill -TERM $pid
    wait $pid
    echo "exit code $?"
    ls
}
interrupt convert "$data/h200.strata" out.strata --level 19 -q
interrupt convert "$data/h200.strata" folder -q
interrupt reuse "$data/h200.strata" --gpu h200 -o out.txt -q
