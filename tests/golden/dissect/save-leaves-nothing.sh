# Raw data for which the disk (here: the limit on file sizes) has no room leaves no folder.
trap "" XFSZ
(ulimit -f 0; $strata dissect --target model:titanv-old --save raw -o /dev/null 2>/dev/null)
echo "exit code $?"
ls
# Nor does Ctrl-C while the folder is written. A shell's background jobs ignore it; this one is told not to.
env --default-signal=INT "$strata" dissect --target model:titanv-old --save raw -o /dev/null &
pid=$!
until ls | grep -q tmp || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -STOP $pid
kill -INT $pid
kill -CONT $pid
wait $pid
echo "exit code $?"
ls
