mkdir trace
cat >trace/kernelslist.g <<'LIST'
kernel-1.traceg
LIST
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
insts = 3
0000 ffffffff 1 R1 LDC 0 0
0010 ffffffff 1 R9 IMAD.WIDE 0 0
0020 ffffffff 1 R2 LDC.64 0 0

#END_TB
TRACE
"$strata" convert -q trace --cubin "$data/sass/small90.cubin" with.strata
code=$?
ls
exit $code
