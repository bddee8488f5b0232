$strata generate stream elements=64 threads=64 -o s.strata -q
$strata predict s.strata --gpu h200 --model flow --set sm.max_registers_per_thread=128 --set dram.tCL=20 --set l2.hit=200 -o out
$strata sweep s.strata --gpu h200 --model reuse --vary l2.mshrs=8,16 --metric dram__sectors_read.sum -o out
$strata predict s.strata --gpu h200 --model flow --set sm.max_registers_per_thread=128 -q -o out
