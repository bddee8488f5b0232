/* wide_lanes_probe.cu - bank conflicts of accesses of 8 and 16 bytes of which some lanes are off.
 *
 * One warp loads from shared memory once or stores to it some tens of times (what the assembler leaves of
 * TIMES equal accesses), the lanes of a mask alone: `side` each
 * where its number says, so that the warp's words lie side by side, `pairs` two lanes in one place, `one`
 * all in one, `far` side by side but the second half of the warp a row of banks later. To be run under
 * Nsight Compute: wavefronts, the fewest there could be, and the hardware's conflicts. Prints a line a
 * launch: access, bytes, place, mask. */
#include <cstdio>
#include <cuda_runtime.h>

enum { TIMES = 64, PLACES = 4 };
static const char *const places[PLACES] = {"side", "pairs", "one", "far"};
static const unsigned masks[] = {0xffffffff, 0x0000ffff, 0x000000ff, 0x0000000f, 0x00000003, 0x00000001, 0x00030003, 0x00010001, 0x80000001,
                                 0x01010101, 0x03030303, 0x0f0f0f0f, 0x000f000f, 0x00ff00ff, 0x11111111, 0x55555555, 0xaaaaaaaa, 0x00030000};

template <bool STORE, int BYTES> static __device__ unsigned touch(unsigned address, unsigned value)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (STORE && BYTES == 8)
        asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(address), "r"(value) : "memory");
    else if (STORE)
        asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(value) : "memory");
    else if (BYTES == 8)
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
    else
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
    return a + b + c + d;
}
template <bool STORE, int BYTES> __global__ void access_shared(unsigned *out, unsigned mask, int place)
{
    __shared__ __align__(16) unsigned words[512];
    unsigned lane = threadIdx.x, sum = 0;
    unsigned at = place == 0 ? lane : place == 1 ? lane / 2 : place == 2 ? 0 : lane + lane / 16 * (128 / BYTES);
    unsigned address = (unsigned)__cvta_generic_to_shared(words) + at * BYTES;
    if (mask >> lane & 1)
        for (int k = 0; k < TIMES; k++)
            sum += touch<STORE, BYTES>(address, k);
    if (sum == 77)
        out[0] = words[lane];
}

static unsigned *out;

template <bool STORE, int BYTES> static void all()
{
    for (int place = 0; place < PLACES; place++)
        for (unsigned mask : masks) {
            printf("%s,%d,%s,%08x\n", STORE ? "store" : "load", BYTES, places[place], mask);
            access_shared<STORE, BYTES><<<1, 32>>>(out, mask, place);
        }
}

int main()
{
    cudaMalloc(&out, 128);
    printf("access,bytes,place,mask\n");
    all<false, 8>(), all<true, 8>(), all<false, 16>(), all<true, 16>();
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
