// meets.cu - one lane waits for a lock, then the warp meets and reads shared memory at an address that it has once.
__device__ int lock;

extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    __shared__ unsigned box[4];
    __shared__ float last[32];
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x, n = in[7] & 1, length = in[9] % 500;
    for (unsigned round = 0; round < 8 + n; round++) {
        if (threadIdx.x == 0)
            while (atomicCAS(&lock, 0, 1))
                ;
        __syncthreads();
        if (threadIdx.x == 33)
            box[0] = in[blockIdx.x * 1024 + round] * (round + 3);
        __syncthreads();
        float sum = 0;
        for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
            sum += (float)(in[i & 511] & 3);
        if (threadIdx.x % 32 == 31)
            last[threadIdx.x / 32] = sum;
        __syncthreads();
        float seen = last[0];
        for (unsigned i = threadIdx.x & 3; i < 4; i++)
            out[t * 64 + round * 4 + i] = (unsigned)(seen / (float)(i + n + 1)) + box[0];
        __syncthreads();
        if (threadIdx.x == 0)
            lock = 0;
        __syncthreads();
    }
}
