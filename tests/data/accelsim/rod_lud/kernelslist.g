MemcpyHtoD,0x00007f4d01e00000,1048576
kernel-1.traceg.xz
