/* reds_probe.cu - additions of many warps to few words: what a slice takes by type, and by how many
 * words, sectors and lines are added to at the same time.
 *
 * warps: all lanes of a warp add to one word, other warps to others; so many words, `apart` words
 * from one to the next. sorted: the same in one pass over the data, neighbouring warps on one word,
 * as particles in order of their place. random: each lane to a word of its own choice. groups: so
 * many lanes of a warp side by side share a word. Under Nsight Compute; a line for each launch. */
#include "launched.h"

enum { BLOCKS = 528, THREADS = 256, ROUNDS = 32 };

template <class T> __device__ __forceinline__ void add(T *p);
template <> __device__ __forceinline__ void add(float *p)
{
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f) : "memory");
}
template <> __device__ __forceinline__ void add(unsigned *p)
{
    unsigned one = threadIdx.x;
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(one) : "memory");
}
template <> __device__ __forceinline__ void add(double *p)
{
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p), "d"(1.0) : "memory");
}

__device__ __forceinline__ unsigned mixed(unsigned x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

template <class T> __global__ void warps(T *data, unsigned words, unsigned apart, unsigned share)
{
    unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    T *at = data + (warp * (32 / share) + lane / share) % words * apart;
    for (int k = 0; k < ROUNDS; k++)
        add(at);
}
template <class T> __global__ void sorted(T *data, unsigned words, unsigned apart)
{
    unsigned thread = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
    T *at = data + (unsigned)((unsigned long long)thread * words / all) * apart;
    add(at);
    add(at + apart);
}
template <class T> __global__ void random_words(T *data, unsigned words)
{
    unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < ROUNDS; k++)
        add(data + mixed(thread * ROUNDS + k) % words);
}

static void *data;
template <class T> static void cases(const char *type)
{
    const unsigned a_sector = 32 / sizeof(T);
    for (unsigned sectors : {1u, 2u, 3u, 4u, 6u, 8u, 16u, 32u}) {
        warps<T><<<BLOCKS, THREADS>>>((T *)data, sectors, a_sector, 32);
        LAUNCHED("warps,%s,%u,%u,32", type, sectors, a_sector);
    }
    for (unsigned words : {2u, 4u, 8u, 16u, 64u}) {
        warps<T><<<BLOCKS, THREADS>>>((T *)data, words, 1, 32);
        LAUNCHED("warps,%s,%u,1,32", type, words);
    }
    for (unsigned share : {8u, 2u, 1u})
        for (unsigned sectors : {2u, 4u, 8u}) {
            warps<T><<<BLOCKS, THREADS>>>((T *)data, sectors, a_sector, share);
            LAUNCHED("groups,%s,%u,%u,%u", type, sectors, a_sector, share);
        }
    for (unsigned words : {16u, 64u, 100u, 200u, 800u, 3200u}) {
        sorted<T><<<1954, THREADS>>>((T *)data, words, 1);
        LAUNCHED("sorted,%s,%u,1,32", type, words);
    }
    for (unsigned words : {32u, 64u, 100u, 256u, 1024u, 4096u}) {
        random_words<T><<<BLOCKS, THREADS>>>((T *)data, words);
        LAUNCHED("random,%s,%u,1,1", type, words);
    }
}

int main()
{
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMemset(data, 0, 1 << 20));
    cases<float>("f32");
    cases<unsigned>("u32");
    cases<double>("f64");
    return 0;
}
