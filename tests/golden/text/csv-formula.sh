# A name that a spreadsheet would calculate is text, whichever of the four signs it begins with.
mkdir t
for sign in = + - @; do
    echo "kernel-$sign.traceg" >>t/kernelslist.g
    printf -- '-kernel name = %s1+1\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n-nvbit version = 1\n-accelsim tracer version = 5\n\n#traces format = x\n\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n#END_TB\n' $sign >t/kernel-$sign.traceg
done
$strata predict t --gpu h200 -m coalesce -f csv -q | grep grid_size
$strata info t -f csv -q | grep -c ',[=+@-]1' || true
