// labels.cu - matches, votes and reductions in groups of lanes: machine code asks first whether all lanes name the same (R2UR with a predicate, BRA.DIV).
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x, value = in[t * 16];
    unsigned mates = __match_any_sync(~0u, in[t * 16 + 1] & 3), one = __match_any_sync(~0u, in[t * 16 + 1] & 0);
    out[t * 64] = __match_any_sync(mates, value & 1);
    out[t * 64 + 1] = __ballot_sync(mates, value & 2);
    out[t * 64 + 2] = __any_sync(mates, (value & 7) == 1);
    out[t * 64 + 3] = __reduce_add_sync(mates, value);
    out[t * 64 + 4] = __match_any_sync(one, value & 1);
    out[t * 64 + 5] = __ballot_sync(one, value & 2);
}
