# A small L2 without a limit of MSHRs in front of a slow DRAM: lines that left while data for them is under way are found
# at once. It takes 0.7 s of processor time, and did not end in six while they were searched one by one.
$strata generate gather elements=32768 table=1048576 iterations=4 -q -o g.strata
(ulimit -t 4; $strata predict g.strata --gpu titanv-new -m sim -q -j1 --set l2.slices=2 --set dram.channels=1 --set l2.mshrs=0 --set l2.size=96KiB \
    --set dram.clock=100 -o out.txt) && echo "in time"
