// parted_probe.cu - who keeps the SMs of a GPC from sharing an answer by reading another sector of
// the same lines.
//
// 132 blocks, one an SM. Three SMs of a GPC read the first sectors of 64 lines, the first two at
// the same time and the third `delay` cycles later. An SM of `other` GPC, or none (-1), reads the
// second sectors 40 cycles after the first two. GPCs are found by the clusters that SMs take part
// in, sides of the L2 by additions (sides.h). Counted are lts__t_sectors_srcunit_tex_op_read: 64
// where all three share, 128 where the third does not, and 64 more by the other SM:
//
//   ncu --clock-control none --cache-control all --metrics
//   lts__t_sectors_srcunit_tex_op_read.sum -k regex:parted parted_probe
#include "check.h"
#include "sides.h"

#include <numeric>
#include <vector>

enum { LINES = 64, SHARED = 200 << 10, NOBODY = 0xffff };

__device__ __forceinline__ unsigned long long now_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

struct roles {
    unsigned sm[3], other;
    int delay;
};

__global__ void parted(const char *data, unsigned *out, roles r)
{
    unsigned me = sm_id(), sum = 0, sector = me == r.other;
    if (me != r.sm[0] && me != r.sm[1] && me != r.sm[2] && me != r.other)
        return;
    unsigned long long at = (now_ns() | 0xffff) + 1 + 0x4000;
    while (now_ns() < at)
        ;
    long long begin = clock64() + 100 + (me == r.sm[2] ? r.delay : me == r.other ? 40 : 0);
    while (clock64() < begin)
        ;
    if (threadIdx.x % 32 < 8)
        for (int i = threadIdx.x / 32; i < LINES; i += blockDim.x / 32) {
            unsigned v;
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(v)
                         : "l"(data + i * 128 + sector * 32 + threadIdx.x % 32 * 4));
            sum += v;
        }
    if (sum == 12345)
        out[0] = sum;
}

__global__ void where(unsigned *sm)
{
    if (threadIdx.x == 0)
        sm[blockIdx.x] = sm_id();
}

static unsigned root(std::vector<unsigned> &up, unsigned i)
{
    return up[i] == i ? i : up[i] = root(up, up[i]);
}

// SMs that were ever in one cluster lie in one GPC; numbers by the lowest SM.
static std::vector<int> find_gpcs(int n_sms, unsigned *sm)
{
    std::vector<unsigned> up(n_sms), at(n_sms);
    std::iota(up.begin(), up.end(), 0u);
    for (int size : {16, 8, 4, 2})
        for (int time = 0; time < 4; time++) {
            cudaLaunchConfig_t how = {};
            cudaLaunchAttribute cluster;
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim = {(unsigned)size, 1, 1};
            how.gridDim = n_sms / size * size;
            how.blockDim = 32;
            how.dynamicSmemBytes = SHARED;
            how.attrs = &cluster;
            how.numAttrs = 1;
            CK(cudaLaunchKernelEx(&how, where, sm));
            CK(cudaMemcpy(at.data(), sm, 4 * how.gridDim.x, cudaMemcpyDeviceToHost));
            for (unsigned b = 0; b < how.gridDim.x; b++)
                up[root(up, at[b])] = root(up, at[b / size * size]);
        }
    std::vector<int> gpc(n_sms), number(n_sms, -1);
    int n = 0;
    for (int s = 0; s < n_sms; s++) {
        int &k = number[root(up, s)];
        gpc[s] = k < 0 ? k = n++ : k;
    }
    return gpc;
}

static unsigned nth(const std::vector<int> &gpc, int g, int n)
{
    for (unsigned s = 0; s < gpc.size(); s += 2) // one of each pair
        if (gpc[s] == g && n-- == 0)
            return s;
    return NOBODY;
}

int main()
{
    cudaDeviceProp card;
    CK(cudaGetDeviceProperties(&card, 0));
    int n_sms = card.multiProcessorCount;
    char *data;
    unsigned *out, *cycles;
    std::vector<unsigned> sides(2 * n_sms);
    CK(cudaMalloc(&data, 4 << 20));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&cycles, 8 * n_sms));
    CK(cudaMemset(data, 0, 4 << 20));
    CK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CK(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CK(cudaFuncSetAttribute(parted, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CK(cudaFuncSetAttribute(find_sides, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    std::vector<int> gpc = find_gpcs(n_sms, out);
    find_sides<<<n_sms, 32, SHARED>>>(data, cycles);
    CK(cudaMemcpy(sides.data(), cycles, 8 * n_sms, cudaMemcpyDeviceToHost));
    printf("# gpc of SMs:");
    for (int s = 0; s < n_sms; s++)
        printf(" %d", gpc[s]);
    printf("\n# near side of SMs:");
    for (int s = 0; s < n_sms; s++)
        printf(" %d", sides[2 * s] > sides[2 * s + 1]);
    printf("\ngpc,other_gpc,delay,sms\n");
    for (int g : {1, 4})
        for (int other = -1; other < 8; other++)
            for (int delay = 100; delay <= 500; delay += 100) {
                roles r = {{nth(gpc, g, 0), nth(gpc, g, 1), nth(gpc, g, 2)},
                           other < 0 ? (unsigned)NOBODY : nth(gpc, other, 4),
                           delay};
                parted<<<n_sms, 128, SHARED>>>(data, out, r);
                CK(cudaDeviceSynchronize());
                printf("%d,%d,%d,%u %u %u %u\n", g, other, delay, r.sm[0], r.sm[1], r.sm[2],
                       r.other);
            }
    return 0;
}
