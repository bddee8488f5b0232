/* branch_probe.cu - what branches that may part a warp take, by warps of an SM.
 *
 * Each kernel runs one construct again and again: a condition that was loaded from memory, so that
 * the compiler has to provide for warps that part, is true for all lanes, for none, for every other
 * one, or for three lanes of four, by other counts. `barrier` has blocks wait for their own warps and
 * nothing else. Of grids of one or two blocks an SM four SMs work, and the blocks of others end at once.
 * To be run under Nsight Compute; cycles by round are the result. */
#include "launched.h"

#define ROUNDS 256

enum { LOOP, ARM, ARMS, NESTED, TURNS, BREAKS, CALL, SQUARE_ROOT, DIVIDE, WARP_SYNC, SORT, BARRIER, ARM_BARRIER, ARM_SYNC, SORT_ALONE, EITHER_16, EITHER_1 };
static const char *const NAME[] = {"loop", "arm", "arms", "nested", "turns", "breaks", "call", "square_root", "divide", "warp_sync", "sort", "barrier", "arm_barrier", "arm_sync", "sort_alone", "either_16", "either_1"};

/* Long enough that it is jumped over instead of being predicated. */
__device__ __forceinline__ unsigned work(unsigned x)
{
    for (int k = 0; k < 3; k++)
        asm volatile("xor.b32 %0,%0,21;\n\tadd.u32 %0,%0,%0;\n\tand.b32 %0,%0,0x7fff1;" : "+r"(x));
    return x;
}

__device__ __noinline__ unsigned called(unsigned x)
{
    return work(x) + 1;
}

__device__ static bool works()
{
    unsigned sm;
    asm("mov.u32 %0,%%smid;" : "=r"(sm));
    return sm % 33 == 0 || gridDim.x > 264;
}

template <int WHAT>
__global__ void construct(unsigned *out, const unsigned *condition, const float *number)
{
    __shared__ unsigned number_of[1024];
    volatile unsigned *s = number_of;
    if (!works())
        return;
    unsigned c = condition[threadIdx.x % 32], t = threadIdx.x, x = t;
    float f = number[t % 32], sum = 0;
    s[t] = t * 2654435761u;
    if (WHAT == EITHER_16 || WHAT == EITHER_1) { /* true where c says so */
        bool up = (t & (WHAT == EITHER_16 ? 32 : 2)) == 0;
        s[t] = up == (c != 0) ? 2000 - t : t;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        if (WHAT == LOOP) {
            x = work(x);
        } else if (WHAT == ARM) {
            if (c)
                x = work(x);
        } else if (WHAT == ARMS) {
            if (c)
                x = work(x);
            else
                x = work(work(x) + 7);
        } else if (WHAT == NESTED) {
            if (c) {
                x = work(x);
                if (c > 1)
                    x = work(x);
                x = work(x);
            }
        } else if (WHAT == TURNS) {
#pragma unroll 1
            for (unsigned k = 0; k <= c; k++)
                x = work(x);
        } else if (WHAT == BREAKS) {
#pragma unroll 1
            for (unsigned k = 0; k < 3; k++) {
                x = work(x);
                if (c == k)
                    break;
                x = work(x);
            }
        } else if (WHAT == CALL) {
            if (c)
                x = called(x);
        } else if (WHAT == SQUARE_ROOT) {
            sum += sqrtf(f), f += 1.0f;
        } else if (WHAT == DIVIDE) {
            sum += 3.0f / f, f += 1.0f;
        } else if (WHAT == WARP_SYNC) {
            x = work(x);
            __syncwarp();
        } else if (WHAT == SORT || WHAT == SORT_ALONE) {
            unsigned j = 1u << i % 5, other = t ^ j;
            if (other > t) {
                bool up = (t & 2 * j) == 0;
                if ((up && s[t] > s[other]) || (!up && s[t] < s[other])) {
                    unsigned keep = s[t];
                    s[t] = s[other], s[other] = keep;
                }
            }
            if (WHAT == SORT)
                __syncthreads();
        } else if (WHAT == ARM_BARRIER || WHAT == ARM_SYNC) {
            if (c)
                x = work(x);
            if (WHAT == ARM_SYNC)
                __syncwarp();
            else
                __syncthreads();
        } else if (WHAT == EITHER_16 || WHAT == EITHER_1) {
            unsigned j = (unsigned)i < ROUNDS * 2 ? WHAT == EITHER_16 ? 16 : 1 : x % 32, other = t ^ j;
            if (other > t) {
                bool up = (t & 2 * j) == 0;
                if ((up && s[t] > s[other]) || (!up && s[t] < s[other])) {
                    s[t] = s[t] + 0;
                    s[other] = s[other] + 0;
                }
            }
        } else {
            __syncthreads();
        }
    }
    if (x == 0x12345u || sum == 0.5f)
        out[t] = x + s[x % 1024];
}

static unsigned *out, *condition;
static float *number;

static void set_condition(const char *lanes)
{
    unsigned c[32];
    for (int k = 0; k < 32; k++)
        c[k] = lanes[0] == 'a' ? 2 : lanes[0] == 'n' ? 0 : lanes[0] == 'h' ? 2 * (k % 2) : k % 4;
    CK(cudaMemcpy(condition, c, sizeof c, cudaMemcpyHostToDevice));
}

template <int WHAT> static void run(const char *lanes)
{
    const int shape[][2] = {{1, 1}, {1, 4}, {1, 8}, {1, 16}, {1, 32}, {2, 32}, {8, 8}};
    set_condition(lanes);
    for (auto &s : shape) {
        if (s[0] == 8 && WHAT != SORT && WHAT != EITHER_16)
            continue;
        construct<WHAT><<<132 * s[0], 32 * s[1]>>>(out, condition, number);
        LAUNCHED("%s lanes=%s blocks=%d warps=%d", NAME[WHAT], lanes, s[0], s[1]);
    }
}

template <int WHAT> static void all()
{
    for (const char *lanes : {"all", "none", "half", "quarter"})
        run<WHAT>(lanes);
}

static void barriers()
{
    const int shape[][2] = {{2, 1}, {4, 1}, {16, 1}, {32, 1}, {2, 2}, {8, 2}, {16, 2}, {32, 2}, {1, 4}, {4, 4}, {8, 4}, {16, 4}, {2, 8}, {4, 8}, {8, 8}, {1, 16}, {2, 16}, {4, 16}, {1, 32}, {2, 32}};
    for (auto &s : shape) {
        construct<BARRIER><<<132 * s[0], 32 * s[1]>>>(out, condition, number);
        LAUNCHED("barrier lanes=all blocks=%d warps=%d", s[0], s[1]);
    }
}

int main()
{
    float f[32];
    for (int k = 0; k < 32; k++)
        f[k] = 1.5f + k;
    CK(cudaMalloc(&out, 1 << 20));
    CK(cudaMalloc(&condition, 128));
    CK(cudaMalloc(&number, 128));
    CK(cudaMemcpy(number, f, sizeof f, cudaMemcpyHostToDevice));
    run<LOOP>("all");
    all<ARM>(), all<ARMS>(), all<NESTED>(), all<TURNS>(), all<BREAKS>(), all<CALL>();
    run<SQUARE_ROOT>("all"), run<DIVIDE>("all"), run<WARP_SYNC>("all"), run<SORT>("all");
    barriers();
    all<ARM_BARRIER>(), all<ARM_SYNC>();
    run<SORT_ALONE>("all"), all<EITHER_16>(), all<EITHER_1>();
    return 0;
}
