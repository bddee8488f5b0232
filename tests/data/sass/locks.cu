/* Blocks that wait for one another: at a barrier of all, and for a lock; and sums by comparing and
 * swapping, which come before one another. */
extern "C" __global__ void meet(volatile unsigned *count)
{
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd((unsigned *)count, 1);
    while (*count < gridDim.x)
        ;
    count[32] = 1;
}
extern "C" __global__ void lock(unsigned *word)
{
    bool done = false;
    while (!done)
        if (atomicCAS(word, 0, 1) == 0) {
            word[1] = *(volatile unsigned *)&word[1] + 1;
            __threadfence();
            *(volatile unsigned *)word = 0;
            done = true;
        }
}
extern "C" __global__ void sum(unsigned *word)
{
    unsigned was, now = *word;
    do {
        was = now;
        now = atomicCAS(word, was, was + 3);
    } while (now != was);
}
