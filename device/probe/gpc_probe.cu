// gpc_probe.cu - which SMs have their equal reads merged, and which do not.
//
// 132 blocks, one an SM. Those on SMs `a` and `b` read the same 64 lines at the same time, which
// they know from the clock of the whole GPU; no other block reads anything. Counted are
// lts__t_sectors_srcunit_tex_op_read: 256 where both are served as one, 512 where each is on its own.
//
//   ncu --clock-control none --cache-control all --metrics
//   lts__t_sectors_srcunit_tex_op_read.sum gpc_probe
//
// `gpc_probe order` prints the SM of every block of grids of 1 to 16 blocks instead.
#include "check.h"

#include <cstdint>
#include <cstring>

__device__ __forceinline__ unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}
__device__ __forceinline__ unsigned long long now_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__global__ void both_read(const char *data, unsigned *out, unsigned a, unsigned b)
{
    unsigned me = sm_id(), sum = 0;
    if (me != a && me != b)
        return;
    unsigned long long at = (now_ns() | 0xffff) + 1 + 0x4000;
    while (now_ns() < at)
        ;
    for (int i = threadIdx.x / 32; i < 64; i += blockDim.x / 32) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + i * 128 + threadIdx.x % 32 * 4));
        sum += v;
    }
    if (sum == 12345)
        out[0] = sum;
}
__global__ void where(unsigned *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = sm_id();
}
int main(int n, char **arg)
{
    char *data;
    unsigned *out;
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMalloc(&out, 1 << 16));
    CK(cudaMemset(data, 1, 1 << 20));
    if (n > 1 && !strcmp(arg[1], "order")) {
        unsigned sm[140];
        for (int blocks : {1, 2, 3, 4, 6, 8, 9, 12, 16, 132}) {
            where<<<blocks, 32>>>(out);
            where<<<blocks, 32>>>(out);
            CK(cudaMemcpy(sm, out, sizeof sm, cudaMemcpyDeviceToHost));
            printf("%d:", blocks);
            for (int i = 0; i < blocks; i++)
                printf(" %u", sm[i]);
            printf("\n");
        }
        return 0;
    }
    CK(cudaFuncSetAttribute(both_read, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    const unsigned from[] = {124, 126, 130, 0, 16, 64, 120, 122};
    for (unsigned a : from)
        for (unsigned b = 0; b < 132; b += 2)
            if (b / 2 != a / 2)
                both_read<<<132, 128, 200 << 10>>>(data, out, a, b);
    both_read<<<132, 128, 200 << 10>>>(data, out, 124, 125);
    both_read<<<132, 128, 200 << 10>>>(data, out, 0, 1);
    CK(cudaDeviceSynchronize());
    return 0;
}
