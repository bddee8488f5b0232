// Keys sorted in place by a bitonic network: exchanges over the whole array, and those within 1024 keys in shared memory.
#include "application.h"

__device__ void exchange(unsigned &a, unsigned &b, bool up)
{
    if (a > b == up) {
        unsigned c = a;
        a = b;
        b = c;
    }
}

__global__ void far_apart(unsigned *key, int distance, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = ((i & ~(distance - 1)) << 1) | (i & (distance - 1));
    unsigned a = key[low], b = key[low + distance];
    exchange(a, b, !(low & length));
    key[low] = a;
    key[low + distance] = b;
}

__global__ void near_by(unsigned *key, int from, int length)
{
    __shared__ unsigned part[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    part[t] = key[base + t];
    part[t + 512] = key[base + t + 512];
    for (int distance = from; distance; distance >>= 1) {
        __syncthreads();
        int low = ((t & ~(distance - 1)) << 1) | (t & (distance - 1));
        exchange(part[low], part[low + distance], !((base + low) & length));
    }
    __syncthreads();
    key[base + t] = part[t];
    key[base + t + 512] = part[t + 512];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 18, 1);
    int n = app.size;
    Numbers numbers;
    std::vector<unsigned> start(n);
    for (unsigned &v : start)
        v = numbers.below(1u << 31);
    unsigned *source = on_device(start), *key = on_device(start);
    return run_rounds("bitonic", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaMemcpyAsync(key, source, (size_t)n * 4, cudaMemcpyDeviceToDevice, 0);
            for (int length = 2; length <= n; length <<= 1) {
                int distance = length / 2;
                for (; distance > 512; distance >>= 1)
                    far_apart<<<n / 512, 256>>>(key, distance, length);
                near_by<<<n / 1024, 512>>>(key, distance, length);
            }
        }
    });
}
