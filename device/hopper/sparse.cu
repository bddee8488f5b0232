// where the metadata of sparse products lie: every field of every lane is changed, and what the
// product then takes is told
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <cuda_fp16.h>
struct Case {
    uint32_t a[128][4];
    uint32_t meta[128];
};
__device__ uint32_t Bfrag[128][4];
#define MMA(NAME, TEXT, NA, NB, DT, DC, SEL)                                                       \
    __global__ void NAME(const Case *c, float *out)                                                \
    {                                                                                              \
        const Case &x = c[blockIdx.x];                                                             \
        int t = threadIdx.x;                                                                       \
        uint32_t a0 = x.a[t][0], a1 = x.a[t][1], a2 = x.a[t][2], a3 = x.a[t][3], m = x.meta[t];    \
        uint32_t b0 = Bfrag[t][0], b1 = Bfrag[t][1], b2 = Bfrag[t][2], b3 = Bfrag[t][3];           \
        (void)a2;                                                                                  \
        (void)a3;                                                                                  \
        (void)b2;                                                                                  \
        (void)b3;                                                                                  \
        DT d0 = 0, d1 = 0, d2 = 0, d3 = 0;                                                         \
        asm volatile(TEXT                                                                          \
                     : "+" DC(d0), "+" DC(d1), "+" DC(d2), "+" DC(d3)                              \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(b2), "r"(b3),     \
                       "r"(m));                                                                    \
        float *o = out + (size_t)blockIdx.x * 128 + t * 4;                                         \
        o[0] = (float)d0;                                                                          \
        o[1] = (float)d1;                                                                          \
        o[2] = (float)d2;                                                                          \
        o[3] = (float)d3;                                                                          \
    }
