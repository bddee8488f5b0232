# Raw data for which the disk (here: the limit on file sizes) has no room leaves no folder.
trap "" XFSZ
(ulimit -f 0; $strata dissect --target model:titanv-old --save raw -o /dev/null 2>/dev/null)
echo "exit code $?"
ls
# Nor does Ctrl-C while the folder is written. A shell's background jobs ignore it; this one is told not to.
# One that is done before it could be stopped is tried again.
for try in 1 2 3 4 5 6 7 8 9; do
    env --default-signal=INT "$strata" dissect --target model:titanv-old --save raw -o /dev/null &
    pid=$!
    until ls | grep -q tmp || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -STOP $pid
    sleep 0.05
    ls | grep -q tmp && break
    kill -KILL $pid
    wait $pid 2>/dev/null
    rm -rf raw
done 2>/dev/null
kill -INT $pid
kill -CONT $pid
wait $pid
echo "exit code $?"
ls
