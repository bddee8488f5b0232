// collective.cu - lanes that have gone apart meet in shuffles, votes and reductions. Compiled without optimisation, where each of these stands
// between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE and the code asks whether its stack has room (SR_LMEMHIOFF).
__constant__ unsigned table[4] = {3, 5, 9, 17}; // such code loads from it by a generic address

extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x, x = in[t * 16], lane = threadIdx.x % 32, y = 0;
    if (x & 1) {
        for (unsigned i = 0; i < (x >> 1 & 3); i++)
            y += in[t * 16 + i];
        y += __shfl_xor_sync(0xffffffffu, x, 5);
    } else {
        y = __shfl_xor_sync(0xffffffffu, x, 5);
    }
    out[t * 64] = y;
    out[t * 64 + 4] = table[x >> 4 & 3] + table[lane & 3];
    out[t * 64 + 1] = __ballot_sync(0xffffffffu, y & 4);
    out[t * 64 + 2] = __reduce_add_sync(0xffffffffu, y);
    unsigned mine = lane < 16 ? 0xffffu : 0xffff0000u;
    if (lane < 16)
        out[t * 64 + 3] = __shfl_sync(mine, y, x & 15, 16) + __popc(__match_any_sync(mine, y & 3));
    else
        out[t * 64 + 3] = __any_sync(mine, y == 7) + __reduce_xor_sync(mine, x);
}