#define T2(op, sel) op " {%0,%1,%2,%3},{%4,%5},{%8,%9},{%0,%1,%2,%3},%12," #sel ";"
#define T4(op, sel) op " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12," #sel ";"
#define P           "mma.sp::ordered_metadata.sync.aligned."
MMA(h16_0, T2(P "m16n8k16.row.col.f32.f16.f16.f32", 0), 2, 2, float, "f", 0)
MMA(h16_1, T2(P "m16n8k16.row.col.f32.f16.f16.f32", 1), 2, 2, float, "f", 0)
MMA(h16_3, T2(P "m16n8k16.row.col.f32.f16.f16.f32", 3), 2, 2, float, "f", 0)
MMA(h32_0, T4(P "m16n8k32.row.col.f32.f16.f16.f32", 0), 4, 4, float, "f", 0)
MMA(h32_1, T4(P "m16n8k32.row.col.f32.f16.f16.f32", 1), 4, 4, float, "f", 0)
MMA(t8_0, T2(P "m16n8k8.row.col.f32.tf32.tf32.f32", 0), 2, 2, float, "f", 0)
MMA(t8_2, T2(P "m16n8k8.row.col.f32.tf32.tf32.f32", 2), 2, 2, float, "f", 0)
MMA(t16_0, T4(P "m16n8k16.row.col.f32.tf32.tf32.f32", 0), 4, 4, float, "f", 0)
MMA(t16_1, T4(P "m16n8k16.row.col.f32.tf32.tf32.f32", 1), 4, 4, float, "f", 0)
MMA(i32_0, T2(P "m16n8k32.row.col.s32.s8.s8.s32", 0), 2, 2, int, "r", 0)
MMA(i32_1, T2(P "m16n8k32.row.col.s32.s8.s8.s32", 1), 2, 2, int, "r", 0)
MMA(i64_0, T4(P "m16n8k64.row.col.s32.s8.s8.s32", 0), 4, 4, int, "r", 0)
MMA(e64_0, T4(P "m16n8k64.row.col.f32.e4m3.e4m3.f32", 0), 4, 4, float, "f", 0)
// warpgroup: A in registers, B (K x 8) in shared memory by core matrices
__device__ uint8_t Bmat[64 * 16];
#define WG(NAME, OP, DT, DC, SEL, KB, TAIL)                                                        \
    __global__ void NAME(const Case *c, float *out)                                                \
    {                                                                                              \
        __shared__ __align__(128) uint8_t sb[1024];                                                \
        const Case &x = c[blockIdx.x];                                                             \
        int t = threadIdx.x;                                                                       \
        for (int i = t; i < 1024; i += 128)                                                        \
            sb[i] = Bmat[i];                                                                       \
        asm volatile("fence.proxy.async;");                                                        \
        __syncthreads();                                                                           \
        uint32_t base = (uint32_t)__cvta_generic_to_shared(sb);                                    \
        uint64_t desc =                                                                            \
            (uint64_t)(base >> 4) | ((uint64_t)(128 >> 4) << 16) | ((uint64_t)(1024 >> 4) << 32);  \
        uint32_t a0 = x.a[t][0], a1 = x.a[t][1], a2 = x.a[t][2], a3 = x.a[t][3], m = x.meta[t];    \
        DT d0 = 0, d1 = 0, d2 = 0, d3 = 0;                                                         \
        asm volatile("wgmma.fence.sync.aligned;");                                                 \
        asm volatile(OP " {%0,%1,%2,%3},{%4,%5,%6,%7},%8,%9," #SEL TAIL ";"                        \
                     : "+" DC(d0), "+" DC(d1), "+" DC(d2), "+" DC(d3)                              \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(desc), "r"(m));                     \
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");         \
        float *o = out + (size_t)blockIdx.x * 512 + t * 4;                                         \
        o[0] = (float)d0;                                                                          \
        o[1] = (float)d1;                                                                          \
        o[2] = (float)d2;                                                                          \
        o[3] = (float)d3;                                                                          \
    }
#define W "wgmma.mma_async.sp.sync.aligned."
WG(wh_0, W "m64n8k32.f32.f16.f16", float, "f", 0, 64, ",1,1,1,0")
WG(wh_1, W "m64n8k32.f32.f16.f16", float, "f", 1, 64, ",1,1,1,0")
WG(wt_0, W "m64n8k16.f32.tf32.tf32", float, "f", 0, 64, ",1,1,1")
WG(wt_1, W "m64n8k16.f32.tf32.tf32", float, "f", 1, 64, ",1,1,1")
WG(wi_0, W "m64n8k64.s32.s8.s8", int, "r", 0, 64, ",1")
WG(we_0, W "m64n8k64.f32.e4m3.e4m3", float, "f", 0, 64, ",1,1,1")
static uint8_t e4m3(int v)
{
    static const uint8_t b[17] = {0,    0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e, 0x50,
                                  0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58};
    return b[v];
}
static uint32_t word(int bytes, int kind, int v)
{
    if (bytes == 1)
        return kind ? e4m3(v) : (uint32_t)v;
    if (bytes == 2) {
        __half h = __float2half((float)v);
        uint16_t u;
        memcpy(&u, &h, 2);
        return u;
    }
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
typedef void (*Kernel)(const Case *, float *);
static void run(const char *name, Kernel k, int threads, int bytes, int kind, int K, int nb, int na)
{
    static uint32_t bf[128][4];
    memset(bf, 0, sizeof bf);
    static uint8_t bm[1024];
    memset(bm, 0, sizeof bm);
    int per = 4 / bytes;
    for (int t = 0; t < 32; t++)
        for (int i = 0; i < nb; i++)
            for (int e = 0; e < per; e++) {
                int kk = (t % 4) * per + e + 4 * per * i, n = t / 4;
                int v = n == 0 ? kk % 16 : n == 1 ? kk / 16 : 0;
                bf[t][i] |= word(bytes, kind, v) << (8 * bytes * e);
            }
    for (int n = 0; n < 8; n++)
        for (int kk = 0; kk < K; kk++) {
            int v = n == 0 ? kk % 16 : n == 1 ? kk / 16 : 0;
            uint32_t u = word(bytes, kind, v);
            int off = kk * bytes;
            memcpy(bm + (off / 16) * 128 + n * 16 + off % 16, &u, bytes);
        }
    cudaMemcpyToSymbol(Bfrag, bf, sizeof bf);
    cudaMemcpyToSymbol(Bmat, bm, sizeof bm);
    int bits = bytes == 4 ? 4 : 2, fields = 32 / bits, slots = 4 * na * per;
    uint32_t base = bytes == 4 ? 0x44444444u : 0x44444444u;
    int lanes = threads;
    size_t n = (size_t)slots * (1 + lanes * fields);
    std::vector<Case> c(n);
    memset(c.data(), 0, n * sizeof(Case));
    size_t at = 0;
    for (int s = 0; s < slots; s++)
        for (int v = -1; v < lanes * fields; v++) {
            Case &x = c[at++];
            int q = s % 4, i = s / 4 / per, e = s / 4 % per;
            for (int t = 0; t < threads; t++) {
                if (t % 4 == q)
                    x.a[t][i] = word(bytes, kind, 1) << (8 * bytes * e);
                x.meta[t] = base;
            }
            if (v >= 0) {
                int L = v / fields, f = v % fields;
                uint32_t m = bits == 4 ? 15u : 3u;
                uint32_t old = base >> (f * bits) & m;
                uint32_t nu = bits == 4 ? (old == 4 ? 14u : 4u) : (3u - old);
                x.meta[L] = (base & ~(m << (f * bits))) | nu << (f * bits);
            }
        }
    Case *dc;
    float *dout;
    cudaMalloc(&dc, n * sizeof(Case));
    cudaMalloc(&dout, n * threads * 4 * 4);
    std::vector<float> o(n * threads * 4);
    size_t step = 20000;
    for (size_t b = 0; b < n; b += step) {
    }
    cudaMemcpy(dc, c.data(), n * sizeof(Case), cudaMemcpyHostToDevice);
    k<<<(unsigned)n, threads>>>(dc, dout);
    cudaError_t er = cudaDeviceSynchronize();
    cudaMemcpy(o.data(), dout, o.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(dc);
    cudaFree(dout);
    printf("# %s %s\n", name, cudaGetErrorString(er));
    if (er) {
        return;
    }
    at = 0;
    int rows = threads / 2; // 16 a warp
    auto kof = [&](size_t cs, int r) {
        int w = r / 16, g = r % 8, h = r % 16 / 8;
        const float *d = &o[(cs * threads + w * 32 + g * 4) * 4 + h * 2];
        return (int)(d[0] + 16 * d[1]);
    };
    std::vector<int> bk(rows);
    for (int s = 0; s < slots; s++) {
        size_t b0 = at;
        printf("%s slot q%d r%d e%d base", name, s % 4, s / 4 / per, s / 4 % per);
        for (int r = 0; r < rows; r++) {
            bk[r] = kof(b0, r);
            printf(" %d", bk[r]);
        }
        printf("\n");
        at++;
        for (int v = 0; v < lanes * fields; v++, at++) {
            for (int r = 0; r < rows; r++) {
                int kk = kof(at, r);
                if (kk != bk[r])
                    printf("%s L%d f%d -> row %d q%d r%d e%d k %d->%d\n", name, v / fields,
                           v % fields, r, s % 4, s / 4 / per, s / 4 % per, bk[r], kk);
            }
        }
    }
}
int main()
{
    run("h16_0", h16_0, 32, 2, 0, 16, 2, 2);
    run("h16_1", h16_1, 32, 2, 0, 16, 2, 2);
    run("h16_3", h16_3, 32, 2, 0, 16, 2, 2);
    run("h32_0", h32_0, 32, 2, 0, 32, 4, 4);
    run("h32_1", h32_1, 32, 2, 0, 32, 4, 4);
    run("t8_0", t8_0, 32, 4, 0, 8, 2, 2);
    run("t8_2", t8_2, 32, 4, 0, 8, 2, 2);
    run("t16_0", t16_0, 32, 4, 0, 16, 4, 4);
    run("t16_1", t16_1, 32, 4, 0, 16, 4, 4);
    run("i32_0", i32_0, 32, 1, 0, 32, 2, 2);
    run("i32_1", i32_1, 32, 1, 0, 32, 2, 2);
    run("i64_0", i64_0, 32, 1, 0, 64, 4, 4);
    run("e64_0", e64_0, 32, 1, 1, 64, 4, 4);
    run("wh_0", wh_0, 128, 2, 0, 32, 4, 4);
    run("wh_1", wh_1, 128, 2, 0, 32, 4, 4);
    run("wt_0", wt_0, 128, 4, 0, 16, 4, 4);
    run("wt_1", wt_1, 128, 4, 0, 16, 4, 4);
    run("wi_0", wi_0, 128, 1, 0, 64, 4, 4);
    run("we_0", we_0, 128, 1, 1, 64, 4, 4);
}
