/* allocation_probe.cu - where cudaMalloc and its kin place what is asked for.
 *
 *     nvcc -arch=sm_90 -o allocation_probe allocation_probe.cu; allocation_probe CASE
 *
 * A line an allocation: case, step, call, bytes, address. Each case is a process of its own. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
__device__ int variable[1000];
__global__ void touch(int *p) { p[0] = variable[0]; }
static const char *name;
static int step;
static void told(const char *call, size_t bytes, const void *at) { printf("%s,%d,%s,%zu,%p\n", name, step++, call, bytes, at); }
static char *take(size_t bytes)
{
    char *p = nullptr;
    if (cudaMalloc(&p, bytes) != cudaSuccess) printf("%s,%d,failed,%zu,0\n", name, step, bytes);
    told("malloc", bytes, p);
    return p;
}
static void give(char *p) { told("free", 0, p); cudaFree(p); }
int main(int n, char **words)
{
    name = n > 1 ? words[1] : "sizes";
    if (!strcmp(name, "sizes"))
        for (size_t b : {1ul, 256ul, 257ul, 512ul, 513ul, 1000ul, 1024ul, 4096ul, 5000ul, 65536ul, 100000ul, 262144ul, 300000ul, 524288ul, 600000ul, 1000000ul, 1048575ul, 1048576ul, 1048577ul, 1500000ul, 2097151ul, 2097152ul,
                         2097153ul, 3000000ul, 4194304ul, 40000000ul, 4ul, 100ul, 67108864ul, 4ul, 700000ul, 800000ul, 900000ul, 1000ul, 33554432ul, 33554433ul, 1ul, 1000000000ul, 4ul})
            take(b);
    if (!strcmp(name, "bins")) { take(40000000); take(3072); }
    if (!strcmp(name, "after_launch")) { char *p = take(4000); touch<<<1, 1>>>((int *)p); cudaDeviceSynchronize(); take(4000); void *v; cudaGetSymbolAddress(&v, variable); told("symbol", 4000, v); take(40000000); take(4); }
    if (!strcmp(name, "symbol_first")) { void *v; cudaGetSymbolAddress(&v, variable); told("symbol", 4000, v); take(512); take(3000000); take(512); }
    if (!strcmp(name, "threes")) for (int i = 0; i < 12; i++) take(3000000);
    if (!strcmp(name, "megabytes")) for (int i = 0; i < 12; i++) take(1 << 20);
    if (!strcmp(name, "arrays")) for (int i = 0; i < 12; i++) take(4000000);
    if (!strcmp(name, "below")) for (int i = 0; i < 12; i++) take(1000000);
    if (!strcmp(name, "thousands")) for (int i = 0; i < 30; i++) take(400000);
    if (!strcmp(name, "big")) for (int i = 0; i < 6; i++) take(100000000);
    if (!strcmp(name, "turns")) for (int i = 0; i < 6; i++) { take(10000); take(20000000); }
    if (!strcmp(name, "again")) {
        char *a = take(1000), *b = take(2000), *c = take(3000), *d = take(500);
        give(b); take(1500); take(400); give(a); take(600); give(c); take(3000); take(5000); give(d); take(512); take(100);
        char *x = take(5000000), *y = take(6000000), *z = take(7000000);
        give(y); take(5500000); take(400000); give(x); take(3000000); give(z); take(7000000); take(100000000);
    }
    if (!strcmp(name, "pitch")) for (size_t w : {100ul, 512ul, 513ul, 4000ul, 4096ul}) for (size_t h : {10ul, 100ul, 2000ul}) {
        void *p; size_t pitch; cudaMallocPitch(&p, &pitch, w, h); told("pitch", pitch * h, p);
    }
    if (!strcmp(name, "async")) { for (size_t b : {1ul, 1000ul, 100000ul, 3000000ul, 40000000ul, 4ul}) { void *p; cudaMallocAsync(&p, b, 0); told("async", b, p); } take(4); }
    if (!strcmp(name, "managed")) for (size_t b : {1ul, 1000ul, 100000ul, 3000000ul, 40000000ul, 4ul}) { void *p; cudaMallocManaged(&p, b); told("managed", b, p); }
    return 0;
}
