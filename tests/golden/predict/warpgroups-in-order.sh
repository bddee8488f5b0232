# A product of a second warpgroup waits for those of the first that were issued before it, six of 32 cycles (sm.wgmma_queue), not for all 32; with tensor cores of 24 SMs at
# work the SMs' clock falls, with 12 it does not (clock.cu); a fence of shared memory alone waits for no store.
adds() { for i in $(seq "$1"); do echo "mad.lo.s32 %a, %a, 3, 1;"; done; }
products() {
    echo "wgmma.fence.sync.aligned;"
    for i in $(seq "$1"); do
        echo "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$(seq -f '%%f%g' -s, 0 31)}, %d, %d, 1, 1, 1, 0, 0;"
    done
    echo "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
}
head='.version 8.0
.target sm_90a
.address_size 64'
kernel() { # products of the first warpgroup
    echo "$head .visible .entry k(.param .u64 out) { .reg .f32 %f<32>; .reg .b64 %d, %o; .reg .s32 %a, %t; .reg .pred %p;"
    echo "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %a, %tid.x; mov.b64 %d, 0x0000004000010000; setp.lt.s32 %p, %t, 128; @%p bra FIRST;"
    adds 200; products 1; adds 800
    echo "bra END; FIRST:"; products "$1"; echo "END: st.global.u32 [%o], %a; ret; }"
}
fence() { # of stores, then work
    echo "$head .visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .s32 %a; ld.param.u64 %o, [out]; mov.u32 %a, %tid.x;"
    echo "st.global.u32 [%o], %a; $1"; adds 400; echo "st.global.u32 [%o], %a; ret; }"
}
run() { # name, grid, threads
    "$strata" trace -q -o $1.strata --ptx $1.ptx --kernel k --grid $2 --block $3 --shared 16384 --arg buffer:4096
    "$strata" predict -q $1.strata --gpu h200 -f csv >$1.csv || exit 1
    cycles=$(sed -n "s/.*sm__cycles_elapsed.max,cycle,//p" $1.csv | cut -d, -f1)
    ns=$(sed -n "s/.*gpu__time_duration.sum,ns,//p" $1.csv | cut -d, -f1)
}
kernel 1 >one.ptx
kernel 32 >many.ptx
run one 1 256
alone=$cycles
run many 1 256
[ $((cycles - alone)) -gt 160 ] && [ $((cycles - alone)) -lt 240 ] && echo "the second warpgroup waits for six products" || echo "32 products take $((cycles - alone)) cycles more"
for grid in 12 24; do
    run many $grid 256
    echo "$grid SMs: $(echo "$cycles $ns" | awk '{c = $1 / $2 * 1000; print (c > 1979 ? "1980 MHz" : c > 1815 ? "slower" : c)}')"
done
fence "" >none.ptx
fence "fence.proxy.async.shared::cta;" >shared.ptx
fence "fence.acq_rel.gpu;" >gpu.ptx
run none 1 32
none=$cycles
run shared 1 32
[ $((cycles - none)) -lt 20 ] && echo "shared memory's fence waits for no store" || echo "shared memory's fence: $((cycles - none)) cycles more"
run gpu 1 32
[ $((cycles - none)) -gt 100 ] && echo "the GPU's does"
