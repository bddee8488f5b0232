/* Four lanes make a barrier each: the compiler's loop takes one address of the warp after the other. */
extern "C" __global__ void k(unsigned *out)
{
    __shared__ alignas(8) unsigned long long barriers[4];
    unsigned at = (unsigned)__cvta_generic_to_shared(barriers + threadIdx.x % 4);
    unsigned long long state;
    if (threadIdx.x < 4)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(32) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    out[threadIdx.x] = (unsigned)(state >> 32 | state) != 0;
}
