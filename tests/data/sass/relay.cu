// relay.cu - warps of a block that wait for one another by flags in shared memory. The first warp hands out batches, all others take
// each; the second one takes the flag back once it is done, and the third and later ones must have seen it by then.
__device__ __forceinline__ int work(int x, int rounds)
{
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        x = x * 5 + i;
    return x;
}

extern "C" __global__ void relay(int *sums, int *polls, int batches)
{
    __shared__ volatile int ready, done, data;
    int warp = threadIdx.x / 32, sum = 0, n = 0;
    if (threadIdx.x == 0)
        ready = 0, done = 1;
    __syncthreads();
    for (int batch = 1; batch <= batches && threadIdx.x % 32 == 0; batch++) {
        if (warp == 0) {
            while (!done)
                n++;
            data = batch + (work(batch, 400) == 7);
            done = 0;
            ready = 1;
        } else {
            while (!ready)
                n++;
            sum += data + (work(batch, warp == 1 ? 100 : 150) == 7);
            if (warp == 1) {
                ready = 0;
                done = 1;
            }
        }
    }
    if (threadIdx.x % 32 == 0) {
        sums[warp] = sum;
        polls[warp] = n;
    }
}

// Waits for what nobody stores.
extern "C" __global__ void never(int *sums)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x / 32 == 1)
        while (!flag)
            ;
    __syncthreads();
    sums[0] = 1;
}
