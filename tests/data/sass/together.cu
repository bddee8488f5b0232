// together.cu - lanes that meet in groups of their own, all of them there: they stay together, one instruction for all.
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x, value = in[t * 16];
    unsigned mates = __match_any_sync(~0u, in[t * 16 + 1] & 7);
    out[t * 64] = __shfl_sync(mates, value, __ffs(mates) - 1);
    __syncwarp(mates);
    out[t * 64 + 1] = mates;
}
