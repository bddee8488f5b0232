# The four warps of a warpgroup multiply together: the first frees the stage of a pipeline, the last has much to do between two products, and
# the producer may fill the stage again only when all four have multiplied. Told apart, the first runs ahead by two phases of the barrier, and
# the last waits for a phase that has passed.
cat >group.ptx <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
.visible .entry group(.param .u64 from)
{
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    .reg .pred %p<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<4>;
    .reg .b64 %d<9>;
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    ld.param.u64 %d1, [from];
    mov.u32 %r3, full; mov.u32 %r4, empty;
    mov.u32 %r5, 0;
    mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
    mov.u32 %r6, tile;
    shr.u32 %r6, %r6, 4;
    cvt.u64.u32 %d2, %r6;
    or.b64 %d2, %d2, 0x0000000800080000;
    setp.ne.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r1, 128;
    setp.gt.u32 %p3, %r1, 127;
    setp.ne.u32 %p4, %r2, 3;
    @%p1 bra SET;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.init.shared::cta.b64 [%r4], 1;
SET:
    bar.sync 0;
    @%p3 bra PRODUCER;
STEP:
    and.b32 %r7, %r5, 1;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r3], %r7;
    @!%p5 bra WAIT;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d2, %d2, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    @%p1 bra SLOW;
    mbarrier.arrive.shared::cta.b64 _, [%r4];
SLOW:
    @%p4 bra NEXT;
    mul.wide.u32 %d4, %r5, 4096;
    add.u64 %d4, %d1, %d4;
    ld.global.cv.u64 %d5, [%d4];
    add.u64 %d4, %d4, %d5;
    ld.global.cv.u64 %d5, [%d4+1024];
    add.u64 %d4, %d4, %d5;
    ld.global.cv.u64 %d5, [%d4+2048];
    add.u64 %d1, %d1, %d5;
NEXT:
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p6, %r5, 8;
    @%p6 bra STEP;
    ret;
PRODUCER:
    @!%p2 bra END;
FILL:
    and.b32 %r7, %r5, 1;
    xor.b32 %r7, %r7, 1;
ROOM:
    mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r4], %r7;
    @!%p5 bra ROOM;
    mbarrier.arrive.shared::cta.b64 _, [%r3];
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p6, %r5, 8;
    @%p6 bra FILL;
END:
    ret;
}
PTX
"$strata" trace -q -o group.strata --ptx group.ptx --grid 1 --block 160 --arg buffer:65536
for model in flow sim; do
    "$strata" predict -q group.strata --gpu h200 --model $model -f csv | grep -E "pipe_tensor.sum" | cut -d, -f5,7,8
done
