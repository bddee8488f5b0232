/* issue_probe.cu - how fast a scheduler issues mixes of arithmetic: products of 64 bits, products, sums, logic, doubles.
 *
 * A launch is one block on one SM whose warps go 100 times through 48 groups of the instructions its pattern names, each on one of eight
 * chains, so that what a result takes does not count:
 *   W IMAD.WIDE.U32 and the sum apart, S with signs, m IMAD.WIDE.U32 without a sum, B an address (LEA) and LOP3 of both halves,
 *   G the address of a load (LEA) and the load, X a pair of IMAD.WIDE.U32 with a carry between, H IMAD.HI.U32,
 *   I IMAD, F FFMA, L LOP3, T SHF, A IADD3, E MUFU.EX2, D DFMA, d DADD, p DMUL.
 * w, h, c, f: one chain over and over (w and h IMAD.WIDE.U32, h by the upper half, c with logic between, f FFMA).
 *
 *     nvcc -arch=sm_90 -O3 -o issue_probe issue_probe.cu
 *     ncu --clock-control none --cache-control all --csv --page raw --metrics sm__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum issue_probe
 *
 * Launches come in the order of the lines it prints: pattern, threads, groups. */
#include <cstdint>
#include <cstdio>
enum { ROUNDS = 100, GROUPS = 48 };
struct state {
    uint64_t s[8];
    uint32_t z[8], q[8], u[8], x, y;
    float f[8], e[8];
    double d[8], dx, dy;
    uint32_t *base;
};
__device__ __forceinline__ uint32_t low(const state &a, int i) { return (uint32_t)a.s[i & 7]; }
__device__ __forceinline__ uint32_t high(const state &a, int i) { return (uint32_t)(a.s[i & 7] >> 32); }
template <char C> __device__ __forceinline__ void one(state &a, int i)
{
    if (C == 'W') asm volatile("mad.wide.u32 %0,%1,%2,%0;" : "+l"(a.s[i]) : "r"(low(a, i + 3)), "r"(high(a, i + 5)));
    if (C == 'S') asm volatile("mad.wide.s32 %0,%1,%2,%0;" : "+l"(a.s[i]) : "r"(low(a, i + 3)), "r"(high(a, i + 5)));
    if (C == 'm') asm volatile("mul.wide.u32 %0,%1,%2;" : "=l"(a.s[i]) : "r"(low(a, i)), "r"(high(a, i + 3)));
    if (C == 'B') asm volatile("{.reg .u64 t; .reg .u32 l,h; mad.wide.s32 t,%0,4,%1; mov.b64 {l,h},t; lop3.b32 %0,l,h,%2,0x96;}" : "+r"(a.q[i]) : "l"(a.s[0]), "r"(a.y));
    if (C == 'G') asm volatile("{.reg .u64 t; mad.wide.s32 t,%0,4,%1; ld.global.u32 %0,[t];}" : "+r"(a.q[i]) : "l"(a.base) : "memory");
    if (C == 'X') asm volatile("mad.lo.cc.u32 %0,%4,%5,%0; madc.hi.cc.u32 %1,%4,%5,%1; madc.lo.cc.u32 %2,%4,%6,%2; madc.hi.u32 %3,%4,%6,%3;" : "+r"(a.z[i & 6]), "+r"(a.z[(i & 6) + 1]), "+r"(a.q[i & 6]), "+r"(a.q[(i & 6) + 1]) : "r"(a.x), "r"(a.y), "r"(a.u[0]));
    if (C == 'H') asm volatile("mad.hi.u32 %0,%1,%2,%0;" : "+r"(a.q[i]) : "r"(a.q[(i + 3) & 7]), "r"(a.y));
    if (C == 'I') asm volatile("mad.lo.u32 %0,%0,%1,%2;" : "+r"(a.z[i]) : "r"(a.x), "r"(a.y));
    if (C == 'F') asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(a.f[i]));
    if (C == 'L') asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(a.u[i]) : "r"(a.x), "r"(a.y));
    if (C == 'T') asm volatile("shf.l.wrap.b32 %0,%0,%1,7;" : "+r"(a.u[i]) : "r"(a.x));
    if (C == 'A') asm volatile("{.reg .u32 t; add.u32 t,%0,%1; add.u32 %0,t,%2;}" : "+r"(a.u[i]) : "r"(a.x), "r"(a.y));
    if (C == 'E') asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(a.e[i]));
    if (C == 'D') asm volatile("fma.rn.f64 %0,%0,%1,%2;" : "+d"(a.d[i]) : "d"(a.dx), "d"(a.dy));
    if (C == 'd') asm volatile("add.rn.f64 %0,%0,%1;" : "+d"(a.d[i]) : "d"(a.dx));
    if (C == 'p') asm volatile("mul.rn.f64 %0,%0,%1;" : "+d"(a.d[i]) : "d"(a.dx));
    if (C == 'w') asm volatile("mad.wide.u32 %0,%1,%2,%0;" : "+l"(a.s[0]) : "r"(low(a, 0)), "r"(a.y));
    if (C == 'h') asm volatile("mad.wide.u32 %0,%1,%2,%0;" : "+l"(a.s[0]) : "r"(high(a, 0)), "r"(low(a, 0)));
    if (C == 'c') asm volatile("{.reg .u32 h; lop3.b32 h,%1,%2,%3,0x96; mul.wide.u32 %0,h,%3;}" : "=l"(a.s[0]) : "r"(low(a, 0)), "r"(high(a, 0)), "r"(a.y));
    if (C == 'f') asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(a.f[0]));
}
template <char... P> __global__ void __launch_bounds__(1024) pattern(uint32_t *data)
{
    state a;
    a.base = data;
    a.x = data[threadIdx.x], a.y = data[threadIdx.x + 1], a.dx = data[threadIdx.x + 2], a.dy = data[threadIdx.x + 3];
    for (int i = 0; i < 8; i++) {
        a.s[i] = a.z[i] = data[threadIdx.x + 8 * i], a.q[i] = a.z[i] + i, a.u[i] = a.q[i] * 3, a.f[i] = a.z[i], a.e[i] = a.q[i], a.d[i] = a.z[i];
    }
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++)
#pragma unroll
        for (int n = 0; n < GROUPS; n++)
            (one<P>(a, n & 7), ...);
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum += a.s[i] + a.z[i] + a.q[i] + a.u[i] + (uint32_t)a.f[i] + (uint32_t)a.e[i] + (uint32_t)a.d[i];
    data[4096 + threadIdx.x] = (uint32_t)(sum ^ sum >> 32);
}
static uint32_t *data;
template <char... P> static void measure()
{
    static const char name[] = {P..., 0};
    for (int threads : {32, 256, 512, 1024}) {
        pattern<P...><<<1, threads>>>(data);
        printf("launch %s,%d,%d\n", name, threads, ROUNDS * GROUPS);
    }
}
int main()
{
    cudaMalloc(&data, 1 << 16);
    cudaMemset(data, 0, 1 << 16);
    measure<'W'>(), measure<'S'>(), measure<'m'>(), measure<'X'>(), measure<'H'>(), measure<'I'>(), measure<'F'>(), measure<'L'>(), measure<'T'>();
    measure<'A'>(), measure<'E'>(), measure<'D'>(), measure<'d'>(), measure<'p'>(), measure<'w'>(), measure<'h'>(), measure<'c'>(), measure<'f'>();
    measure<'B'>(), measure<'G'>(), measure<'G', 'L'>(), measure<'G', 'F'>(), measure<'G', 'I'>(), measure<'G', 'L', 'L'>(), measure<'G', 'F', 'F'>();
    measure<'G', 'F', 'L', 'F', 'L'>(), measure<'m', 'L'>(), measure<'m', 'F'>(), measure<'m', 'I'>(), measure<'m', 'T'>(), measure<'m', 'A'>();
    measure<'m', 'L', 'L'>(), measure<'m', 'F', 'F'>(), measure<'m', 'F', 'L'>(), measure<'m', 'L', 'L', 'L'>(), measure<'m', 'F', 'F', 'F'>();
    measure<'m', 'F', 'L', 'F', 'L'>(), measure<'m', 'I', 'I'>(), measure<'m', 'I', 'L'>(), measure<'m', 'L', 'L', 'L', 'L', 'L'>();
    measure<'m', 'm', 'L', 'L'>(), measure<'m', 'E'>(), measure<'W', 'L'>(), measure<'W', 'F'>(), measure<'W', 'L', 'L', 'L'>();
    measure<'H', 'L'>(), measure<'H', 'F'>(), measure<'H', 'I'>(), measure<'H', 'L', 'L', 'L'>(), measure<'X', 'L'>(), measure<'X', 'F'>(), measure<'X', 'L', 'L', 'L', 'L'>();
    measure<'I', 'L'>(), measure<'I', 'F'>(), measure<'F', 'L'>(), measure<'I', 'L', 'L'>(), measure<'I', 'F', 'L'>(), measure<'F', 'F', 'L'>(), measure<'I', 'F', 'F', 'L', 'L'>();
    measure<'A', 'L'>(), measure<'A', 'T'>(), measure<'L', 'T'>(), measure<'A', 'F'>(), measure<'A', 'I'>(), measure<'E', 'L', 'L', 'F'>();
    measure<'D', 'L'>(), measure<'D', 'F'>(), measure<'D', 'I'>(), measure<'D', 'W'>(), measure<'D', 'L', 'L'>(), measure<'D', 'F', 'L'>(), measure<'D', 'D', 'L'>(), measure<'D', 'L', 'L', 'L'>();
    measure<'D', 'd', 'p'>(), measure<'d', 'L'>(), measure<'D', 'F', 'F', 'L', 'L'>(), measure<'D', 'I', 'L'>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
