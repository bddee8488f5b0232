# Launches in clusters say so in every format; others do not.
cat >cluster.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry pair() .reqnctapercluster 2, 1, 1
{
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
.visible .entry alone() { ret; }
PTX
for kernel in pair alone; do
    "$strata" trace -q -o $kernel.strata --ptx cluster.ptx --kernel $kernel --grid 4 --block 64
    "$strata" info $kernel.strata | grep shape
    "$strata" info $kernel.strata -f csv | grep cluster_ | cut -d, -f5-
    "$strata" info $kernel.strata -f json | grep -o '"cluster": \[[^]]*\]'
done
true
