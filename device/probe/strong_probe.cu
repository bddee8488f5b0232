/* strong_probe.cu - what the L1 does with loads that must see other writers' data (volatile,
 * relaxed, acquire, ld.cg), beside a plain one: all warps read one word, or each its own line, once
 * or four times. To be run under Nsight Compute; the counters are the result. */
#include "check.h"

enum {
    PLAIN,
    CG,
    CV,
    VOLATILE,
    RELAXED_CTA,
    RELAXED_GPU,
    RELAXED_SYS,
    ACQUIRE_GPU,
    ACQUIRE_SYS,
    WAYS
};
static const char *const way_name[] = {"plain",       "cg",          "cv",
                                       "volatile",    "relaxed.cta", "relaxed.gpu",
                                       "relaxed.sys", "acquire.gpu", "acquire.sys"};

template <int WAY> __device__ int load(const int *at)
{
    int x;
#define LOAD(how) asm volatile("ld." how ".u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory")
    if (WAY == PLAIN)
        LOAD("global");
    else if (WAY == CG)
        LOAD("global.cg");
    else if (WAY == CV)
        LOAD("global.cv");
    else if (WAY == VOLATILE)
        LOAD("volatile.global");
    else if (WAY == RELAXED_CTA)
        LOAD("relaxed.cta.global");
    else if (WAY == RELAXED_GPU)
        LOAD("relaxed.gpu.global");
    else if (WAY == RELAXED_SYS)
        LOAD("relaxed.sys.global");
    else if (WAY == ACQUIRE_GPU)
        LOAD("acquire.gpu.global");
    else
        LOAD("acquire.sys.global");
    return x;
}

// stride_words 0: all threads read one word; else each warp its own lines. before: a plain load
// first.
template <int WAY>
__global__ void read(const int *in, int *out, int stride_words, int times, int before)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    const int *at = in + (size_t)thread * stride_words;
    if (before)
        sum += load<PLAIN>(at);
    for (int k = 0; k < times; k++)
        sum += load<WAY>(at);
    if (sum == -1)
        out[0] = sum;
}

typedef void (*kernel)(const int *, int *, int, int, int);

int main(void)
{
    static const kernel kernels[] = {read<PLAIN>,       read<CG>,          read<CV>,
                                     read<VOLATILE>,    read<RELAXED_CTA>, read<RELAXED_GPU>,
                                     read<RELAXED_SYS>, read<ACQUIRE_GPU>, read<ACQUIRE_SYS>};
    int *in, *out;
    CK(cudaMalloc(&in, 64 << 20));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMemset(in, 0, 64 << 20));
    static const int shape[][2] = {{1, 32}, {132, 256}, {1024, 256}};
    for (int way = 0; way < WAYS; way++)
        for (auto &s : shape)
            for (int stride = 0; stride < 2; stride++)
                for (int times = 1; times <= 4; times *= 4)
                    for (int before = 0; before < (way && times == 4 ? 2 : 1); before++) {
                        printf("%s,%d,%d,%d,%d,%d\n", way_name[way], s[0], s[1], stride, times,
                               before);
                        kernels[way]<<<s[0], s[1]>>>(in, out, stride, times, before);
                        CK(cudaGetLastError());
                    }
    CK(cudaDeviceSynchronize());
    return 0;
}
