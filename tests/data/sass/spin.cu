// spin.cu - additions of floats and doubles in shared memory, which are loops around ATOMS.CAST.SPIN: it says whether it swapped.
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ float sum[4];
    __shared__ double wide[4];
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x;
    if (threadIdx.x < 4)
        sum[threadIdx.x] = (float)(wide[threadIdx.x] = 0);
    __syncthreads();
    atomicAdd(&sum[in[t * 16] & 3], (float)(in[t * 16 + 1] & 255));
    atomicAdd(&wide[in[t * 16 + 2] & 3], (double)(in[t * 16 + 3] & 255));
    __syncthreads();
    for (unsigned i = 0; i < 4; i++) {
        out[t * 64 + i] = __float_as_uint(sum[i]);
        out[t * 64 + 4 + i] = (unsigned)wide[i];
    }
}
