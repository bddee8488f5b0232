/* Loops that wait for a clock, as in device/probe/devicecalls_probe.cu. */
extern "C" __global__ void wait32(long long cycles, long long *rounds)
{
    long long n = 0;
    unsigned begin = clock();
    do
        n++;
    while ((unsigned)(clock() - begin) < cycles);
    rounds[threadIdx.x] = n;
}

extern "C" __global__ void wait64(long long cycles, long long *rounds)
{
    long long n = 0, begin = clock64();
    do
        n++;
    while (clock64() - begin < cycles);
    rounds[threadIdx.x] = n;
}

extern "C" __global__ void wait_timer(long long nanoseconds, long long *rounds)
{
    long long n = 0, begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        n++;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
    rounds[threadIdx.x] = n;
}

extern "C" __global__ void wait_asleep(long long cycles, long long *rounds)
{
    long long n = 0, begin = clock64();
    do {
        n++;
        __nanosleep(500);
    } while (clock64() - begin < cycles);
    rounds[threadIdx.x] = n;
}

extern "C" __global__ void wait_at_barrier(long long cycles, long long *at)
{
    long long begin = clock64();
    if (threadIdx.x < 32)
        while (clock64() - begin < cycles)
            ;
    __syncthreads();
    at[threadIdx.x] = clock64();
}
