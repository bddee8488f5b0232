/* devicecalls_probe.cu - what the functions cost that the driver puts into a kernel: printf by its
 * format, arguments, strings, lanes, warps and blocks; malloc and free by size, lanes, warps and
 * blocks; and loops that wait for a clock. To be run under Nsight Compute; a line a launch, the
 * counters are the result. Text of the kernels goes to stdout behind the lines. */
#include "check.h"

#include <cstring>
#include <string>

__device__ void *kept[1 << 20];

template <int ARGS, typename T>
__device__ __forceinline__ void say(const char *format, T x)
{
    if (ARGS == 0)
        printf(format);
    else if (ARGS == 1)
        printf(format, x);
    else if (ARGS == 2)
        printf(format, x, x);
    else if (ARGS == 3)
        printf(format, x, x, x);
    else if (ARGS == 4)
        printf(format, x, x, x, x);
    else if (ARGS == 6)
        printf(format, x, x, x, x, x, x);
    else
        printf(format, x, x, x, x, x, x, x, x);
}

template <int ARGS, typename T>
__global__ void print(const char *format, T x, int lanes, int times)
{
    if (threadIdx.x % 32 < lanes)
        for (int t = 0; t < times; t++)
            say<ARGS>(format, x);
}

// Lanes one after the other, as a loop over threads prints.
__global__ void print_in_turn(const char *format, int x, int lanes, int times)
{
    for (int lane = 0; lane < lanes; lane++)
        if (threadIdx.x % 32 == lane)
            printf(format, x);
}

enum { TAKE = 1, GIVE = 2, FILL = 4 };

__global__ void heap(int what, int bytes, int lanes, int times)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (threadIdx.x % 32 >= lanes)
        return;
    for (int t = 0; t < times; t++) {
        if (what & TAKE)
            kept[i + t % 4] = malloc(bytes);
        if (what & FILL)
            *(int *)kept[i + t % 4] = t;
        if (what & GIVE)
            free(kept[i + t % 4]);
    }
}

enum wait { CLOCK32, CLOCK64, TIMER, SLEEP, SHARED, GLOBAL, CHAIN, SINE };
template <int HOW> __global__ void wait(long long cycles, volatile float *data, long long *out)
{
    __shared__ volatile float near[32];
    near[threadIdx.x % 32] = 1;
    float x = threadIdx.x;
    long long n = 0, past = 0, begin = HOW == CLOCK32 ? clock() : clock64();
    if (HOW == TIMER)
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    while (past < cycles) {
        long long now;
        n++;
        if (HOW == CLOCK32)
            now = begin + (unsigned)(clock() - (unsigned)begin);
        else if (HOW == TIMER)
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        else
            now = clock64();
        past = now - begin;
        if (HOW == SLEEP)
            __nanosleep(500);
        if (HOW == SHARED)
            x += near[(int)x & 31];
        if (HOW == GLOBAL)
            x += data[(int)x & 31];
        if (HOW == CHAIN)
            for (int k = 0; k < 16; k++)
                x = x * 1.01f + 0.5f;
        if (HOW == SINE)
            x = __sinf(x) * 3;
    }
    out[threadIdx.x] = n;
    if (x == 1.2345f)
        out[0] = 0;
}

static std::string made(int args, const char *conversion, int characters)
{
    std::string s;
    for (int i = 0; i < args; i++)
        s += conversion;
    while ((int)s.size() < characters - 1)
        s += 'x';
    return s + "\n";
}

static char *on_card(const std::string &s)
{
    char *at;
    CK(cudaMalloc(&at, 4096));
    CK(cudaMemcpy(at, s.c_str(), s.size() + 1, cudaMemcpyHostToDevice));
    return at;
}

template <int ARGS, typename T>
static void prints(const char *kind, const char *conversion, T x, int characters, int lanes, int warps, int blocks, int times)
{
    std::string s = made(ARGS, conversion, characters);
    fprintf(stderr, "printf %s,%d,%d,%d,%d,%d,%d\n", kind, ARGS, (int)s.size(), lanes, warps, blocks, times);
    print<ARGS, T><<<blocks, warps * 32>>>(on_card(s), x, lanes, times);
    CK(cudaDeviceSynchronize());
}

static void heaps(const char *kind, int what, int bytes, int lanes, int warps, int blocks, int times)
{
    fprintf(stderr, "heap %s,%d,%d,%d,%d,%d,%d\n", kind, what, bytes, lanes, warps, blocks, times);
    heap<<<blocks, warps * 32>>>(what, bytes, lanes, times);
    CK(cudaDeviceSynchronize());
}

template <int HOW> static void waits(const char *kind, long long cycles, int warps)
{
    static long long *out;
    static float *data;
    if (!out) {
        CK(cudaMalloc(&out, 1 << 16));
        CK(cudaMalloc(&data, 1 << 16));
        CK(cudaMemset(data, 0, 1 << 16));
    }
    fprintf(stderr, "wait %s,%lld,0,32,%d,1,1\n", kind, cycles, warps);
    wait<HOW><<<1, warps * 32>>>(cycles, data, out);
    CK(cudaDeviceSynchronize());
}

