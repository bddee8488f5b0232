# the example GEMM: a stage more hides the copies behind the products; tensor cycles and copies are counted
for k in gemm_one_stage gemm_two_stages; do
    "$strata" trace -q -o $k.strata --ptx "$src/examples/hopper_gemm.ptx" --kernel $k --grid 2,2 --block 160 --arg buffer:65536=random --arg buffer:65536=random --arg buffer:65536 --arg i32:4 --arg i32:128
    "$strata" predict $k.strata --gpu h200 -f csv -q | grep -E "pipe_tensor.sum|pipe_tensor_cycles_active.sum|pipe_tma|xbar2l1tex_read_sectors|sm__cycles_elapsed.max" | cut -d, -f5,7 >$k.csv
    grep -v elapsed $k.csv
done
cycles() { grep elapsed $1.csv | cut -d, -f2; }
[ "$(cycles gemm_two_stages)" -lt "$(cycles gemm_one_stage)" ] && echo "two stages take less time"
