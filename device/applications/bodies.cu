// Particles that attract one another, in tiles of shared memory, then moved; and now and then their energy.
#include "application.h"

__global__ void forces(const float4 *at, float4 *force, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = at[i], sum = {0, 0, 0, 0};
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z, d = x * x + y * y + z * z + 0.01f;
            float f = tile[k].w * rsqrtf(d * d * d);
            sum.x += f * x;
            sum.y += f * y;
            sum.z += f * z;
        }
        __syncthreads();
    }
    force[i] = sum;
}

__global__ void move(float4 *at, float4 *speed, const float4 *force, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = at[i], v = speed[i], f = force[i];
    v.x += 1e-3f * f.x, v.y += 1e-3f * f.y, v.z += 1e-3f * f.z;
    p.x += 1e-3f * v.x, p.y += 1e-3f * v.y, p.z += 1e-3f * v.z;
    at[i] = p;
    speed[i] = v;
}

__global__ void energy(const float4 *speed, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float e = 0;
    if (i < n)
        e = speed[i].x * speed[i].x + speed[i].y * speed[i].y + speed[i].z * speed[i].z;
    for (int k = 16; k; k >>= 1)
        e += __shfl_down_sync(~0u, e, k);
    if (!(threadIdx.x & 31))
        atomicAdd(out, e);
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 4096, 8);
    int n = app.size;
    Numbers numbers;
    std::vector<float4> start(n);
    for (float4 &p : start)
        p = {numbers.unit(), numbers.unit(), numbers.unit(), 1.f / n};
    float4 *at = on_device(start), *speed = on_device(std::vector<float4>(n, float4{0, 0, 0, 0})), *force = on_device<float4>(n);
    float *total = on_device<float>(1);
    return run_rounds("bodies", app, 0, [&] {
        cudaMemsetAsync(total, 0, 4);
        for (int s = 0; s < app.steps; s++) {
            forces<<<n / 128, 128>>>(at, force, n);
            move<<<blocks_of(n), 256>>>(at, speed, force, n);
            energy<<<blocks_of(n), 256>>>(speed, total, n);
        }
    });
}
