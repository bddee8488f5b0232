# One warp of a small kernel, as a trace without control codes and with those of its binary: the models wait
# for registers in the first, for stall counts and barriers in the second.
mkdir trace
echo kernel-1.traceg >trace/kernelslist.g
cat >trace/kernel-1.traceg <<'TRACE'
-kernel name = small
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 256
-nregs = 12
-binary version = 90
-cuda stream id = 0
-shmem base_addr = 0x00007f4e00000000
-local mem base_addr = 0x00007f4d2d000000
-nvbit version = 1.7.7.1
-accelsim tracer version = 3

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 12
0000 ffffffff 1 R1 LDC 0 0
0010 ffffffff 1 R9 S2R 0 0
0020 ffffffff 1 R2 LDC.64 0 0
0040 ffffffff 1 R2 IMAD.WIDE 2 R9 R2 0
0050 ffffffff 1 R5 LDG.E 1 R2 4 1 0x7f0000000000 4
0060 ffffffff 1 R0 IMAD.SHL.U32 1 R9 0
00c0 ffffffff 1 R4 LDC 1 R6 0
00f0 ffffffff 1 R4 FMUL 2 R4 R5 0
0100 ffffffff 0 STS 2 R7 R4 4 1 0x7f4e00000000 4
0110 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0
0160 ffffffff 0 STG.E 2 R2 R5 4 1 0x7f0000000000 4
0170 ffffffff 0 EXIT 0 0

#END_TB
TRACE
"$strata" convert -q trace without.strata
"$strata" convert -q trace --cubin "$data/sass/small90.cubin" with.strata
for model in flow sim interval; do
    for t in without with; do
        "$strata" predict -q $t.strata --gpu h200 --model $model -f csv >$t.csv || exit 1
        echo "$model $t: $(grep -E "sm__cycles_elapsed.max|stalled_(wait|long|short)" $t.csv | sed "s/.*\(sm[a-z_]*.*\)/\1/" | tr "\n" " ")"
    done
done
