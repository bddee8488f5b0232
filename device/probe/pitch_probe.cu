/* pitch_probe.cu - what textures over linear memory ask the L2 for: rows of a pitched image by warps of many
 * shapes, by blocks that cover it, filtered or not, and words of a linear texture. To be run under Nsight
 * Compute; the counters are the result. */
#include "launched.h"

#include <cuda_runtime.h>

static __device__ unsigned word(float v) { return __float_as_uint(v); }
static __device__ unsigned word(unsigned char v) { return v; }
static __device__ unsigned word(float4 v) { return __float_as_uint(v.x + v.w); }

// One warp a block reads w x 32/w texels, `step` apart, at x of a tile of its own.
template <class T>
__global__ void shape(cudaTextureObject_t tex, int w, int x, int step, int pitch_x, int pitch_y, unsigned *out)
{
    int px = blockIdx.x * pitch_x + x + threadIdx.x % w * step, py = blockIdx.y * pitch_y + threadIdx.x / w;
    if (word(tex2D<T>(tex, px + 0.5f, py + 0.5f)) == 77)
        *out = 1;
}

// Blocks cover the image.
template <class T> __global__ void cover(cudaTextureObject_t tex, unsigned *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (word(tex2D<T>(tex, x + 0.5f, y + 0.5f)) == 77)
        *out = 1;
}

template <class T> __global__ void line(cudaTextureObject_t tex, int step, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (word(tex1Dfetch<T>(tex, i * step)) == 77)
        *out = 1;
}

template <class T> static void image(const char *name, int width, int height, bool filter, unsigned *out)
{
    T *memory;
    size_t pitch = width * sizeof(T);
    CK(cudaMalloc(&memory, pitch * height));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<T>();
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc t = {};
    t.readMode = cudaReadModeElementType;
    t.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    int px = 512 / sizeof(T), py = 64;
    dim3 tiles(width / px, height / py);
    for (int w : {32, 16, 8, 4, 1})
        for (int at : {0, 1, 2}) {
            int x = at == 1 ? 16 / sizeof(T) : 0, step = at == 2 ? 2 : 1;
            shape<T><<<tiles, 32>>>(tex, w, x, step, px, py, out);
            LAUNCHED("shape %s filter=%d w=%d x_bytes=%d step=%d tiles=%d", name, filter, w, (int)(x * sizeof(T)), step,
                     (int)(tiles.x * tiles.y));
        }
    for (dim3 b : {dim3(8, 8), dim3(16, 16), dim3(32, 8), dim3(256, 1)}) {
        cover<T><<<dim3(width / b.x / 2, height / b.y / 2), b>>>(tex, out);
        LAUNCHED("cover %s filter=%d block=%dx%d width=%d", name, filter, (int)b.x, (int)b.y, width);
    }
}

static void words(unsigned *out)
{
    float *memory;
    CK(cudaMalloc(&memory, 1 << 24));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 1 << 24;
    cudaTextureDesc t = {};
    t.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    for (int step : {1, 2, 8, 16, 32}) {
        line<float><<<128, 128>>>(tex, step, out);
        LAUNCHED("line float step=%d", step);
    }
}

int main()
{
    unsigned *out;
    CK(cudaMalloc(&out, 4));
    image<float>("float", 2048, 2048, false, out);
    image<float>("float", 2048, 2048, true, out);
    image<unsigned char>("byte", 4096, 2048, false, out);
    image<float4>("float4", 1024, 1024, false, out);
    words(out);
    return 0;
}
