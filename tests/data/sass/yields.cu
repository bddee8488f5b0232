// yields.cu - lanes that leave others behind at a YIELD.

// Each lane adds `turns` times by swapping until its swap takes.
extern "C" __global__ void turns(unsigned *word, int lanes, int turns)
{
    if (threadIdx.x % 32 >= (unsigned)lanes)
        return;
    for (int i = 0; i < turns; i++) {
        unsigned old = *(volatile unsigned *)word, was;
        do {
            was = old;
            old = atomicCAS(word, was, was + 1);
        } while (was != old);
    }
}

// One lane after the other holds a lock while those of its warp wait behind it: a loop that yields
// inside another region.
extern "C" __global__ void nested(int *lock, int *count)
{
    for (int k = 0; k < 32; k++)
        if ((threadIdx.x & 31) == k) {
            while (atomicCAS(lock, 0, 1))
                ;
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
        }
}
