// pipe_probe.cu - latency and issue rate of every class of instruction on one SM.
//
//   pipe_probe                 prints CSV: kind,name,warps,cycles
//
// latency   one warp, each instruction needs the last one's result: cycles for one
// rate      four independent chains a warp, `warps` warps of one block: cycles of a scheduler for one warp instruction
// release   one warp, each instruction overwrites a register the last one reads: cycles until it may
// burst     one warp, `warps` (here a count) instructions in a row between two reads of the clock: all cycles
// Code is run three times and the last time counts: its lines are in the instruction cache then.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "check.h"

static const int kSteps = 128;
static long long *out; // per warp: begin and end

__device__ static inline long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

// An instruction under test: T holds a chain, `code` is one step of it.
#define OP(NAME, TYPE, CONSTRAINT, START, ...)                                                     \
    struct NAME {                                                                                  \
        typedef TYPE T;                                                                            \
        static const char *name() { return #NAME; }                                                \
        __device__ static T start(unsigned lane) { return (T)(START); }                            \
        __device__ static inline void step(T &v) { asm volatile(__VA_ARGS__ : "+" CONSTRAINT(v)); } \
    };
OP(add_u32, unsigned, "r", lane, "add.u32 %0, %0, %0;")
OP(lop3, unsigned, "r", lane, "lop3.b32 %0, %0, %0, 0x55555555, 0x96;")
OP(shf, unsigned, "r", lane, "shf.l.wrap.b32 %0, %0, %0, 7;")
OP(prmt, unsigned, "r", lane, "prmt.b32 %0, %0, %0, 0x2103;")
OP(mad_lo, unsigned, "r", lane, "mad.lo.u32 %0, %0, %0, %0;")
OP(mad_hi, unsigned, "r", lane, "mad.hi.u32 %0, %0, %0, %0;")
OP(mad_wide, unsigned long long, "l", lane, "{.reg .u32 a, b; mov.b64 {a, b}, %0; mad.wide.u32 %0, a, a, %0;}")
OP(add_u64, unsigned long long, "l", lane, "add.u64 %0, %0, %0;")
OP(min_s32, int, "r", (int)lane, "min.s32 %0, %0, 17;")
OP(abs_diff, int, "r", (int)lane, "sad.s32 %0, %0, 17, %0;")
OP(dp4a, int, "r", (int)lane, "dp4a.s32.s32 %0, %0, %0, %0;")
OP(setp_selp, unsigned, "r", lane, "{.reg .pred p; setp.gt.u32 p, %0, 9; selp.u32 %0, %0, 4711, p;}")
OP(popc, unsigned, "r", lane, "popc.b32 %0, %0;")
OP(brev, unsigned, "r", lane, "brev.b32 %0, %0;")
OP(bfind, unsigned, "r", lane, "bfind.u32 %0, %0;")
OP(add_f32, float, "f", (float)lane, "add.f32 %0, %0, %0;")
OP(mul_f32, float, "f", (float)lane, "mul.f32 %0, %0, %0;")
OP(fma_f32, float, "f", (float)lane, "fma.rn.f32 %0, %0, %0, %0;")
OP(min_f32, float, "f", (float)lane, "min.f32 %0, %0, 0f40000000;")
OP(setp_f32, float, "f", (float)lane, "{.reg .pred p; setp.gt.f32 p, %0, 0f40000000; selp.f32 %0, %0, 0f41000000, p;}")
OP(rcp, float, "f", (float)lane, "rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, 0f3f800000;")
OP(rsqrt_approx, float, "f", (float)lane, "rsqrt.approx.ftz.f32 %0, %0;")
OP(sqrt_approx, float, "f", (float)lane, "sqrt.approx.ftz.f32 %0, %0;")
OP(ex2, float, "f", (float)lane, "ex2.approx.ftz.f32 %0, %0;")
OP(lg2, float, "f", (float)lane, "lg2.approx.ftz.f32 %0, %0;")
OP(tanh_approx, float, "f", (float)lane, "tanh.approx.f32 %0, %0;")
OP(fma_f16x2, unsigned, "r", lane, "fma.rn.f16x2 %0, %0, %0, %0;")
OP(add_f16x2, unsigned, "r", lane, "add.f16x2 %0, %0, %0;")
OP(fma_bf16x2, unsigned, "r", lane, "fma.rn.bf16x2 %0, %0, %0, %0;")
OP(add_f64, double, "d", (double)lane, "add.f64 %0, %0, %0;")
OP(mul_f64, double, "d", (double)lane, "mul.f64 %0, %0, %0;")
OP(fma_f64, double, "d", (double)lane, "fma.rn.f64 %0, %0, %0, %0;")
OP(setp_f64, double, "d", (double)lane, "{.reg .pred p; setp.gt.f64 p, %0, 0d4000000000000000; selp.f64 %0, %0, 0d4010000000000000, p;}")
OP(i2f, unsigned, "r", lane, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f;}")
OP(f2i, unsigned, "r", lane, "{.reg .f32 f; mov.b32 f, %0; cvt.rzi.s32.f32 %0, f;}")
OP(f2f_f16, unsigned, "r", lane, "{.reg .f32 f; .reg .f16 h; mov.b32 f, %0; cvt.rn.f16.f32 h, f; mov.b32 %0, {h, h};}")
OP(f16_to_f32, unsigned, "r", lane, "{.reg .f32 f; .reg .f16 h, g; mov.b32 {h, g}, %0; cvt.f32.f16 f, h; mov.b32 %0, f;}")
OP(frnd, float, "f", (float)lane, "cvt.rmi.f32.f32 %0, %0;")
OP(f32_f64_f32, float, "f", (float)lane, "{.reg .f64 d; cvt.f64.f32 d, %0; cvt.rn.f32.f64 %0, d;}")
OP(i2f_f64_f2i, unsigned, "r", lane, "{.reg .f64 d; cvt.rn.f64.u32 d, %0; cvt.rzi.u32.f64 %0, d;}")
OP(i2f_u64, unsigned long long, "l", lane, "{.reg .f32 f; cvt.rn.f32.u64 f, %0; cvt.rzi.u64.f32 %0, f;}")
OP(shfl, unsigned, "r", lane, "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;")
OP(vote_ballot, unsigned, "r", lane, "{.reg .pred p; setp.ne.u32 p, %0, 5; vote.sync.ballot.b32 %0, p, 0xffffffff;}")
OP(match_any, unsigned, "r", lane, "match.any.sync.b32 %0, %0, 0xffffffff;")
OP(redux_add, unsigned, "r", lane, "redux.sync.add.u32 %0, %0, 0xffffffff;")
OP(warp_sync, unsigned, "r", lane, "bar.warp.sync 0xffffffff; add.u32 %0, %0, %0;")
OP(laneid, unsigned, "r", lane, "{.reg .u32 a; mov.u32 a, %%laneid; add.u32 %0, %0, a;}")
OP(smid, unsigned, "r", lane, "{.reg .u32 a; mov.u32 a, %%smid; add.u32 %0, %0, a;}")
OP(clock_lo, unsigned, "r", lane, "{.reg .u32 a; mov.u32 a, %%clock; add.u32 %0, %0, a;}")
OP(activemask_, unsigned, "r", lane, "{.reg .u32 a; activemask.b32 a; add.u32 %0, %0, a;}")
// Two pipes in turn.
OP(fma_then_add, float, "f", (float)lane, "{.reg .u32 a; fma.rn.f32 %0, %0, %0, %0; mov.b32 a, %0; add.u32 a, a, a; mov.b32 %0, a;}")
OP(fma_then_mad, float, "f", (float)lane, "{.reg .u32 a; fma.rn.f32 %0, %0, %0, %0; mov.b32 a, %0; mad.lo.u32 a, a, a, a; mov.b32 %0, a;}")
OP(mad_then_add, unsigned, "r", lane, "mad.lo.u32 %0, %0, %0, %0; add.u32 %0, %0, %0;")
OP(popc_then_ex2, unsigned, "r", lane, "{.reg .f32 f; popc.b32 %0, %0; mov.b32 f, %0; ex2.approx.ftz.f32 f, f; mov.b32 %0, f;}")

struct four {
    unsigned a, b, c, d;
};
#define MMA(NAME, CODE)                                                                            \
    struct NAME {                                                                                  \
        typedef four T;                                                                            \
        static const char *name() { return #NAME; }                                                \
        __device__ static T start(unsigned lane) { return T{lane, lane, lane, lane}; }             \
        __device__ static inline void step(T &v)                                                   \
        {                                                                                          \
            asm volatile(CODE : "+r"(v.a), "+r"(v.b), "+r"(v.c), "+r"(v.d) : "r"(1));               \
        }                                                                                          \
    };
MMA(mma_f16_k16_f32, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};")
MMA(mma_f16_k8_f32, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4},{%4},{%0,%1,%2,%3};")
MMA(mma_f16_k16_f16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%4,%4,%4,%4},{%4,%4},{%0,%1};")
MMA(mma_tf32_k8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};")
MMA(mma_tf32_k4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4},{%4},{%0,%1,%2,%3};")
MMA(mma_bf16_k16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};")
MMA(mma_s8_k32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};")
MMA(mma_s8_k16, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4},{%4},{%0,%1,%2,%3};")
struct mma_f64 {
    typedef double2 T;
    static const char *name() { return "mma_f64_k4"; }
    __device__ static T start(unsigned lane) { return T{(double)lane, (double)lane}; }
    __device__ static inline void step(T &v)
    {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};"
                     : "+d"(v.x), "+d"(v.y) : "d"(1.0));
    }
};