static void print_shapes(void)
{
    prints<0, int>("d", "%d", 7, 8, 1, 1, 1, 0);
    for (int n : {2, 4, 8, 16, 17, 24, 32, 33, 64, 128, 200})
        prints<0, int>("d", "%d", 7, n, 1, 1, 1, 1);
    prints<1, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<2, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<3, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<4, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<6, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<8, int>("d", "%d", 7, 32, 1, 1, 1, 1);
    prints<1, int>("d", "%d", 123456789, 32, 1, 1, 1, 1);
    prints<1, int>("5d", "%5d", 7, 32, 1, 1, 1, 1);
    prints<4, int>("5d", "%5d", 7, 32, 1, 1, 1, 1);
    prints<1, int>("x", "%x", 7, 32, 1, 1, 1, 1);
    prints<1, int>("c", "%c", 'y', 32, 1, 1, 1, 1);
    prints<1, double>("f", "%f", 1.5, 32, 1, 1, 1, 1);
    prints<4, double>("f", "%f", 1.5, 32, 1, 1, 1, 1);
    prints<1, double>("6.2f", "%6.2f", 1.5, 32, 1, 1, 1, 1);
    prints<1, long long>("lld", "%lld", 1, 32, 1, 1, 1, 1);
    prints<4, long long>("lld", "%lld", 1, 32, 1, 1, 1, 1);
    prints<0, int>("percent", "%%", 1, 32, 1, 1, 1, 1);
    for (int n : {0, 3, 4, 16, 64, 200}) {
        std::string s(n, 'z');
        prints<1, const char *>(("s" + std::to_string(n)).c_str(), "%s", on_card(s), 32, 1, 1, 1, 1);
    }
    prints<4, const char *>("s16", "%s", on_card("0123456789012345"), 32, 1, 1, 1, 1);
    for (int lanes : {2, 3, 4, 8, 16, 32}) {
        prints<0, int>("d", "%d", 7, 32, lanes, 1, 1, 1);
        prints<4, int>("d", "%d", 7, 32, lanes, 1, 1, 1);
    }
    for (int times : {2, 4, 16})
        prints<1, int>("d", "%d", 7, 32, 1, 1, 1, times);
    for (int warps : {2, 4, 8, 16, 32})
        prints<1, int>("d", "%d", 7, 32, 1, warps, 1, 1);
    for (int warps : {4, 32})
        prints<1, int>("d", "%d", 7, 32, 32, warps, 1, 1);
    for (int blocks : {2, 8, 32, 132})
        prints<1, int>("d", "%d", 7, 32, 1, 1, blocks, 1);
    prints<1, int>("d", "%d", 7, 32, 32, 1, 132, 1);
    prints<1, int>("d", "%d", 7, 32, 1, 32, 132, 1);
    for (int lanes : {4, 32}) {
        std::string s = made(1, "%d", 32);
        fprintf(stderr, "printf turn,1,32,%d,1,1,1\n", lanes);
        print_in_turn<<<1, 32>>>(on_card(s), 7, lanes, 1);
        CK(cudaDeviceSynchronize());
    }
}

static void heap_shapes(void)
{
    heaps("none", 0, 16, 1, 1, 1, 1);
    for (int bytes : {4, 16, 64, 256, 1024, 4096, 65536, 1 << 20}) {
        heaps("malloc", TAKE, bytes, 1, 1, 1, 1);
        heaps("free", GIVE, bytes, 1, 1, 1, 1);
    }
    heaps("malloc", TAKE, 64, 1, 1, 1, 1);
    heaps("fill", FILL, 64, 1, 1, 1, 1);
    heaps("free", GIVE, 64, 1, 1, 1, 1);
    for (int lanes : {2, 4, 8, 16, 32}) {
        heaps("malloc", TAKE, 64, lanes, 1, 1, 1);
        heaps("free", GIVE, 64, lanes, 1, 1, 1);
    }
    for (int times : {2, 4}) {
        heaps("malloc", TAKE, 64, 1, 1, 1, times);
        heaps("free", GIVE, 64, 1, 1, 1, times);
    }
    heaps("both", TAKE | GIVE, 64, 1, 1, 1, 16);
    for (int warps : {2, 4, 8, 32}) {
        heaps("malloc", TAKE, 64, 1, warps, 1, 1);
        heaps("free", GIVE, 64, 1, warps, 1, 1);
    }
    for (int blocks : {2, 8, 32, 132}) {
        heaps("malloc", TAKE, 64, 1, 1, blocks, 1);
        heaps("free", GIVE, 64, 1, 1, blocks, 1);
    }
    heaps("malloc", TAKE, 64, 32, 4, 1, 1);
    heaps("free", GIVE, 64, 32, 4, 1, 1);
    heaps("malloc", TAKE, 64, 32, 1, 132, 1);
    heaps("free", GIVE, 64, 32, 1, 132, 1);
    heaps("malloc", TAKE, 1024, 32, 1, 1, 1);
    heaps("free", GIVE, 1024, 32, 1, 1, 1);
    heaps("malloc", TAKE, 4096, 32, 1, 1, 1);
    heaps("free", GIVE, 4096, 32, 1, 1, 1);
}

static void wait_shapes(void)
{
    for (int cycles : {10000, 100000}) {
        waits<CLOCK32>("clock", cycles, 1);
        waits<CLOCK64>("clock64", cycles, 1);
        waits<TIMER>("timer", cycles / 2, 1);
        waits<SLEEP>("sleep", cycles, 1);
        waits<SHARED>("shared", cycles, 1);
        waits<GLOBAL>("global", cycles, 1);
        waits<CHAIN>("chain", cycles, 1);
        waits<SINE>("sine", cycles, 1);
    }
    for (int warps : {4, 8, 32})
        waits<CLOCK64>("clock64", 100000, warps);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    if (!*only || !strcmp(only, "print"))
        print_shapes();
    if (!*only || !strcmp(only, "heap"))
        heap_shapes();
    if (!*only || !strcmp(only, "wait"))
        wait_shapes();
}
