// separate_a.cu - with separate_b.cu: device functions and variables across units (nvcc -rdc=true).
#include "check.h"

extern __device__ int offset;
extern __constant__ int factor;
__device__ int transform(int x); // in the other unit

__global__ void map(int *x)
{
    x[threadIdx.x] = transform(x[threadIdx.x]) * factor + offset;
}
void set_offset(int value);

int main()
{
    int *d, back[32];
    OKAY(cudaMalloc(&d, sizeof back));
    for (int i = 0; i < 32; i++)
        back[i] = i;
    OKAY(cudaMemcpy(d, back, sizeof back, cudaMemcpyHostToDevice));
    set_offset(1000);
    map<<<1, 32>>>(d);
    OKAY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1000 && back[5] == 25 * 7 + 1000);
    cudaFree(d);
    return finish("separate");
}
