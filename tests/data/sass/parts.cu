// parts.cu - lanes of one warp meet in groups of their own: each names only the lanes with its label.
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned box[64];
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, value = in[t * 16];
    for (unsigned groups = 1; groups <= 8; groups++) {
        unsigned label = in[t * 16 + groups] % groups, mates = __match_any_sync(~0u, label);
        unsigned next = mates >> lane >> 1, to = next ? lane + __ffs(next) : __ffs(mates) - 1, sum = 0;
        for (unsigned i = __popc(mates); i; i--) { /* around the group, one step at a time */
            box[threadIdx.x] = value;
            __syncwarp(mates);
            value = box[(threadIdx.x & ~31u) + to] * 3 + label;
            __syncwarp(mates);
            sum += __shfl_sync(mates, value, to) ^ i;
        }
        out[t * 64 + groups] = sum + __reduce_add_sync(mates, value);
        __syncwarp();
    }
}
