/* partial_probe.cu - which lines leave the L2 that were written in part, and when.
 *
 * `words`: one word of each of the first `sectors` sectors of n lines that lie `stride` bytes
 * apart, in order or strewn, `passes` times another word, with `pause` cycles between a thread's
 * stores, so that DRAM follows. `age`: the same, and when all is written one of eight parts is
 * read, another word of the sectors: what DRAM gives for that is what had not left. `both`: lines
 * written in part, then others written whole. `tiles`: bytes by blocks of 16 x 16 threads whose
 * first index is the row, a share of them in random places. To be run under Nsight Compute; the
 * counters are the result. */
#include "launched.h"

#include <cstdint>

static __device__ size_t place(size_t i, size_t n, int strewn)
{
    return strewn ? i * 40503 % n : i; /* n: a power of two, or three times one */
}
static __device__ void wait_for(int pause)
{
    if (pause)
        for (long long end = clock64() + pause; clock64() < end;)
            ;
}
static __device__ void put(char *a, size_t n, size_t stride, int sectors, int strewn, int passes,
                           int pause)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (int p = 0; p < passes; p++)
        for (size_t i = t; i < n; i += step) {
            for (int s = 0; s < sectors; s++)
                *(volatile unsigned *)(a + place(i, n, strewn) * stride + s * 32 + p * 4) = 1;
            wait_for(pause);
        }
}
/* All blocks are there at once. */
static __device__ void meet(unsigned *counter, unsigned until)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1);
        while (*(volatile unsigned *)counter < until)
            ;
    }
    __syncthreads();
}
__global__ void words(char *a, size_t n, size_t stride, int sectors, int strewn, int passes,
                      int pause)
{
    put(a, n, stride, sectors, strewn, passes, pause);
}
__global__ void clear(unsigned *counter)
{
    *counter = 0;
}
__global__ void age(char *a, size_t n, size_t stride, int strewn, int pause, int part, int parts,
                    unsigned *counter)
{
    put(a, n, stride, 1, strewn, 1, pause);
    meet(counter, gridDim.x);
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (size_t i = n / parts * part + t; i < n / parts * (part + 1); i += step) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0,[%1];"
                     : "=r"(v)
                     : "l"(a + place(i, n, strewn) * stride + 16)
                     : "memory");
        sum += v;
        wait_for(pause);
    }
    if (sum == 77)
        *counter = 1;
}
__global__ void both(char *a, size_t n, char *b, size_t whole, int pause, unsigned *counter)
{
    put(a, n, 128, 1, 0, 1, pause);
    meet(counter, gridDim.x);
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < whole * 8; i += step) {
        ((uint4 *)b)[i] = make_uint4(1, 2, 3, 4);
        wait_for(pause);
    }
}
/* A byte is written where a hash of its place is below `share` of 256. */
__global__ void tiles(unsigned char *a, int pitch, unsigned share, int turned)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (turned) {
        int r = row;
        row = col, col = r;
    }
    unsigned h = (row * 2654435761u) ^ (col * 2246822519u);
    h ^= h >> 15;
    h *= 2654435761u;
    if (h >> 24 < share)
        a[(size_t)row * pitch + col] = (unsigned char)h;
}

static char *a, *b;
static unsigned *counter;
static void run_words(int kilo, size_t stride, int sectors, int strewn, int passes, int pause)
{
    words<<<132, 256>>>(a, (size_t)kilo << 10, stride, sectors, strewn, passes, pause);
    LAUNCHED("words kilo=%d stride=%d sectors=%d strewn=%d passes=%d pause=%d", kilo, (int)stride,
             sectors, strewn, passes, pause);
}
static void run_age(int kilo, int strewn, int part, int parts)
{
    clear<<<1, 1>>>(counter);
    LAUNCHED("clear");
    age<<<132, 256>>>(a, (size_t)kilo << 10, 128, strewn, 6000, part, parts, counter);
    LAUNCHED("age kilo=%d strewn=%d part=%d parts=%d", kilo, strewn, part, parts);
}
static void run_both(int kilo, int whole_kilo)
{
    clear<<<1, 1>>>(counter);
    LAUNCHED("clear");
    both<<<132, 256>>>(a, (size_t)kilo << 10, b, (size_t)whole_kilo << 10, 1000, counter);
    LAUNCHED("both kilo=%d whole=%d", kilo, whole_kilo);
}
int main()
{
    CK(cudaMalloc(&a, (size_t)512 << 20));
    CK(cudaMalloc(&b, (size_t)128 << 20));
    CK(cudaMalloc(&counter, 4096));
    for (int pause : {8000, 0})
        for (int kilo : {48, 64, 72, 80, 96, 128, 192, 256, 512})
            run_words(kilo, 128, 1, 0, 1, pause);
    for (int kilo : {48, 64, 96, 128, 256})
        run_words(kilo, 128, 1, 1, 1, 8000);
    for (int kilo : {64, 96, 128, 256})
        run_words(kilo, 128, 4, 0, 1, 24000);
    for (int kilo : {32, 64, 96, 128})
        run_words(kilo, 1024, 1, 0, 1, 8000);
    for (int kilo : {64, 96, 128}) {
        run_words(kilo, 128, 1, 0, 2, 8000);
        run_words(kilo, 128, 1, 0, 4, 8000);
    }
    for (int kilo : {128, 256})
        for (int strewn : {0, 1})
            for (int part = 0; part < 8; part++)
                run_age(kilo, strewn, part, 8);
    for (int whole : {64, 128, 192, 256})
        run_both(48, whole);
    for (int rows : {752, 1504, 3008})
        for (unsigned share : {256u, 128u}) {
            tiles<<<dim3(rows / 16, 188), dim3(16, 16)>>>((unsigned char *)a, 4096, share, 0);
            LAUNCHED("tiles rows=%d share=%u turned=0", rows, share);
        }
    tiles<<<dim3(188, 188), dim3(16, 16)>>>((unsigned char *)a, 4096, 128, 1);
    LAUNCHED("tiles rows=3008 share=128 turned=1");
    tiles<<<dim3(188, 188), dim3(16, 16)>>>((unsigned char *)a, 4096, 256, 1);
    LAUNCHED("tiles rows=3008 share=256 turned=1");
    return 0;
}
