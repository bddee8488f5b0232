/* wait_probe.cu - how long a line that was stored to waits while the load/store unit has other work.
 *
 * beside: the first warp stores to two words of a line, `gap` multiplications apart, then to the
 * next line; `others` warps, none on its scheduler, keep the unit at work in one of several ways.
 * sums: each warp loads a column, a row a lane, `rounds` times and stores to a line of its own each
 * time, as sums over a row do; the rows are `pitch` bytes apart, and a warp goes through `words` of
 * them again and again (8 a sector), so that it misses never, or every eighth time. The profiler's
 * requests written (lts__t_requests_srcunit_tex_op_write) say how many stores met. No clock is
 * read: models can run the same instructions. To be run under Nsight Compute. */
#include "launched.h"

enum { NONE, SHARED, SHARED_ROWS, LINE, ROWS, ROWS_APART, MISSES, KINDS };
static const char *const kind_name[] = {"none", "shared", "shared-rows", "line",
                                        "rows", "rows-apart", "misses"};

__device__ static void put(char *p, unsigned x)
{
    asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(x) : "memory");
}
__device__ static unsigned get(const char *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ static unsigned get_far(const char *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ static unsigned get_shared(unsigned at)
{
    unsigned v;
    asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(at) : "memory");
    return v;
}

/* Four loads of a kind, one after another's issue. */
template <int KIND> __device__ static unsigned loads(const char *rows, unsigned shared)
{
    unsigned lane = threadIdx.x % 32, v[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (KIND == SHARED)
            v[i] = get_shared(shared + lane * 4);
        if (KIND == SHARED_ROWS)
            v[i] = get_shared(shared + lane * 128);
        if (KIND == LINE)
            v[i] = get(rows + lane * 4 + i * 128);
        if (KIND == ROWS)
            v[i] = get(rows + lane * 128 + i * 4);
        if (KIND == ROWS_APART)
            v[i] = get(rows + lane * 132 + i * 4);
        if (KIND == MISSES)
            v[i] = get_far(rows + lane * 128 + i * 4096);
    }
    return v[0] + v[1] + v[2] + v[3];
}

template <int KIND, int GAP>
__global__ void beside(char *data, unsigned *sums, int lines, int times)
{
    __shared__ unsigned held[1024];
    unsigned warp = threadIdx.x / 32, x = threadIdx.x, own = warp % 4;
    unsigned shared = (unsigned)__cvta_generic_to_shared(held);
    char *p = data + (threadIdx.x & 3) * 4;
    const char *rows = data + (1 << 24) + warp * 65536;
    x += loads<KIND>(rows, shared);
    __syncthreads();
    if (own && warp)
        for (int i = 0; i < times; i++)
            x += loads<KIND>(rows, shared);
    for (int i = 0; i < lines && !warp; i++, p += 128) {
        if (threadIdx.x < 4)
            put(p, x);
        if (x == 0x7ffffff1) /* never: the assembler moves no store over it */
            __trap();
#pragma unroll
        for (int g = 0; g < GAP; g++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        if (threadIdx.x < 4)
            put(p + 16, x);
#pragma unroll
        for (int g = 0; g < 64; g++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
    }
    sums[threadIdx.x] = x;
}

__global__ void column_sums(char *data, unsigned *sums, int rounds, int pitch, int words)
{
    unsigned lane = threadIdx.x % 32, x = 0, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *p = data + (size_t)warp * 128 + lane * 4;
    const char *rows = data + (1 << 24) + ((size_t)warp * 32 + lane) * pitch;
    for (int r = 0; r < rounds; r++) {
        x += get(rows + (r & (words - 1)) * 4);
        put(p, x);
    }
    sums[threadIdx.x] = x;
}

static char *data;
static unsigned *sums;
template <int KIND, int GAP> static void one_beside(int others)
{
    int warps = others ? others / 3 * 4 : 1, lines = 64;
    int cycles = lines * (GAP * 4 + 64 * 4 + 60), passes = KIND == SHARED_ROWS || KIND == ROWS ? 128
                                                          : KIND == MISSES                     ? 160
                                                          : KIND == ROWS_APART                 ? 32
                                                                                               : 8;
    int turn = passes * (others ? others : 1);
    beside<KIND, GAP><<<1, warps * 32>>>(data, sums, lines, cycles / (turn > 60 ? turn : 60) + 32);
    LAUNCHED("beside kind=%s others=%d gap=%d lines=%d", kind_name[KIND], others, GAP, lines);
}
template <int KIND> static void all_beside(void)
{
    for (int others : {3, 6}) {
        one_beside<KIND, 0>(others), one_beside<KIND, 2>(others), one_beside<KIND, 4>(others);
        one_beside<KIND, 8>(others), one_beside<KIND, 16>(others), one_beside<KIND, 32>(others);
        one_beside<KIND, 64>(others), one_beside<KIND, 128>(others), one_beside<KIND, 512>(others);
        if (KIND == NONE)
            break;
    }
}

int main()
{
    CK(cudaMalloc(&data, (size_t)1 << 30));
    CK(cudaMemset(data, 0, (size_t)1 << 30));
    CK(cudaMalloc(&sums, 8192));
    all_beside<NONE>(), all_beside<SHARED>(), all_beside<SHARED_ROWS>(), all_beside<LINE>();
    all_beside<ROWS>(), all_beside<ROWS_APART>(), all_beside<MISSES>();
    for (int blocks : {1, 132})
        for (int pitch : {128, 132, 8192})
            for (int words : {8, 32, 1024})
                for (int warps : {1, 2, 4, 8, 16}) {
                    if ((words - 1) * 4 + 128 > pitch && words != 8 && pitch < 8192)
                        continue;
                    column_sums<<<blocks, warps * 32>>>(data, sums, 256, pitch, words);
                    LAUNCHED("sums blocks=%d pitch=%d words=%d warps=%d rounds=256", blocks, pitch,
                             words, warps);
                }
    return 0;
}
