/* texture_latency_probe.cu - cycles from a read of a texture to the next that needs its texel, by texel, kind
 * and filter: what the L1 has, and what only the L2 has; and cycles of an SM for reads that do not wait, of
 * what the L1 has. Loads of global memory beside them. The SM's own clock. */
#include "check.h"

#include <cmath>
#include <initializer_list>

enum { PLANE, PITCHED, LINE, LAYER, BOX, GLOBAL, N_KINDS };
static const char *const names[N_KINDS] = {"plane", "pitched", "line", "layer", "box", "global"};

static __device__ float word(float v) { return v; }
static __device__ float word(float2 v) { return v.x + v.y; }
static __device__ float word(float4 v) { return v.x + v.w; }

template <class F, int KIND>
static __device__ F get(cudaTextureObject_t tex, const F *memory, float x, float y, int row)
{
    if (KIND == PLANE || KIND == PITCHED)
        return tex2D<F>(tex, x, y);
    if (KIND == LAYER)
        return tex2DLayered<F>(tex, x, y, 0);
    if (KIND == BOX)
        return tex3D<F>(tex, x, y, y);
    if (KIND == LINE)
        return tex1Dfetch<F>(tex, (int)x + row * (int)y);
    return memory[(int)x + row * (int)y];
}

// One warp; texels are 0, which the compiler does not know.
template <class F, int KIND>
__global__ void chain(cudaTextureObject_t tex, const F *memory, int steps, float step, int rows, float row_step, float at,
                      int row, float *out, long long *cycles)
{
    float sum = 0, lane = threadIdx.x;
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
        begin = clock64();
        for (int r = 0; r < rows; r++) {
            float x = at + lane, y = at + r * row_step;
            for (int i = 0; i < steps; i++)
                x += word(get<F, KIND>(tex, memory, x, y, row)) + step;
            sum += x;
        }
    }
    if (!threadIdx.x)
        *cycles = clock64() - begin;
    *out = sum;
}

template <class F, int KIND>
__global__ void reads(cudaTextureObject_t tex, const F *memory, float at, float step, int row, int rounds, float *out, long long *cycles)
{
    float x = threadIdx.x % 8 + at, y = threadIdx.x % 32 / 8 + at, sum[4] = {};
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
        for (int i = 0; i < rounds; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum[k] += word(get<F, KIND>(tex, memory, x + k, y, row));
            x += step;
        }
        __syncthreads();
    }
    if (!threadIdx.x && !blockIdx.x)
        *cycles = clock64() - begin;
    if (sum[0] + sum[1] + sum[2] + sum[3] == 77)
        *out = sum[0];
}

static float *out;
static long long *cycles;

template <class T, int KIND> static cudaResourceDesc resource(int width, int height, void **memory)
{
    cudaResourceDesc r = {};
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaArray_t a;
    CK(cudaMalloc(memory, width * height * sizeof(T)));
    CK(cudaMemset(*memory, 0, width * height * sizeof(T)));
    if (KIND == PLANE || KIND == LAYER || KIND == BOX) {
        int depth = KIND == PLANE ? 0 : KIND == LAYER ? 1 : 8;
        CK(cudaMalloc3DArray(&a, &d, make_cudaExtent(width, height, depth), KIND == LAYER ? cudaArrayLayered : 0));
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(*memory, width * sizeof(T), width, height);
        p.dstArray = a;
        p.extent = make_cudaExtent(width, height, 1);
        p.kind = cudaMemcpyDeviceToDevice;
        for (int z = 0; z < (depth ? depth : 1); z++) {
            p.dstPos.z = z;
            CK(cudaMemcpy3D(&p));
        }
        r.resType = cudaResourceTypeArray;
        r.res.array.array = a;
    } else if (KIND == PITCHED) {
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = *memory;
        r.res.pitch2D.desc = d;
        r.res.pitch2D.width = width;
        r.res.pitch2D.height = height;
        r.res.pitch2D.pitchInBytes = width * sizeof(T);
    } else {
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = *memory;
        r.res.linear.desc = d;
        r.res.linear.sizeInBytes = width * height * sizeof(T);
    }
    return r;
}

// T: of memory, F: as it is read
template <class T, class F, int KIND> static void measure(const char *name, bool linear)
{
    int width = 1024, height = KIND == BOX ? 64 : 1024;
    void *memory;
    cudaResourceDesc r = resource<T, KIND>(width, height, &memory);
    cudaTextureDesc t = {};
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = cudaCreateChannelDesc<T>().f == cudaChannelFormatKindFloat ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    cudaTextureObject_t tex = 0;
    if (KIND != GLOBAL)
        CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    float at = linear ? 0.75f : 0.5f;
    const F *m = KIND == GLOBAL ? (const F *)memory : NULL;
    int row = KIND == LINE || KIND == GLOBAL ? width : 0;
    double hit, lanes, miss, rate;
    chain<F, KIND><<<1, 1>>>(tex, m, 256, 0, 1, 0, at, row, out, cycles);
    CK(cudaDeviceSynchronize());
    hit = *cycles / 256.;
    chain<F, KIND><<<1, 32>>>(tex, m, 256, 0, 1, 0, at, row, out, cycles);
    CK(cudaDeviceSynchronize());
    lanes = *cycles / 256.;
    // a line of 32 bytes by four rows at a time, or of 128 bytes: more than an L1, less than an L2
    int step = (KIND == PLANE || KIND == LAYER || KIND == BOX ? 32 : 128) / sizeof(T), steps = width / step,
        row_step = KIND == PLANE || KIND == LAYER ? 4 : KIND == BOX ? 1 : 1, rows = KIND == BOX ? 8 : height / row_step;
    chain<F, KIND><<<1, 1>>>(tex, m, steps, step, rows, row_step, at, row, out, cycles);
    CK(cudaDeviceSynchronize());
    miss = *cycles / (double)(steps * rows);
    reads<F, KIND><<<132, 1024>>>(tex, m, at, 0, row ? 8 : 0, 32, out, cycles);
    CK(cudaDeviceSynchronize());
    rate = (double)*cycles / (4 * 32 * 32);
    printf("%s,%s,%d,%.1f,%.1f,%.1f,%d,%.2f\n", name, names[KIND], linear, hit, lanes, miss, steps * rows, rate);
    fflush(stdout);
}

template <int KIND> static void texels(bool linear)
{
    measure<unsigned char, float, KIND>("byte", linear);
    measure<unsigned short, float, KIND>("short", linear);
    measure<uchar4, float4, KIND>("byte4", linear);
    measure<float, float, KIND>("float", linear);
    measure<float2, float2, KIND>("float2", linear);
    measure<ushort4, float4, KIND>("short4", linear);
    measure<float4, float4, KIND>("float4", linear);
}

int main()
{
    CK(cudaMalloc(&out, 4));
    CK(cudaMallocManaged(&cycles, 8));
    printf("texel,kind,linear,chain_cycles,chain_cycles_of_32_lanes,chain_cycles_of_l2,lines,sm_cycles_a_read\n");
    for (int linear : {0, 1}) {
        texels<PLANE>(linear);
        texels<PITCHED>(linear);
        texels<LAYER>(linear);
        texels<BOX>(linear);
    }
    texels<LINE>(false);
    measure<float, float, GLOBAL>("float", false);
    measure<float2, float2, GLOBAL>("float2", false);
    measure<float4, float4, GLOBAL>("float4", false);
    return 0;
}
