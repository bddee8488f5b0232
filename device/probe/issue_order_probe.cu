/* issue_order_probe.cu - in which order the warps of a scheduler issue.
 *
 * The warps of one block begin together behind a barrier; each issues N instructions of one kind
 * that wait for nothing, notes the clock behind the last, then waits for what they bring and notes
 * it again. By turns all warps come to an end together; where a scheduler goes on with a warp as
 * long as it can, they end one after another, the oldest or the youngest first. Prints a line a
 * warp: kind, instructions, gap (arithmetic behind each), warps a scheduler, warp, clock at the
 * beginning, behind the last issue, and with the data, from the first warp's beginning on. */
#include "check.h"

enum kind { LINE, COLUMN, MISS, STORE, STORE_COLUMN, SHARED, ADD, KINDS };
static const char *const names[] = {"line", "column", "miss", "store", "store_column", "shared", "add"};

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

template <int KIND, int N, int GAP>
__global__ void order(unsigned *data, unsigned *to, uint4 *out)
{
    __shared__ unsigned near[4096];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, v[N], g = threadIdx.x, sum = 0;
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
        near[i] = 0;
    unsigned *p = KIND == COLUMN ? data + lane * 32 : KIND == MISS ? data + 65536 + (warp * N) * 1024 + lane : data + lane;
    unsigned *q = KIND == STORE_COLUMN ? to + (warp * 32 + lane) * 1024 : to + (warp * N) * 1024 + lane;
    unsigned at = (unsigned)__cvta_generic_to_shared(near) + lane * 4;
    if (KIND == LINE || KIND == COLUMN)
#pragma unroll
        for (int k = 0; k < N; k++) {
            asm volatile("ld.global.u32 %0,[%1];" : "=r"(v[k]) : "l"(p + k) : "memory");
            sum += v[k];
        }
    unsigned zero = sum == 12345 ? 1 : 0;
    p += zero;
    float f[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        f[k] = (float)(lane + k);
    __syncthreads();
    unsigned t0 = now();
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (KIND == LINE || KIND == COLUMN)
            asm volatile("ld.global.u32 %0,[%1];" : "=r"(v[k]) : "l"(p + k) : "memory");
        else if (KIND == MISS)
            asm volatile("ld.global.u32 %0,[%1];" : "=r"(v[k]) : "l"(p + k * 1024) : "memory");
        else if (KIND == STORE)
            asm volatile("st.global.u32 [%0],%1;" ::"l"(q + k * 1024), "r"(g) : "memory");
        else if (KIND == STORE_COLUMN)
            asm volatile("st.global.u32 [%0],%1;" ::"l"(q + k * 8), "r"(g) : "memory");
        else if (KIND == SHARED)
            asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[k]) : "r"(at + k * 128) : "memory");
        else
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(f[k]));
#pragma unroll
        for (int j = 0; j < GAP; j++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(g));
    }
    unsigned t1 = now();
    sum = g;
#pragma unroll
    for (int k = 0; k < N; k++)
        sum += KIND == STORE || KIND == STORE_COLUMN ? 0 : KIND == ADD ? (unsigned)f[k] : v[k];
    unsigned waited = sum == 12345 ? 1 : 0;
    asm volatile("" : "+r"(waited)::"memory");
    unsigned t2 = now() + waited;
    if (lane == 0)
        out[blockIdx.x * (blockDim.x / 32) + warp] = make_uint4(t0, t1, t2, 0);
}

static unsigned *data, *to;
static uint4 *out, host[64];

template <int KIND, int N, int GAP> static void run(int warps)
{
    order<KIND, N, GAP><<<1, warps * 128>>>(data, to, out);
    CK(cudaDeviceSynchronize());
    order<KIND, N, GAP><<<1, warps * 128>>>(data, to, out);
    CK(cudaMemcpy(host, out, sizeof *host * warps * 4, cudaMemcpyDeviceToHost));
    unsigned first = host[0].x;
    for (int w = 0; w < warps * 4; w++)
        first = (int)(host[w].x - first) < 0 ? host[w].x : first;
    for (int w = 0; w < warps * 4; w++)
        printf("%s,%d,%d,%d,%d,%u,%u,%u\n", names[KIND], N, GAP, warps, w, host[w].x - first, host[w].y - first, host[w].z - first);
}
template <int KIND, int N, int GAP> static void sweep()
{
    for (int warps : {2, 4, 8})
        run<KIND, N, GAP>(warps);
}

int main()
{
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMalloc(&to, 64 << 20));
    CK(cudaMalloc(&out, sizeof host));
    CK(cudaMemset(data, 0, 64 << 20));
    printf("kind,instructions,gap,warps,warp,begin,issued,done\n");
    sweep<LINE, 16, 0>(), sweep<LINE, 16, 1>(), sweep<LINE, 16, 4>();
    sweep<COLUMN, 16, 0>(), sweep<COLUMN, 16, 1>(), sweep<COLUMN, 16, 4>(), sweep<COLUMN, 4, 0>();
    sweep<MISS, 16, 0>(), sweep<MISS, 16, 4>();
    sweep<STORE, 16, 0>(), sweep<STORE_COLUMN, 8, 0>(), sweep<STORE_COLUMN, 8, 4>();
    sweep<SHARED, 16, 0>(), sweep<SHARED, 16, 1>(), sweep<ADD, 32, 0>(), sweep<ADD, 16, 1>();
    return 0;
}
