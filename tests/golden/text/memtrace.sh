# NVBit mem_trace text between other output.
zeros() { i=0; while [ $i -lt 30 ]; do printf ' 0x0000000000000000'; i=$((i + 1)); done; }
record() { echo "MEMTRACE: CTX 0x0000000000000001 - grid_launch_id 0 - CTA $1 - warp $2 - $3 - $4$(zeros) "; }
{
    echo "NVBit banner"
    echo "MEMTRACE: CTX 0x0000000000000001 - LAUNCH - Kernel pc 0x00007f0000000000 - Kernel name add(float*, int)" \
        "- grid launch id 0 - grid size 2,1,1 - block size 64,1,1 - nregs 16 - shmem 0 - cuda stream id 0"
    record 0,0,0 4 LDG.E "0x00007f0000001000 0x00007f0000001004"
    record 1,0,0 9 STG.E.64 "0x00007f0000002000 0x00007f0000003000"
    echo "result 42"
} >m.txt
"$strata" info m.txt
