/* narrow_probe.cu - does the L1 keep what stores of a byte or of two write? Each thread writes the
 * pieces of its own word (all of them, or the first alone; or one piece beside its neighbour's),
 * waits at a barrier and reads the first piece again, or the whole word. In global and in local memory, by 1 to 64 warps an SM, with and
 * without a pause between the stores, or of a word that was written whole or read before. To be run
 * under Nsight Compute; the sectors fetched are the result. */
#include "check.h"

enum { NOTHING, WRITTEN, READ };

template <typename T> __device__ void put(char *at, int value, bool local)
{
    if (local) {
        if (sizeof(T) == 1) asm volatile("st.local.u8 [%0], %1;" ::"l"(at), "r"(value) : "memory");
        else if (sizeof(T) == 2) asm volatile("st.local.u16 [%0], %1;" ::"l"(at), "h"((short)value) : "memory");
        else asm volatile("st.local.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    } else {
        if (sizeof(T) == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(value) : "memory");
        else if (sizeof(T) == 2) asm volatile("st.global.u16 [%0], %1;" ::"l"(at), "h"((short)value) : "memory");
        else asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    }
}

__device__ int get(char *at, bool local, bool whole)
{
    int v;
    if (local) {
        if (whole) asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
        else asm volatile("ld.local.u8 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    } else {
        if (whole) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
        else asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    }
    return v;
}

// Words of 4 lines a warp; in global memory as the local ones lie, a line after the other.
template <typename T, bool LOCAL>
__global__ void narrow(char *data, int *out, int before, int pieces, int whole, int pause, int apart)
{
    int own[8];
    char *at;
    size_t step;
    if (LOCAL) {
        own[threadIdx.x & 7] = 1; // the array has to be in memory
        asm volatile("{.reg .u64 t; cvta.to.local.u64 %0, %1;}" : "=l"(at) : "l"((char *)own));
        step = 4;
    } else {
        size_t warp = (size_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
        at = data + warp * 1024 + (threadIdx.x & 31) * apart;
        step = 128;
    }
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        if (before == WRITTEN) put<int>(at + k * step, k, LOCAL);
        if (before == READ) sum += get(at + k * step, LOCAL, true);
    }
    __syncthreads();
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < pieces; p++) {
            put<T>(at + k * step + p * sizeof(T), k, LOCAL);
            if (pause)
                for (long long end = clock64() + pause; clock64() < end;)
                    ;
        }
    __syncthreads();
    for (int k = 0; k < 4; k++)
        sum += get(at + k * step, LOCAL, whole);
    if (sum == -77)
        out[threadIdx.x] = sum + own[threadIdx.x & 3];
}

static char *data;
static int *out;
template <typename T, bool LOCAL> static void run(int warps, int before, int pieces, int whole, int pause, int apart = 4)
{
    int threads = warps > 32 ? 1024 : warps * 32, blocks = warps > 32 ? 264 : 132;
    printf("%s,%d,%d,%d,%d,%d,%d,%d\n", LOCAL ? "local" : "global", (int)sizeof(T), warps, before, pieces, whole, pause, apart);
    narrow<T, LOCAL><<<blocks, threads>>>(data, out, before, pieces, whole, pause, apart);
    CK(cudaGetLastError());
}
template <typename T, bool LOCAL> static void all()
{
    int each = 4 / sizeof(T);
    for (int warps = 1; warps <= 64; warps *= 8)
        for (int before = NOTHING; before <= READ; before++)
            run<T, LOCAL>(warps, before, each, 0, 0);
    run<T, LOCAL>(8, NOTHING, each, 1, 0);
    run<T, LOCAL>(8, NOTHING, 1, 0, 0);
    run<T, LOCAL>(8, NOTHING, 1, 1, 0);
    run<T, LOCAL>(8, NOTHING, each, 0, 200);
    run<T, LOCAL>(8, NOTHING, each, 1, 2000);
    run<T, LOCAL>(64, NOTHING, each, 1, 2000);
    if (!LOCAL)
        for (int warps = 1; warps <= 64; warps *= 8)
            run<T, LOCAL>(warps, NOTHING, 1, 0, 0, sizeof(T));
    if (!LOCAL)
        run<T, LOCAL>(8, NOTHING, 1, 0, 0, 2 * sizeof(T));
}
int main(void)
{
    CK(cudaMalloc(&data, 264 * 32 * 1024));
    CK(cudaMalloc(&out, 1 << 20));
    all<unsigned char, false>();
    all<unsigned short, false>();
    all<int, false>();
    all<unsigned char, true>();
    all<unsigned short, true>();
    all<int, true>();
    CK(cudaDeviceSynchronize());
    return 0;
}
