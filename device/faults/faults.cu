/* faults.cu - kernels that are slow for one known reason, each followed by a form without it.
 *
 * The yardstick of `strata advise` (docs/advise.md): what it says about the first of a pair, and the gain it tells,
 * against the second one's time, run by the model and on a card. The first three pairs were in view when the rules'
 * weights were settled; the others were written, traced and predicted before a card had run them.
 *
 *   nvcc -arch=sm_90 -lineinfo -cudart shared -o faults faults.cu
 *   strata trace -o faults.strata -- ./faults
 *   ncu --set full --csv --page raw ./faults
 */
#include <cstdio>
#include <cuda_runtime.h>

#define SIDE 2048
#define COUNT (1 << 22)

/* ---- in view ---- */

__global__ void transpose_column_store(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        out[(size_t)x * n + y + k] = tile[threadIdx.y + k][threadIdx.x];
}

__global__ void transpose_mended(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void softmax_rows(const float *in, float *out, int rows, int columns)
{
    __shared__ float part[256];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *a = in + (size_t)r * columns;
        float *o = out + (size_t)r * columns;
        float most = -1e30f, sum = 0;
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            most = fmaxf(most, a[c]);
        part[threadIdx.x] = most;
        __syncthreads();
        for (int s = 128; s; s >>= 1) {
            if (threadIdx.x < s)
                part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
            __syncthreads();
        }
        most = part[0];
        __syncthreads();
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            sum += __expf(a[c] - most);
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int s = 128; s; s >>= 1) {
            if (threadIdx.x < s)
                part[threadIdx.x] += part[threadIdx.x + s];
            __syncthreads();
        }
        sum = 1.0f / part[0];
        __syncthreads();
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            o[c] = __expf(a[c] - most) * sum;
    }
}

__global__ void histogram_global(const unsigned *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 255], 1u);
}

__global__ void histogram_mended(const unsigned *in, unsigned *bins, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] & 255], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* ---- held out ---- */

struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void momentum_structures(const particle *p, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[i].mass * p[i].vx;
}

__global__ void momentum_arrays(const float *mass, const float *vx, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mass[i] * vx[i];
}

/* Sums of columns: a thread walks along a row of its own, or beside its neighbours. */
__global__ void row_sums_by_thread(const float *in, float *out, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < n; c++)
        sum += in[(size_t)row * n + c];
    out[row] = sum;
}

__global__ void row_sums_by_warp(const float *in, float *out, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < n; c += 32)
        sum += in[(size_t)row * n + c];
    for (int s = 16; s; s >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, s);
    if (!lane)
        out[row] = sum;
}

/* A tile read by columns again and again: 32 lanes in one bank, or one word aside. */
template <int PITCH> __device__ void filter_columns(const float *in, float *out, int n)
{
    __shared__ float tile[32 * PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[(threadIdx.y + k) * PITCH + threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    float sum = 0;
    for (int turn = 0; turn < 4; turn++)
        for (int k = 0; k < 32; k++)
            sum = sum * 0.5f + tile[threadIdx.x * PITCH + ((threadIdx.y + k + turn) & 31)];
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(y + k) * n + x] = sum;
}
__global__ void filter_conflicts(const float *in, float *out, int n) { filter_columns<32>(in, out, n); }
__global__ void filter_padded(const float *in, float *out, int n) { filter_columns<33>(in, out, n); }

/* The whole grid adds into one word, or each block once. */
__global__ void energy_atomic(const float *in, float *total, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&total[i & 31], in[i] * in[i]);
}

__global__ void energy_blocks(const float *in, float *total, int n)
{
    __shared__ float mine[32];
    if (threadIdx.x < 32)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[i & 31], in[i] * in[i]);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&total[threadIdx.x], mine[threadIdx.x]);
}

/* Rows of a triangle: the last block has 528 times the work of the first; or pairs of rows. */
__device__ float triangle_row(const float *in, int row)
{
    float sum = 0;
    for (int c = threadIdx.x; c < row * 16; c += blockDim.x)
        sum += in[c] * 1.5f + (float)row;
    return sum;
}
__global__ void triangle_rows(const float *in, float *out)
{
    float sum = triangle_row(in, blockIdx.x * (int)blockIdx.x / 32);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void triangle_even(const float *in, float *out, int blocks)
{
    /* The same number of elements in all, as many in each block. */
    float sum = triangle_row(in, (blocks - 1) * (2 * blocks - 1) / 6 / 32);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* A scratch area that lets one block in, or one that lets all in. */
__global__ void smooth_scratch(const float *in, float *out, int n)
{
    extern __shared__ float scratch[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i], b = in[(i + n / 2) & (n - 1)];
    scratch[threadIdx.x] = a;
    __syncthreads();
    float c = in[(i * 17 + (int)b) & (n - 1)];
    out[i] = scratch[threadIdx.x ^ 1] + b * c;
}

/* Waves: 1.02 of them, or one. Each block the same arithmetic. */
__global__ void polynomial(const float *in, float *out, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i & (COUNT - 1)], sum = 1;
    for (int k = 0; k < terms; k++)
        sum = sum * x + 0.25f;
    out[i & (COUNT - 1)] = sum;
}

/* A list walked link by link, or four lists at a time. */
__global__ void chase_one(const unsigned *next, unsigned *out, int steps, unsigned mask)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 64u & mask;
    for (int k = 0; k < steps; k++)
        at = next[at] & mask;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void chase_four(const unsigned *next, unsigned *out, int steps, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at[4];
    for (int k = 0; k < 4; k++)
        at[k] = (i * 4 + k) * 64u & mask;
    for (int s = 0; s < steps; s++)
        for (int k = 0; k < 4; k++)
            at[k] = next[at[k]] & mask;
    out[i] = at[0] ^ at[1] ^ at[2] ^ at[3];
}

/* Bytes stored one by one by a warp's lanes far apart in time: partial sectors; or whole words. */
__global__ void pack_scattered(const unsigned *in, unsigned *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[(size_t)(i & 1023) * (n / 1024) + i / 1024] = in[i];
}
__global__ void pack_straight(const unsigned *in, unsigned *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

/* ---- sound kernels, each held by one unit ---- */

__global__ void stream_triad(const float4 *a, const float4 *b, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = b[i];
        out[i] = make_float4(x.x + 2 * y.x, x.y + 2 * y.y, x.z + 2 * y.z, x.w + 2 * y.w);
    }
}

__global__ void mandelbrot(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float cx = (float)(i % 2048) / 4096 - 0.2f, cy = (float)(i / 2048) / 4096 - 0.2f, x = 0, y = 0;
    for (int k = 0; k < 128; k++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    out[i] = x * x + y * y;
}

__global__ void horner_double(const double *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i & 0xfffff], sum = 1;
    for (int k = 0; k < 128; k++)
        sum = sum * x + 0.25;
    out[i & 0xfffff] = sum;
}

/* Neighbours of a cell again and again out of the L1. */
__global__ void blur_l1(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int dy = 0; dy < 7; dy++)
        for (int dx = 0; dx < 7; dx++)
            sum += in[(size_t)((y + dy) & (n - 1)) * n + ((x + dx) & (n - 1))];
    out[(size_t)y * n + x] = sum;
}

