/* words.h - loads and stores of a word that the assembler neither moves nor drops, and a rest. */
#ifndef STRATA_PROBE_WORDS_H
#define STRATA_PROBE_WORDS_H

__device__ __forceinline__ unsigned ld(const unsigned *p)
{
    unsigned x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}
__device__ __forceinline__ void st(unsigned *p, unsigned x)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
__device__ __forceinline__ void rest(int cycles)
{
    for (long long end = clock64() + cycles; clock64() < end;)
        ;
}

#endif
