#!/usr/bin/env python3
"""Writes small Accel-Sim traces for golden cases and examples: loads with known strides."""
import os

here = os.path.dirname(os.path.abspath(__file__))
HEADER = """-kernel name = {name}
-kernel id = {id}
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = 0
-nregs = 24
-binary version = 90
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007e0000000000
-nvbit version = 1.7.7.1
-accelsim tracer version = 3

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]
"""


def launch(folder, id, name, blocks, threads, stride):
    """Each thread loads 4 bytes at `stride` times its number and stores them densely."""
    with open(os.path.join(folder, f"kernel-{id}.traceg"), "w") as f:
        f.write(HEADER.format(name=name, id=id, blocks=blocks, threads=threads))
        for b in range(blocks):
            f.write(f"\n#BEGIN_TB\n\nthread block = {b},0,0\n")
            for w in range(threads // 32):
                first = b * threads + 32 * w
                f.write(f"\nwarp = {w}\ninsts = 5\n")
                f.write("0000 ffffffff 1 R4 S2R 0 0 \n")
                f.write("0010 ffffffff 1 R2 IMAD.WIDE 2 R4 R2 0 \n")
                f.write(f"0020 ffffffff 1 R0 LDG.E 1 R2 4 1 0x{0x7f1000000000 + stride * first:x} {stride} \n")
                f.write(f"0030 ffffffff 0 STG.E 2 R6 R0 4 1 0x{0x7f2000000000 + 4 * first:x} 4 \n")
                f.write("0040 ffffffff 0 EXIT 0 0 \n")
            f.write("\n#END_TB\n")


def program(name, launches):
    folder = os.path.join(here, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.write("MemcpyHtoD,0x00007f1000000000,65536\n")
        for i, (kernel, blocks, threads, stride) in enumerate(launches, 1):
            launch(folder, i, kernel, blocks, threads, stride)
            f.write(f"kernel-{i}.traceg\n")


program("strided", [("_Z5densePKfPf", 2, 64, 4), ("_Z5everyPKfPfi", 2, 64, 16), ("_Z6columnPKfPfi", 2, 32, 512)])
program("again", [("_Z5densePKfPf", 1, 32, 4)])
