# A thread list as an Accel-Sim folder.
mkdir app && cd app || exit 1
{
    echo "blocksize: 4 1 1"
    for t in 0 1 2 3; do echo "$t 0 $((4096 + 4 * t)) 4"; done
    for t in 0 1 2 3; do echo "$t 1 $((8192 + 8 * t * t)) 8"; done
} >list_00.trc
"$strata" convert -q list_00.trc folder && xz -dc folder/kernel-1.traceg.xz
