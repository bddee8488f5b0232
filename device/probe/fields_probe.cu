/* fields_probe.cu - records written field by field, as programs with arrays of structures do.
 *
 * A thread writes the 4-byte fields of its record of WORDS words one after another, all of them or every
 * second one; records lie side by side. To be run under Nsight Compute: cycles, and what the L2 and DRAM
 * take. Prints a line a launch: words, which, records. */
#include <cstdio>
#include <cuda_runtime.h>

template <int WORDS, int STEP> __global__ void fields(unsigned *a, unsigned records)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < records)
        for (int w = 0; w < WORDS; w += STEP)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(a + (size_t)i * WORDS + w), "r"(i) : "memory");
}

static unsigned *data;

template <int WORDS> static void all()
{
    for (unsigned records : {1u << 17, 1u << 20}) {
        printf("%d,all,%u\n", WORDS, records);
        fields<WORDS, 1><<<records / 256, 256>>>(data, records);
        printf("%d,second,%u\n", WORDS, records);
        fields<WORDS, 2><<<records / 256, 256>>>(data, records);
    }
}

int main()
{
    size_t bytes = (size_t)(1 << 20) * 32 * 4;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    printf("words,which,records\n");
    all<3>(), all<5>(), all<6>(), all<9>(), all<12>(), all<18>(), all<32>();
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
