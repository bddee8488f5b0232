# Clusters that the kernel, the grid or the GPU does not allow.
. "$src/tests/golden/hopper/kernels.inc"
grid=32 block=32 cluster='.reqnctapercluster 32, 1, 1'
echo | fails larger-than-a-gpc
grid=6 cluster='.reqnctapercluster 4, 1, 1'
echo | fails no-multiple
cat >pair.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() .reqnctapercluster 16, 1, 1
{
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
PTX
"$strata" trace -q -o k.strata --ptx pair.ptx --grid 16 --block 1024 --shared 200000
"$strata" predict -q k.strata --gpu h200 -f csv | grep -c sm__cycles_elapsed.max
for model in flow sim interval reuse; do
    "$strata" predict -q k.strata --gpu h200 --set sm.count=64 --model $model 2>&1
    echo "$model: $?"
done
