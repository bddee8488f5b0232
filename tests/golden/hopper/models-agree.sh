# coalesce, reuse, flow and sim agree on what needs no clock: instructions, copies, products, what crosses to and from the SMs, DRAM reads of a
# cold start. A product by bulk copies and warpgroups, and a cluster of two that multicasts, stores, reduces and arrives at each other's barriers.
cat >pair.ptx <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
.visible .entry pair(.param .u64 from, .param .u64 to) .reqnctapercluster 2, 1, 1
{
    .shared .align 128 .b8 tile[2048];
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 mates;
    .reg .pred %p<4>;
    .reg .b32 %r<9>;
    .reg .b64 %d<9>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    ld.param.u64 %d1, [from];
    ld.param.u64 %d2, [to];
    mov.u32 %r2, tile; mov.u32 %r3, full; mov.u32 %r4, mates;
    mov.u32 %r5, %cluster_ctarank;
    mov.u32 %r8, %ctaid.x;
    mul.wide.u32 %d3, %r8, 1024;
    add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
    @%p1 bra SET;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.init.shared::cta.b64 [%r4], 2;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 2048;
SET:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    @%p1 bra WAIT;
    shl.b32 %r6, %r5, 10; add.u32 %r6, %r2, %r6;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%d1], 1024, [%r3], 3;
    mapa.shared::cluster.u32 %r7, %r4, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
    mapa.shared::cluster.u32 %r7, %r4, 1;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
    @!%p2 bra WAIT;
MATES:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
    @!%p2 bra MATES;
    @%p1 bra END;
    cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r2], 1024;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2+65536], [%r2], 512;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
END:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
PTX
"$strata" trace -q -o pair.strata --ptx pair.ptx --grid 6 --block 64 --arg buffer:8192 --arg buffer:131072
"$strata" trace -q -o gemm.strata --ptx "$src/examples/hopper_gemm.ptx" --kernel gemm_two_stages --grid 2,2 --block 160 --arg buffer:65536=random --arg buffer:65536=random --arg buffer:65536 --arg i32:4 --arg i32:128
for trace in pair gemm; do
    for model in coalesce reuse flow sim; do
        "$strata" predict $trace.strata --gpu h200 --model $model -f csv 2>>told |
            grep -E "smsp__inst_executed.sum|pipe_tensor.sum|pipe_tma.sum|xbar2l1tex_read_sectors|l1tex2xbar_write_sectors|dram__sectors_read.sum" | cut -d, -f5,7,8
    done | sort | awk -F, -v trace=$trace '
        $1 != metric { metric = $1; value = $2; print trace, metric, value }
        $2 != value { print "  but " $3 ": " $2 }'
done
grep "does not follow" told
true
