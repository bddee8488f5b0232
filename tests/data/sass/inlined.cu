// Functions inlined into one another, and one of a header: each instruction belongs to the kernel's line.
__device__ __forceinline__ void count(unsigned *bins, unsigned value)
{
    atomicAdd(&bins[value & 255], 1u);
}
__device__ __forceinline__ void count_some(unsigned *bins, unsigned value)
{
    if (value)
        count(bins, value);
}
extern "C" __global__ void inlined(const unsigned *in, unsigned *bins)
{
    int i = threadIdx.x;
    count_some(bins, in[i]);
    atomicAdd(&bins[in[i + 1] & 255], 2u);
}
