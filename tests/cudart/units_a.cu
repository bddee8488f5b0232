// units_a.cu - with units_b.cu: two translation units that use the same names for different things.
#include "check.h"

__constant__ int scale = 3;
static __global__ void apply(int *x)
{
    x[threadIdx.x] = x[threadIdx.x] * scale + 1;
}
void apply_b(int *x, int value);

// A kernel launched after main has returned is still recorded.
struct late {
    int *x = nullptr;
    ~late()
    {
        int first = 0;
        apply<<<1, 32>>>(x);
        cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
        printf("units: a kernel in a destructor made %d\n", first);
    }
};
static late at_the_end;

int main()
{
    int *d, back[32];
    OKAY(cudaMalloc(&d, sizeof back));
    OKAY(cudaMemset(d, 0, sizeof back));
    apply<<<1, 32>>>(d);
    apply_b(d, 50);
    OKAY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 * 10 + 50 && back[31] == 60);
    at_the_end.x = d;
    exit(finish("units"));
}