/* Words at random out of an area that the L2 holds and the L1 does not. */
__global__ void gather_l2(const float *in, float *out, int reads, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 2654435761u + 12345u;
    float sum = 0;
    for (int k = 0; k < reads; k++) {
        state = state * 1664525u + 1013904223u;
        sum += in[state >> 8 & mask];
    }
    out[i] = sum;
}

__global__ void fill_random(unsigned *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u;
        x ^= x >> 15;
        x *= 2246822519u;
        x ^= x >> 13;
        p[i] = x;
    }
}

__global__ void fill_ramp(float *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (float)(i % 1023) * 0.01f;
}

int main()
{
    const size_t bytes = sizeof(float) * COUNT;
    float *a, *b, *wide;
    unsigned *u, *h;
    double *d;
    const int large = 96 << 10, blocks = 528;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&u, bytes);
    cudaMalloc(&h, 1024);
    cudaMalloc(&wide, 8 * bytes);
    cudaMalloc(&d, 8 << 20);
    cudaFuncSetAttribute(smooth_scratch, cudaFuncAttributeMaxDynamicSharedMemorySize, large);
    fill_ramp<<<256, 256>>>(a, COUNT);
    fill_random<<<256, 256>>>(u, COUNT);
    cudaMemset(h, 0, 1024);
    cudaMemset(wide, 0, 8 * bytes);
    cudaMemset(d, 0, 8 << 20);

    transpose_column_store<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(a, b, SIDE);
    transpose_mended<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(a, b, SIDE);
    softmax_rows<<<8, 256>>>(a, b, SIDE, SIDE);
    softmax_rows<<<SIDE, 256>>>(a, b, SIDE, SIDE);
    histogram_global<<<528, 256>>>(u, h, COUNT);
    histogram_mended<<<528, 256>>>(u, h, COUNT);

    momentum_structures<<<COUNT / 256, 256>>>((particle *)wide, b, COUNT);
    momentum_arrays<<<COUNT / 256, 256>>>(wide, wide + COUNT, b, COUNT);
    row_sums_by_thread<<<SIDE / 64, 64>>>(a, b, SIDE);
    row_sums_by_warp<<<SIDE / 4, 128>>>(a, b, SIDE);
    filter_conflicts<<<dim3(SIDE / 32, SIDE / 128), dim3(32, 8)>>>(a, b, SIDE);
    filter_padded<<<dim3(SIDE / 32, SIDE / 128), dim3(32, 8)>>>(a, b, SIDE);
    energy_atomic<<<528, 256>>>(a, b, COUNT / 4);
    energy_blocks<<<528, 256>>>(a, b, COUNT / 4);
    triangle_rows<<<blocks, 128>>>(wide, b);
    triangle_even<<<blocks, 128>>>(wide, b, blocks);
    smooth_scratch<<<COUNT / 128, 128, large>>>(a, b, COUNT);
    smooth_scratch<<<COUNT / 128, 128, 512>>>(a, b, COUNT);
    polynomial<<<132 * 8 + 12, 256>>>(a, b, 1024);
    polynomial<<<132 * 8, 256>>>(a, b, 1024);
    chase_one<<<132, 64>>>(u, (unsigned *)b, 128, (1u << 20) - 1);
    chase_four<<<132, 16>>>(u, (unsigned *)b, 128, (1u << 20) - 1);
    pack_scattered<<<1056, 256>>>(u, (unsigned *)b, COUNT);
    pack_straight<<<1056, 256>>>(u, (unsigned *)b, COUNT);

    stream_triad<<<COUNT / 256, 256>>>((float4 *)wide, (float4 *)wide + COUNT, (float4 *)wide, COUNT);
    mandelbrot<<<COUNT / 16 / 256, 256>>>(b, COUNT);
    horner_double<<<1056, 256>>>(d, d);
    blur_l1<<<dim3(SIDE / 32, SIDE / 16), dim3(32, 8)>>>(a, b, SIDE);
    gather_l2<<<528, 256>>>(a, b, 32, (1u << 21) - 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
