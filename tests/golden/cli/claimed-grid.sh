# One block is recorded of a grid that claims 2^31: memory and time follow the block, in every command.
cat >kernel-1.traceg <<'END'
-kernel name = huge
-kernel id = 1
-grid dim = (2147483647,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.5
-accelsim tracer version = 3
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 2
0000 ffffffff 1 R1 LDG.E.SYS 1 R2 4 1 0x7f2000000000 4
0010 ffffffff 0 EXIT 0 0
#END_TB
END
for model in coalesce reuse interval learned flow sim; do
    timeout 20 $strata predict kernel-1.traceg --gpu h200 -m $model -q -o out.txt --memory-limit 400MiB; echo "$model $?"
done
for words in info hotspots\ --gpu\ h200 reuse\ --gpu\ h200 advise\ --gpu\ h200 learn\ profile\ --gpu\ h200\ -o\ out.learn; do
    timeout 20 $strata $words kernel-1.traceg --memory-limit 400MiB >out.txt 2>err.txt; echo "$words $?"
done