template <class O, int CHAINS> __global__ void run(long long *out, unsigned *sink)
{
    typename O::T v[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        v[c] = O::start(threadIdx.x + c);
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        begin = now();
#pragma unroll
        for (int i = 0; i < kSteps; i++)
            O::step(v[i % CHAINS]);
        for (int c = 0; c < CHAINS; c++) // the last results are waited for
            if (*(unsigned *)&v[c] == 0x12345679u)
                sink[1] = 1;
        end = now();
    }
    out[threadIdx.x / 32 * 2] = begin;
    out[threadIdx.x / 32 * 2 + 1] = end;
    for (int c = 0; c < CHAINS; c++)
        if (*(unsigned *)&v[c] == 0x12345678u)
            sink[0] = 1;
}
static double elapsed(int warps)
{
    CK(cudaDeviceSynchronize());
    long long t[64], first = 0, last = 0;
    CK(cudaMemcpy(t, out, sizeof t[0] * 2 * warps, cudaMemcpyDeviceToHost));
    first = t[0];
    for (int w = 0; w < warps; w++) {
        first = std::min(first, t[2 * w]);
        last = std::max(last, t[2 * w + 1]);
    }
    return (double)(last - first);
}
static unsigned *sink;
static void print(const char *kind, const char *name, int warps, double cycles)
{
    printf("%s,%s,%d,%.2f\n", kind, name, warps, cycles);
}
template <class O> static void measure()
{
    run<O, 1><<<1, 32>>>(out, sink);
    print("latency", O::name(), 1, elapsed(1) / kSteps);
    for (int warps : {1, 4, 8, 16, 32}) {
        run<O, 4><<<1, 32 * warps>>>(out, sink);
        print("rate", O::name(), warps, elapsed(warps) / kSteps / ((warps + 3) / 4));
    }
}

