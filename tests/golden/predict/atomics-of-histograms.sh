# lanes on one word of shared memory share its pass, in the default model too; a reduction counts the sectors of its lanes' words
t() { "$strata" trace --ptx "$data/ptx/broken.ptx" --kernel "$1" --grid 64 --block 256 --arg buffer:64KiB=random --arg buffer:64KiB=zero -q -o "$1.strata"; }
t histogram_global && t histogram_shared || exit 9
for model in flow coalesce; do
    "$strata" predict histogram_global.strata histogram_shared.strata --gpu h200 -m $model -q -f csv | cut -d, -f4,5,7,8 | grep -E 'bank_conflicts_pipe_lsu_mem_shared.sum|op_red.sum'
done
