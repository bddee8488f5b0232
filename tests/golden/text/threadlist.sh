# A thread list: eight threads load two words each, one stores.
{
    echo "blocksize: 4 1 1"
    for t in 0 1 2 3 4 5 6 7; do echo "$t 0 $((4096 + 4 * t)) 4"; done
    for t in 7 6 5 4 3 2 1 0; do echo "$t 0 $((8192 + 8 * t)) 8"; done
    echo "0 1 0 4"
} >list_00.trc
"$strata" info list_00.trc && "$strata" convert -q list_00.trc list.strata && "$strata" info --headers list.strata