// ---- memory that is near: shared memory, hits of the L1, the constant cache -----------------------

__constant__ unsigned table[4096];
enum near_kind { LDS32, LDS64, LDS128, STS32, STS64, STS128, LDSM4, ATOMS, LDG32, LDG64, LDG128, STG32, STG64, STG128, LDC };
static const char *const near_name[] = {"lds32", "lds64", "lds128", "sts32", "sts64", "sts128", "ldsm4", "atoms_add",
                                        "ldg32", "ldg64", "ldg128", "stg32", "stg64", "stg128", "ldc"};
enum near_mode { DEPENDENT, INDEPENDENT, OVERWRITE, BURST };

__host__ __device__ constexpr unsigned bytes_of(int kind)
{
    return kind == LDS64 || kind == STS64 || kind == LDG64 || kind == STG64 ? 8
           : kind == LDS128 || kind == STS128 || kind == LDG128 || kind == STG128 || kind == LDSM4 ? 16 : 4;
}
#define QUAD "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
template <int KIND> __device__ static inline void access(unsigned s, unsigned long long g, unsigned *r)
{
    switch (KIND) {
    case LDS32: asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r[0]) : "r"(s) : "memory"); break;
    case LDS64: asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(s) : "memory"); break;
    case LDS128: asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : QUAD : "r"(s) : "memory"); break;
    case STS32: asm volatile("st.volatile.shared.u32 [%1],%0;" ::"r"(r[0]), "r"(s) : "memory"); break;
    case STS64: asm volatile("st.volatile.shared.v2.u32 [%2],{%0,%1};" ::"r"(r[0]), "r"(r[1]), "r"(s) : "memory"); break;
    case STS128: asm volatile("st.volatile.shared.v4.u32 [%4],{%0,%1,%2,%3};" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s) : "memory"); break;
    case LDSM4: asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : QUAD : "r"(s) : "memory"); break;
    case ATOMS: asm volatile("atom.shared.add.u32 %0,[%1],0;" : "=r"(r[0]) : "r"(s) : "memory"); break;
    case LDG32: asm volatile("ld.global.u32 %0,[%1];" : "=r"(r[0]) : "l"(g) : "memory"); break;
    case LDG64: asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "l"(g) : "memory"); break;
    case LDG128: asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : QUAD : "l"(g) : "memory"); break;
    case STG32: asm volatile("st.global.u32 [%1],%0;" ::"r"(r[0]), "l"(g) : "memory"); break;
    case STG64: asm volatile("st.global.v2.u32 [%2],{%0,%1};" ::"r"(r[0]), "r"(r[1]), "l"(g) : "memory"); break;
    case STG128: asm volatile("st.global.v4.u32 [%4],{%0,%1,%2,%3};" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(g) : "memory"); break;
    case LDC: asm volatile("ld.const.u32 %0,[%1];" : "=r"(r[0]) : "l"(g) : "memory"); break;
    }
}
// `spread`: addresses of a warp that differ (constants), words between two lanes (shared memory, 4 bytes). All
// memory holds 0.
template <int KIND, int MODE, int COUNT>
__global__ void near_run(long long *out, unsigned *sink, unsigned *global, unsigned spread)
{
    __shared__ __align__(16) unsigned words[4096];
    unsigned t = threadIdx.x, r[4] = {0, 0, 0, 0};
    for (unsigned i = t; i < 4096; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    unsigned s = (unsigned)__cvta_generic_to_shared(words) + t % 1024 * bytes_of(KIND);
    if (KIND == LDS32 || KIND == STS32)
        s = (unsigned)__cvta_generic_to_shared(words) + (t % 32 * spread + t / 32) * 4;
    unsigned long long g = (unsigned long long)(global + t % 1024 * (bytes_of(KIND) / 4));
    if (KIND == LDC) {
        asm volatile("cvta.to.const.u64 %0, %1;" : "=l"(g) : "l"(table));
        g += t % spread * 64;
    }
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        begin = now();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            access<KIND>(s, g, r);
            if (MODE == DEPENDENT) {
                s += r[0];
                g += r[0];
            }
            if (MODE == OVERWRITE)
                asm volatile("add.u32 %0,%0,1;" : "+r"(r[0]));
        }
        if (MODE != BURST && r[0] == 0x12345679u)
            sink[1] = 1;
        end = now();
        if (MODE == BURST && r[0] == 0x12345679u)
            sink[1] = 1;
    }
    out[t / 32 * 2] = begin;
    out[t / 32 * 2 + 1] = end;
    if (s + (unsigned)g + r[0] + r[1] + r[2] + r[3] == 0x12345678u)
        sink[0] = 1;
}
static unsigned *global;
template <int KIND> static void measure_loads()
{
    near_run<KIND, DEPENDENT, kSteps><<<1, 32>>>(out, sink, global, 1);
    print("latency", near_name[KIND], 1, elapsed(1) / kSteps);
}
template <int KIND, int COUNT> static void burst()
{
    near_run<KIND, BURST, COUNT><<<1, 32>>>(out, sink, global, 1);
    print("burst", near_name[KIND], COUNT, elapsed(1));
}
template <int KIND> static void measure_near()
{
    for (int warps : {1, 4, 8, 16, 32}) {
        near_run<KIND, INDEPENDENT, kSteps><<<1, 32 * warps>>>(out, sink, global, 1);
        print("rate", near_name[KIND], warps, elapsed(warps) / kSteps / ((warps + 3) / 4));
    }
    burst<KIND, 1>(), burst<KIND, 2>(), burst<KIND, 4>(), burst<KIND, 8>(), burst<KIND, 16>(), burst<KIND, 32>();
}
template <int KIND> static void measure_release()
{
    near_run<KIND, OVERWRITE, kSteps><<<1, 32>>>(out, sink, global, 1);
    print("release", near_name[KIND], 1, elapsed(1) / kSteps);
}
static void measure_constants()
{
    for (unsigned spread : {1, 2, 4, 8, 16, 32}) {
        char name[32];
        snprintf(name, sizeof name, "ldc_spread_%u", spread);
        near_run<LDC, DEPENDENT, kSteps><<<1, 32>>>(out, sink, global, spread);
        print("latency", name, 1, elapsed(1) / kSteps);
        for (int warps : {4, 16}) {
            near_run<LDC, INDEPENDENT, kSteps><<<1, 32 * warps>>>(out, sink, global, spread);
            print("rate", name, warps, elapsed(warps) / kSteps / ((warps + 3) / 4));
        }
    }
}
// Lanes so many words apart: as many passes over the banks.
template <int KIND> static void measure_passes()
{
    for (unsigned passes : {2, 4, 8, 16, 32}) {
        char name[32];
        snprintf(name, sizeof name, "%s_passes_%u", near_name[KIND], passes);
        if (KIND == LDS32) {
            near_run<KIND, DEPENDENT, kSteps><<<1, 32>>>(out, sink, global, passes);
            print("latency", name, 1, elapsed(1) / kSteps);
        }
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            near_run<KIND, INDEPENDENT, kSteps><<<1, 32 * warps>>>(out, sink, global, passes);
            print("rate", name, warps, elapsed(warps) / kSteps / ((warps + 3) / 4));
        }
    }
}

