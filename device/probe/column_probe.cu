/* column_probe.cu - walks by column: every lane reads and writes a row of its own, an element a
 * step, so that each access of a warp has 32 lines. By what a step does (loads, a store, both, two
 * loads and a store, with and without the compiler's knowledge that they do not meet), the bytes of
 * an element, how rows lie in the banks, and blocks and warps. A line of standard output for each
 * launch; cycles and counters are the profiler's. */
#include "check.h"

enum mode { LOAD, STORE, LOAD_STORE, TWO_STORE, TWO_STORE_APART, MODES };
static const char *const names[] = {"load", "store", "load_store", "two_store", "two_store_apart"};

template <class T, int MODE>
__global__ void walk(const T *a, const T *b, T *to, int pitch, int steps)
{
    size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    T sum = 0;
    for (int i = 0; i < steps; i++) {
        if (MODE == LOAD)
            sum += a[at + i];
        else if (MODE == STORE)
            to[at + i] = (T)i;
        else if (MODE == LOAD_STORE)
            to[at + i] = a[at + i] + (T)1;
        else
            to[at + i] = a[at + i] + b[at + i];
    }
    if (MODE == LOAD && sum == 77)
        to[0] = sum;
}
template <class T>
__global__ void walk_apart(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ to,
                           int pitch, int steps)
{
    size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    for (int i = 0; i < steps; i++)
        to[at + i] = a[at + i] + b[at + i];
}

static char *a, *b, *to;

template <class T, int MODE> static void run(int pitch_bytes, int blocks, int threads, int steps)
{
    int pitch = pitch_bytes / (int)sizeof(T);
    if (MODE == TWO_STORE_APART)
        walk_apart<T><<<blocks, threads>>>((T *)a, (T *)b, (T *)to, pitch, steps);
    else
        walk<T, MODE><<<blocks, threads>>>((T *)a, (T *)b, (T *)to, pitch, steps);
    CK(cudaDeviceSynchronize());
    printf("walk,%s,%d,%d,%d,%d,%d\n", names[MODE], (int)sizeof(T), pitch_bytes, blocks, threads,
           steps);
}
template <class T> static void shapes(int pitch_bytes, bool few)
{
    int shape[][2] = {{64, 128}, {128, 32}, {128, 64}, {32, 256}, {132, 512}};
    for (auto &s : shape) {
        run<T, LOAD>(pitch_bytes, s[0], s[1], 192);
        run<T, STORE>(pitch_bytes, s[0], s[1], 192);
        run<T, LOAD_STORE>(pitch_bytes, s[0], s[1], 192);
        run<T, TWO_STORE>(pitch_bytes, s[0], s[1], 192);
        run<T, TWO_STORE_APART>(pitch_bytes, s[0], s[1], 192);
        if (few)
            return;
    }
}

int main(int argc, char **)
{
    bool few = argc > 1;
    size_t bytes = (size_t)132 * 512 * 3076 + 65536;
    CK(cudaMalloc(&a, bytes));
    CK(cudaMalloc(&b, bytes));
    CK(cudaMalloc(&to, bytes));
    printf("probe,mode,width,pitch,blocks,threads,steps\n");
    shapes<float>(3072, few), shapes<float>(3076, few);
    shapes<short>(1536, few), shapes<short>(1540, few);
    shapes<char>(768, true), shapes<double>(3072, true);
    return 0;
}
