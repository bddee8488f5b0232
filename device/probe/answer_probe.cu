// answer_probe.cu - how long an SM waits for the answer of an atomic, by where the word lies.
//
// One warp of one SM after the other makes 64 atomics, each of which needs the answer of the one
// before, on a word that is in the L2 already; likewise loads around the L1. A line for every SM
// and page of 4 KB: cycles a round, the arithmetic between two of them included. Not under a
// profiler.
#include "check.h"

enum what { LOAD, ADD, SWAP, EXCHANGE, CAS64, FLOAT, KINDS };
template <int kind> __device__ unsigned step(unsigned *at, unsigned v)
{
    unsigned got;
    unsigned long long got64;
    float f;
    switch (kind) {
    case LOAD:
        asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(got) : "l"(at + v) : "memory");
        return got;
    case ADD:
        asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(got) : "l"(at + v), "r"(0) : "memory");
        return got;
    case SWAP:
        asm volatile("atom.global.cas.b32 %0,[%1],%2,%3;" : "=r"(got) : "l"(at + v), "r"(v), "r"(v) : "memory");
        return got;
    case EXCHANGE:
        asm volatile("atom.global.exch.b32 %0,[%1],%2;" : "=r"(got) : "l"(at + v), "r"(0) : "memory");
        return got;
    case CAS64:
        asm volatile("atom.global.cas.b64 %0,[%1],%2,%2;" : "=l"(got64) : "l"((unsigned long long *)at + v), "l"(0ull) : "memory");
        return (unsigned)got64;
    default:
        asm volatile("atom.global.add.f32 %0,[%1],%2;" : "=f"(f) : "l"((float *)at + v), "f"(0.f) : "memory");
        return (unsigned)f;
    }
}
template <int kind> __global__ void chain(unsigned *page, unsigned sm, unsigned *cycles, int lanes)
{
    unsigned me, v = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(me));
    if (me != sm || threadIdx.x >= (unsigned)lanes)
        return;
    for (int i = 0; i < 8; i++)
        v = step<kind>(page, v);
    unsigned begin = clock();
    for (int i = 0; i < 64; i++)
        v = step<kind>(page, v);
    unsigned end = clock();
    if (threadIdx.x == 0)
        *cycles = (end - begin + v) / 64;
}
template <int kind> void go(const char *name, unsigned *data, unsigned *cycles, int lanes)
{
    for (unsigned sm : {0u, 2u, 5u, 8u, 33u, 66u, 100u, 124u, 127u, 130u})
        for (int page = 0; page < 8; page++) {
            CK(cudaMemset(cycles, 0, 4));
            chain<kind><<<132, 32, 200 << 10>>>(data + page * 1024, sm, cycles, lanes);
            unsigned c;
            CK(cudaMemcpy(&c, cycles, 4, cudaMemcpyDeviceToHost));
            printf("%s,%d,%u,%d,%u\n", name, lanes, sm, page, c);
        }
}
template <int kind> void allow()
{
    CK(cudaFuncSetAttribute(chain<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
}
int main()
{
    unsigned *data, *cycles;
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMalloc(&cycles, 4));
    CK(cudaMemset(data, 0, 1 << 20));
    allow<LOAD>(), allow<ADD>(), allow<SWAP>(), allow<EXCHANGE>(), allow<CAS64>(), allow<FLOAT>();
    printf("kind,lanes,sm,page,cycles\n");
    for (int lanes : {1, 32}) {
        go<LOAD>("load", data, cycles, lanes);
        go<ADD>("add", data, cycles, lanes);
        go<SWAP>("cas", data, cycles, lanes);
        go<EXCHANGE>("exchange", data, cycles, lanes);
        go<CAS64>("cas64", data, cycles, lanes);
        go<FLOAT>("float", data, cycles, lanes);
    }
    return 0;
}