// ---- flow of control -----------------------------------------------------------------------------

enum flow_kind { LOOP, BRANCHES, CALLS, BARRIERS };
__device__ __noinline__ static unsigned twice(unsigned v)
{
    asm volatile("add.u32 %0,%0,%0;" : "+r"(v));
    return v;
}
template <int KIND> __global__ void flow_run(long long *out, unsigned *sink, unsigned rounds, unsigned mask)
{
    unsigned v = threadIdx.x, t = threadIdx.x;
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        begin = now();
#pragma unroll 1
        for (unsigned i = 0; i < rounds; i++) {
            if (KIND == LOOP || KIND == BARRIERS)
                asm volatile("add.u32 %0,%0,%0;" : "+r"(v));
            if (KIND == BRANCHES) {
                if (t & mask)
                    v = twice(v);
                else
                    asm volatile("add.u32 %0,%0,1;" : "+r"(v));
            }
            if (KIND == CALLS)
                v = twice(v);
            if (KIND == BARRIERS)
                __syncthreads();
        }
        end = now();
    }
    out[t / 32 * 2] = begin;
    out[t / 32 * 2 + 1] = end;
    if (v == 0x12345678u)
        sink[0] = 1;
}
template <int KIND> static void measure_flow(const char *name, unsigned mask = 0)
{
    for (int warps : {1, 4, 8, 16, 32}) {
        flow_run<KIND><<<1, 32 * warps>>>(out, sink, kSteps, mask);
        print("loop", name, warps, elapsed(warps) / kSteps);
    }
}

