# Blocks of a cluster store into one another's memory and wait for the bytes: the barrier is told of them in the trace too, so that timed
# models end, and what stands in the place of addresses there is no address to `strata check`.
cat >told.ptx <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
.visible .entry told(.param .u64 to) .reqnctapercluster 2, 1, 1
{
    .shared .align 128 .b8 data[256];
    .shared .align 8 .b64 full;
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [to];
    mov.u32 %r2, data; mov.u32 %r3, full;
    mov.u32 %r4, %cluster_ctarank; xor.b32 %r4, %r4, 1;
    shl.b32 %r5, %r1, 3; add.u32 %r5, %r2, %r5;
    st.shared.v2.u32 [%r5], {%r1, %r1};
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra SET;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;
SET:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mapa.shared::cluster.u32 %r6, %r5, %r4;
    mapa.shared::cluster.u32 %r7, %r3, %r4;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], 7, [%r7];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+4], 100, [%r7];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
    @!%p2 bra WAIT;
    ld.shared.v2.u32 {%r8, %r9}, [%r5];
    mov.u32 %r10, %ctaid.x; shl.b32 %r10, %r10, 8; shl.b32 %r11, %r1, 3; add.u32 %r10, %r10, %r11;
    cvt.u64.u32 %d2, %r10; add.u64 %d1, %d1, %d2;
    st.global.v2.u32 [%d1], {%r8, %r9};
    ret;
}
PTX
"$strata" trace -q -o told.strata --ptx told.ptx --grid 4 --block 32 --arg buffer:1024
"$strata" check told.strata
for model in coalesce reuse flow sim; do
    "$strata" predict -q told.strata --gpu h200 --model $model -f csv | grep -E "smsp__inst_executed.sum|l1tex2xbar_write_sectors" | cut -d, -f5,7,8
done
