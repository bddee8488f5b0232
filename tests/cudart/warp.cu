// warp.cu - warp functions, atomics and device printf.
#include "check.h"

__global__ void reduce(const int *in, int *out)
{
    int v = in[threadIdx.x];
    for (int step = 16; step; step >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, step);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(out, v);
    unsigned odd = __ballot_sync(0xffffffffu, in[threadIdx.x] & 1);
    if (threadIdx.x == 0) {
        out[1] = __popc(odd);
        out[2] = __ffs((int)odd);
        out[3] = __clz((int)(odd >> 4));
    }
    if (__any_sync(0xffffffffu, in[threadIdx.x] == 7) && threadIdx.x == 5)
        printf("lane %d saw %d, %.2f %s\n", threadIdx.x, in[threadIdx.x], 1.25, "text");
}

__global__ void atomics(unsigned *u, float *f, double *d, unsigned long long *l)
{
    unsigned i = threadIdx.x;
    atomicMax(&u[0], i);
    atomicMin(&u[1], i);
    atomicOr(&u[2], 1u << (i & 31));
    atomicXor(&u[3], i);
    atomicInc(&u[4], 9);
    atomicExch(&u[5], 77u);
    atomicCAS(&u[6], i, i + 1);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd(l, 1ull << 33);
}

int main()
{
    int host[64], out[4] = {}, *d_in, *d_out;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    OKAY(cudaMalloc(&d_in, sizeof host));
    OKAY(cudaMalloc(&d_out, sizeof out));
    OKAY(cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice));
    OKAY(cudaMemcpy(d_out, out, sizeof out, cudaMemcpyHostToDevice));
    reduce<<<1, 64>>>(d_in, d_out);
    OKAY(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 2016 && out[1] == 16 && out[2] == 2 && out[3] == 4);
    unsigned u[7] = {0, 1000, 0, 0, 0, 0, 0}, *d_u;
    struct {
        float f;
        double d;
        unsigned long long l;
    } s = {}, *d_s;
    OKAY(cudaMalloc(&d_u, sizeof u));
    OKAY(cudaMalloc(&d_s, sizeof s));
    OKAY(cudaMemcpy(d_u, u, sizeof u, cudaMemcpyHostToDevice));
    OKAY(cudaMemcpy(d_s, &s, sizeof s, cudaMemcpyHostToDevice));
    atomics<<<1, 64>>>(d_u, &d_s->f, &d_s->d, &d_s->l);
    OKAY(cudaMemcpy(u, d_u, sizeof u, cudaMemcpyDeviceToHost));
    OKAY(cudaMemcpy(&s, d_s, sizeof s, cudaMemcpyDeviceToHost));
    CHECK(u[0] == 63 && u[1] == 0 && u[2] == 0xffffffffu && u[3] == 0 && u[4] == 4 && u[5] == 77 && u[6] == 64);
    CHECK(s.f == 32.0f && s.d == 16.0 && s.l == 64ull << 33);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_u);
    cudaFree(d_s);
    return finish("warp");
}
