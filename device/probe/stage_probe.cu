// stage_probe.cu - which instructions pass the L1's data stage, as the profiler counts its wavefronts.
//
//   ncu --csv --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,... stage_probe
//
// One warp does the kernel's own thing REPEATS times (`nothing`: not at all). What each does more than `nothing`, by
// REPEATS, is the wavefronts of one.
#include <cuda_runtime.h>

#include "check.h"

enum { REPEATS = 16 };

#define KERNEL(name, code)                                                                                             \
    __global__ void name(unsigned *global, unsigned *out)                                                              \
    {                                                                                                                  \
        __shared__ unsigned shared[1024];                                                                              \
        unsigned sum = 0, x = 0, at = (unsigned)__cvta_generic_to_shared(shared);                                      \
        _Pragma("unroll") for (unsigned i = 0; i < REPEATS; i++)                                                       \
        {                                                                                                              \
            code;                                                                                                      \
            sum += x;                                                                                                  \
        }                                                                                                              \
        if (sum == 0x12345677u)                                                                                        \
            out[0] = at;                                                                                               \
    }
#define SPECIAL(name, reg) KERNEL(name, asm volatile("mov.u32 %0, %%" reg ";" : "=r"(x)))
#define PLAIN(name, text) KERNEL(name, asm volatile(text ::: "memory"))

KERNEL(nothing, )
SPECIAL(read_tid_x, "tid.x")
SPECIAL(read_tid_y, "tid.y")
SPECIAL(read_ctaid_x, "ctaid.x")
SPECIAL(read_laneid, "laneid")
SPECIAL(read_lanemask_lt, "lanemask_lt")
SPECIAL(read_lanemask_eq, "lanemask_eq")
SPECIAL(read_warpid, "warpid")
SPECIAL(read_smid, "smid")
SPECIAL(read_clock, "clock")
SPECIAL(read_cluster_rank, "cluster_ctarank")
PLAIN(fence_cta, "membar.cta;")
PLAIN(fence_gl, "membar.gl;")
PLAIN(fence_sys, "membar.sys;")
PLAIN(fence_acq_rel_gpu, "fence.acq_rel.gpu;")
PLAIN(bar_sync, "bar.sync 0;")
PLAIN(bar_arrive, "bar.sync 1, 32;")
PLAIN(bar_warp, "bar.warp.sync 0xffffffff;")
KERNEL(shuffle, asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(x) : "r"(sum + i)))
KERNEL(vote, asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "=r"(x) : "r"(sum + i)))
KERNEL(redux, asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(x) : "r"(sum + i)))
KERNEL(match, asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(x) : "r"(sum + i)))
KERNEL(load_global, asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(global + threadIdx.x) : "memory"))
KERNEL(load_volatile, asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(x) : "l"(global + threadIdx.x) : "memory"))
KERNEL(load_acquire, asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(global + threadIdx.x) : "memory"))
KERNEL(store_global, asm volatile("st.global.u32 [%0], %1;" ::"l"(global + threadIdx.x), "r"(i) : "memory"))
KERNEL(store_release, asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(global + threadIdx.x), "r"(i) : "memory"))
KERNEL(atom_global, asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(global + threadIdx.x) : "memory"))
KERNEL(atom_acq_rel, asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(global + threadIdx.x) : "memory"))
KERNEL(red_global, asm volatile("red.global.add.u32 [%0], 1;" ::"l"(global + threadIdx.x) : "memory"))
KERNEL(load_shared, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at + 4 * threadIdx.x) : "memory"))
KERNEL(store_shared, asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + 4 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_16, asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at + 16 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_16_half, if (threadIdx.x % 2) asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at + 16 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_8_half, if (threadIdx.x % 2) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + 8 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_8_random, if (0x5a3c9641u >> threadIdx.x & 1) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + 8 * threadIdx.x), "r"(i) : "memory"))
KERNEL(load_shared_8_random, if (0x5a3c9641u >> threadIdx.x & 1) asm volatile("{.reg .u32 y; ld.shared.v2.u32 {%0, y}, [%1];}" : "=r"(x) : "r"(at + 8 * threadIdx.x) : "memory"))
KERNEL(store_shared_8_pairs, if (0x30c30c3cu >> threadIdx.x & 1) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + 8 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_8_one, if (threadIdx.x == 5 || threadIdx.x == 21) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + 8 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_8_ends, if (threadIdx.x == 0 || threadIdx.x == 31) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + 8 * threadIdx.x), "r"(i) : "memory"))
KERNEL(store_shared_8_same_bank, if (threadIdx.x == 5 || threadIdx.x == 20) asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at + (threadIdx.x == 5 ? 40 : 168)), "r"(i) : "memory"))
KERNEL(atom_shared, asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(at + 4 * threadIdx.x) : "memory"))
KERNEL(atom_shared_one, asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory"))
KERNEL(prefetch, asm volatile("prefetch.global.L1 [%0];" ::"l"(global + threadIdx.x) : "memory"))
KERNEL(copy_async, asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at + 4 * threadIdx.x), "l"(global + threadIdx.x) : "memory"))

#define RUN(name)                                                                                                      \
    name<<<1, 32>>>(global, out);                                                                                      \
    CK(cudaDeviceSynchronize());

int main()
{
    unsigned *global, *out;
    CK(cudaMalloc(&global, 1 << 20));
    CK(cudaMalloc(&out, 256));
    CK(cudaMemset(global, 0, 1 << 20));
    RUN(nothing) RUN(read_tid_x) RUN(read_tid_y) RUN(read_ctaid_x) RUN(read_laneid) RUN(read_lanemask_lt) RUN(read_lanemask_eq)
    RUN(read_warpid) RUN(read_smid) RUN(read_clock) RUN(read_cluster_rank)
    RUN(fence_cta) RUN(fence_gl) RUN(fence_sys) RUN(fence_acq_rel_gpu) RUN(bar_sync) RUN(bar_arrive) RUN(bar_warp)
    RUN(shuffle) RUN(vote) RUN(redux) RUN(match)
    RUN(load_global) RUN(load_volatile) RUN(load_acquire) RUN(store_global) RUN(store_release) RUN(atom_global) RUN(atom_acq_rel)
    RUN(red_global) RUN(load_shared) RUN(store_shared) RUN(store_shared_16) RUN(store_shared_16_half) RUN(store_shared_8_half)
    RUN(store_shared_8_random) RUN(load_shared_8_random) RUN(store_shared_8_pairs) RUN(store_shared_8_one) RUN(store_shared_8_ends)
    RUN(store_shared_8_same_bank) RUN(atom_shared) RUN(atom_shared_one) RUN(prefetch) RUN(copy_async)
    return 0;
}