template <class... Ops> static void measure_all() { (measure<Ops>(), ...); }
int main()
{
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&sink, 64));
    CK(cudaMalloc(&global, 1 << 20));
    CK(cudaMemset(global, 0, 1 << 20));
    printf("kind,name,warps,cycles\n");
    measure_all<add_u32, lop3, shf, prmt, mad_lo, mad_hi, mad_wide, add_u64, min_s32, abs_diff, dp4a, setp_selp, popc, brev, bfind>();
    measure_all<add_f32, mul_f32, fma_f32, min_f32, setp_f32, rcp, rsqrt_approx, sqrt_approx, ex2, lg2, tanh_approx>();
    measure_all<fma_f16x2, add_f16x2, fma_bf16x2, add_f64, mul_f64, fma_f64, setp_f64>();
    measure_all<i2f, f2i, f2f_f16, f16_to_f32, frnd, f32_f64_f32, i2f_f64_f2i, i2f_u64>();
    measure_all<shfl, vote_ballot, match_any, redux_add, warp_sync, laneid, smid, clock_lo, activemask_>();
    measure_all<fma_then_add, fma_then_mad, mad_then_add, popc_then_ex2>();
    measure_all<mma_f16_k16_f32, mma_f16_k8_f32, mma_f16_k16_f16, mma_tf32_k8, mma_tf32_k4, mma_bf16_k16, mma_s8_k32, mma_s8_k16, mma_f64>();
    measure_loads<LDS32>(), measure_loads<LDS64>(), measure_loads<LDS128>(), measure_loads<LDSM4>(), measure_loads<ATOMS>();
    measure_loads<LDG32>(), measure_loads<LDG64>(), measure_loads<LDG128>(), measure_loads<LDC>();
    measure_near<LDS32>(), measure_near<LDS64>(), measure_near<LDS128>(), measure_near<LDSM4>(), measure_near<ATOMS>();
    measure_near<STS32>(), measure_near<STS64>(), measure_near<STS128>();
    measure_near<LDG32>(), measure_near<LDG64>(), measure_near<LDG128>();
    measure_near<STG32>(), measure_near<STG64>(), measure_near<STG128>();
    measure_release<STS32>(), measure_release<STS128>(), measure_release<STG32>(), measure_release<STG128>();
    measure_passes<LDS32>(), measure_passes<STS32>();
    measure_constants();
    measure_flow<LOOP>("loop_of_3"), measure_flow<CALLS>("loop_with_call"), measure_flow<BARRIERS>("loop_with_barrier");
    measure_flow<BRANCHES>("divergent_if", 1), measure_flow<BRANCHES>("uniform_if", 1024);
    return 0;
}
