/* texture_rate_probe.cu - cycles of an SM for a warp's texture read that hits the L1, by texel,
 * filter, how many lanes ask and how they lie, and beside loads of shared memory. One block of 32
 * warps on every SM; the SM's own clock. */
#include "check.h"

static __device__ float word(float v)
{
    return v;
}
static __device__ float word(unsigned char v)
{
    return v;
}
static __device__ float word(uchar4 v)
{
    return v.x ^ v.w;
}
static __device__ float word(float2 v)
{
    return v.x + v.y;
}
static __device__ float word(float4 v)
{
    return v.x + v.w;
}
enum kind { PLANE, LINE, LAYER };

template <class T, int KIND, int SHARED>
__global__ void reads(cudaTextureObject_t tex, int w, int lanes, float dx, float dy, float at,
                      float step, int rounds, float *out, long long *cycles)
{
    __shared__ float s[1024];
    int lane = threadIdx.x % 32;
    s[threadIdx.x] = lane;
    __syncthreads();
    if (lane >= lanes)
        return;
    float x = lane % w * dx + at, y = lane / w * dy + at, sum[4] = {};
    long long begin = 0;
    for (int round = 0; round < 2; round++) { // the first brings everything in
        __syncthreads();
        begin = clock64();
        for (int i = 0; i < rounds; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (KIND == LINE)
                    sum[k] += word(tex1Dfetch<T>(tex, (int)x + k));
                else
                    sum[k] += word(tex2D<T>(tex, x + k, y));
#pragma unroll
                for (int j = 0; j < SHARED; j++)
                    sum[k] += ((volatile float *)s)[(threadIdx.x + 32 * j) & 1023];
            }
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
static char *flat;
template <class T, int KIND, int SHARED>
static void measure(const char *name, bool linear, int w, int lanes, float dx, float dy,
                    int warps = 32)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaArray_t a;
    cudaTextureObject_t tex;
    CK(cudaMallocArray(&a, &d, 128, 32));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    if (KIND == LINE) {
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = flat;
        r.res.linear.desc = d;
        r.res.linear.sizeInBytes = 16384;
    }
    cudaTextureDesc t = {};
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = linear && sizeof(T) < 4 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    int rounds = 32;
    reads<T, KIND, SHARED>
        <<<132, warps * 32>>>(tex, w, lanes, dx, dy, linear ? 0.75f : 0.5f, 0, rounds, out, cycles);
    CK(cudaDeviceSynchronize());
    printf("%s,%s,%d,%d,%d,%g,%g,%d,%d,%.2f\n", name, KIND == LINE ? "line" : "plane", linear, w,
           lanes, dx, dy, SHARED, warps, (double)*cycles / (4 * rounds * warps));
    CK(cudaDestroyTextureObject(tex));
    CK(cudaFreeArray(a));
}

int main()
{
    CK(cudaMalloc(&out, 4));
    CK(cudaMalloc(&flat, 65536));
    CK(cudaMallocManaged(&cycles, 8));
    printf("texel,kind,linear,w,lanes,dx,dy,shared,warps,sm_cycles_a_read\n");
    for (int w : {32, 16, 8, 4, 2, 1})
        measure<float, PLANE, 0>("float", false, w, 32, 1, 1);
    for (int lanes : {1, 2, 4, 8, 16, 24})
        measure<float, PLANE, 0>("float", false, 8, lanes, 1, 1);
    for (float dx : {2.f, 4.f, 8.f, 16.f, 0.f}) {
        measure<float, PLANE, 0>("float", false, 8, 32, dx, 1),
            measure<float, PLANE, 0>("float", false, 8, 32, 1, dx / 2);
        measure<float, PLANE, 0>("float", false, 8, 32, dx, dx / 2);
    }
    for (int w : {32, 8}) {
        measure<float, PLANE, 0>("float", true, w, 32, 1, 1);
        measure<float, PLANE, 0>("float", true, w, 32, 4, 2);
        measure<unsigned char, PLANE, 0>("byte", false, w, 32, 1, 1);
        measure<uchar4, PLANE, 0>("byte4", false, w, 32, 1, 1);
        measure<float2, PLANE, 0>("float2", false, w, 32, 1, 1);
        measure<float2, PLANE, 0>("float2", true, w, 32, 1, 1);
        measure<float4, PLANE, 0>("float4", false, w, 32, 1, 1);
        measure<float4, PLANE, 0>("float4", true, w, 32, 1, 1);
    }
    for (float dx : {1.f, 2.f, 8.f, 32.f, 0.f}) {
        measure<float, LINE, 0>("float", false, 32, 32, dx, 0);
        measure<float4, LINE, 0>("float4", false, 32, 32, dx, 0);
    }
    measure<float, LINE, 0>("float", false, 32, 4, 1, 0);
    for (int warps : {1, 4, 8, 16})
        measure<float, PLANE, 0>("float", false, 16, 32, 1, 1, warps);
    measure<float, PLANE, 2>("float", false, 8, 32, 1, 1);
    measure<float, PLANE, 4>("float", false, 8, 32, 1, 1);
    measure<float, PLANE, 8>("float", false, 8, 32, 1, 1);
    measure<float, PLANE, 16>("float", false, 8, 32, 1, 1);
    return 0;
}
