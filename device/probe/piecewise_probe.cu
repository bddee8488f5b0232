/* piecewise_probe.cu - what stores to lines cost that are written piece by piece, once a set of the
 * L2 has as many lines in part as it may.
 *
 * A lane writes RECORDS records STRIDE bytes apart from its neighbours', in the pieces of KIND, with
 * GAP cycles between two of them: `half` 16 bytes; `sector` 16 and 16, which make a sector whole;
 * `three` 16, 8, 8, likewise; `most` 16 and 8 of it; `two` half of each of two sectors; `record` 16, 8,
 * 8 and half of the next sector; `whole` 32 at once by two lanes, so that no sector is ever in part.
 * Compared are cycles for one more sector that the L2 takes in, and what DRAM gives and takes for it.
 * To be run under Nsight Compute. Prints a line a launch: kind, stride, gap, blocks, warps, pieces. */
#include <cstdio>
#include <cuda_runtime.h>

enum { RECORDS = 4, MOST_WARPS = 264 * 32 };
enum kind { HALF, SECTOR, THREE, MOST, TWO, RECORD, WHOLE };
static const char *const names[] = {"half", "sector", "three", "most", "two", "record", "whole"};

static __device__ void st4(char *p, unsigned v)
{
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory");
}
static __device__ void st2(char *p, unsigned v)
{
    asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(p), "r"(v) : "memory");
}
static __device__ void rest(int cycles)
{
    if (cycles)
        for (long long end = clock64() + cycles; clock64() < end;)
            ;
}

template <int KIND> static __device__ void put(char *p, unsigned lane, int stride, int gap)
{
    if (KIND == WHOLE) { /* the lanes of a pair write their two records one after the other */
        char *first = p - (size_t)(lane & 1) * stride + (lane & 1) * 16;
        st4(first, lane), rest(gap), st4(first + stride, lane);
        return;
    }
    st4(p, lane);
    if (KIND == SECTOR)
        rest(gap), st4(p + 16, lane);
    if (KIND == THREE || KIND == MOST || KIND == RECORD)
        rest(gap), st2(p + 16, lane);
    if (KIND == THREE || KIND == RECORD)
        rest(gap), st2(p + 24, lane);
    if (KIND == TWO || KIND == RECORD)
        rest(gap), st4(p + 32, lane);
}
template <int KIND> __global__ void records(char *data, int stride, int gap)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *p = data + ((size_t)warp * RECORDS * 32 + lane) * stride;
    for (int k = 0; k < RECORDS; k++, p += 32 * (size_t)stride)
        put<KIND>(p, lane, stride, gap), rest(gap);
}

static char *data;

template <int KIND> static void all(int pieces)
{
    for (int stride : {64, 128})
        for (int gap : {0, 200, 2000})
            for (int warps : {4, 8, 32}) {
                printf("%s,%d,%d,%d,%d,%d\n", names[KIND], stride, gap, 264, warps, 264 * warps * 32 * RECORDS * pieces);
                records<KIND><<<264, warps * 32>>>(data, stride, gap);
            }
}

int main()
{
    size_t bytes = (size_t)MOST_WARPS * RECORDS * 32 * 128;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    printf("kind,stride,gap,blocks,warps,pieces\n");
    all<HALF>(1), all<SECTOR>(2), all<THREE>(3), all<MOST>(2), all<TWO>(2), all<RECORD>(4), all<WHOLE>(2);
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
