// order.cu - which SM each block of a launch in clusters goes to, and when it begins.
//
// Every block writes its SM and the global timer, and waits for `wait` cycles, later blocks a
// little longer where `slope` says so. A line a launch: blocks of a cluster, clusters, blocks to an
// SM, and SM@time of the first block of every cluster (the others' SMs behind it, joined by +), the
// time in ns since the first block began.
//
//   order      runs every launch
#include "hopper.h"

__global__ void place(int wait, int slope, unsigned *sm, unsigned long long *when)
{
    if (threadIdx.x == 0) {
        unsigned s;
        unsigned long long t;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
        sm[blockIdx.x] = s;
        when[blockIdx.x] = t;
        long long end = clock64() + wait + (long long)slope * (blockIdx.x % 7);
        while (clock64() < end)
            ;
    }
}

static unsigned *sms;
static unsigned long long *times;

static void launch(int size, int clusters, int per_sm, int wait, int slope)
{
    int blocks = size * clusters, shared = (per_sm == 1 ? 200 : 100) << 10;
    CK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CK(cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = size > 1;
    CK(cudaLaunchKernelEx(&config, place, wait, slope, sms, times));
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> s(blocks);
    std::vector<unsigned long long> t(blocks);
    CK(cudaMemcpy(s.data(), sms, blocks * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(t.data(), times, blocks * 8, cudaMemcpyDeviceToHost));
    unsigned long long first = t[0];
    for (unsigned long long x : t)
        first = x < first ? x : first;
    printf("%d,%d,%d,%d,%d,", size, clusters, per_sm, wait, slope);
    for (int c = 0; c < clusters; c++) {
        printf(" %u", s[c * size]);
        for (int i = 1; i < size; i++)
            printf("+%u", s[c * size + i]);
        printf("@%llu", t[c * size] - first);
    }
    printf("\n");
}

int main()
{
    CK(cudaMalloc(&sms, 1 << 20));
    CK(cudaMalloc(&times, 1 << 20));
    printf("size,clusters,per_sm,wait,slope,places\n");
    launch(1, 132, 1, 20000, 0);
    for (int per_sm = 1; per_sm <= 2; per_sm++)
        for (int size : {2, 4, 8, 16})
            for (int part : {1, 2, 4, 8})
                launch(size, 33 * part * (per_sm == 1 ? 1 : 2) * 2 / size + part % 2, per_sm, 20000, 0);
    for (int size : {1, 2, 4})
        launch(size, 66 * 5 / size, 1, 20000, 977);
    return 0;
}
