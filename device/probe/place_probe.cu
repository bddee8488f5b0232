/* place_probe.cu - where the driver puts a module's variables and what is allocated: addresses as
 * offsets from the first one of each list. */
#include "check.h"

#include <cstdint>

__device__ int one_word;
__device__ char one_byte;
__device__ int five_words[5];
__device__ double two_doubles[2];
__device__ int page[1024];
__device__ char odd_bytes[1001];
__device__ int big[1 << 20];
__device__ int late_word = 7;
__device__ int late_words[5] = {1, 2, 3};
__device__ __align__(64) int aligned_words[3];
__device__ int another_big[(1 << 20) + 3];
__device__ short small_shorts[7];
__managed__ int managed_word;
__managed__ int managed_words[33];
__constant__ int constant_words[5];
static __device__ int private_words[9];

__global__ void touch()
{
    one_word = one_byte = five_words[1] = page[3] = odd_bytes[5] = big[7] = late_word;
    two_doubles[1] = late_words[2] + aligned_words[1] + constant_words[threadIdx.x % 5];
    another_big[3] = small_shorts[2] = managed_word = managed_words[3] = private_words[1] = 1;
}

template <class T> static void show(const char *name, T &symbol, size_t bytes)
{
    void *at = nullptr;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    if (error != cudaSuccess)
        printf("refused: %s\n", cudaGetErrorString(error));
    printf("symbol,%s,%zu,%llx\n", name, bytes, (unsigned long long)at);
}

int main()
{
    touch<<<1, 32>>>();
    CK(cudaDeviceSynchronize());
#define SHOW(x) show(#x, x, sizeof x)
    SHOW(one_word), SHOW(one_byte), SHOW(five_words), SHOW(two_doubles), SHOW(page),
        SHOW(odd_bytes);
    SHOW(big), SHOW(late_word), SHOW(late_words), SHOW(aligned_words), SHOW(another_big);
    SHOW(small_shorts), SHOW(managed_word), SHOW(managed_words), SHOW(constant_words);
    SHOW(private_words);
    static const size_t sizes[] = {
        4,      4,       512,           513,     1000,     4096,          65536,
        100000, 1 << 20, (1 << 20) + 4, 1 << 20, 2 << 20,  (2 << 20) + 1, 3 << 20,
        4,      1024,    10 << 20,      4,       40 << 20, 4096};
    void *at[64];
    int n = 0;
    for (size_t s : sizes) {
        CK(cudaMalloc(&at[n], s));
        printf("malloc,%d,%zu,%llx\n", n, s, (unsigned long long)at[n]);
        n++;
    }
    CK(cudaFree(at[2]));
    CK(cudaFree(at[8]));
    for (size_t s : {(size_t)256, (size_t)(1 << 20), (size_t)100}) {
        CK(cudaMalloc(&at[n], s));
        printf("again,%d,%zu,%llx\n", n, s, (unsigned long long)at[n]);
        n++;
    }
    return 0;
}
