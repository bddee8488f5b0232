/* texture_probe.cu - how texels of a CUDA array lie in memory: sectors and lines that the L2 is asked
 * for by warps of many shapes, each in a tile of its own, and by blocks that cover an image. To be run
 * under Nsight Compute; the counters are the result. */
#include "launched.h"

#include <cuda_runtime.h>

static __device__ unsigned word(float v) { return __float_as_uint(v); }
static __device__ unsigned word(unsigned char v) { return v; }
static __device__ unsigned word(float4 v) { return __float_as_uint(v.x + v.w); }

// One warp a block reads w x 32/w texels at (x, y) of a tile; tiles of `pitch` texels.
template <class T>
__global__ void shape(cudaTextureObject_t tex, int w, int x, int y, int pitch_x, int pitch_y,
                      unsigned *out)
{
    int px = blockIdx.x * pitch_x + x + threadIdx.x % w, py = blockIdx.y * pitch_y + y + threadIdx.x / w;
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

template <class T> static void image(const char *name, int width, int height, unsigned *out)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaArray_t a;
    cudaTextureObject_t tex;
    CK(cudaMallocArray(&a, &d, width, height));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc t = {};
    t.readMode = cudaReadModeElementType;
    CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    int px = 256 / sizeof(T), py = 64;
    dim3 tiles(width / px, height / py);
    for (int w : {32, 16, 8, 4, 2, 1})
        for (int at : {0, 1, 2, 3}) {
            int x = at & 1 ? 16 / sizeof(T) : 0, y = at & 2 ? 1 : 0;
            shape<T><<<tiles, 32>>>(tex, w, x, y, px, py, out);
            LAUNCHED("shape %s w=%d x_bytes=%d y=%d tiles=%d", name, w, (int)(x * sizeof(T)), y,
                     (int)(tiles.x * tiles.y));
        }
    for (dim3 b : {dim3(8, 8), dim3(16, 16), dim3(32, 8), dim3(16, 4), dim3(16, 12), dim3(256, 1)}) {
        cover<T><<<dim3(width / b.x / 2, height / b.y / 2), b>>>(tex, out);
        LAUNCHED("cover %s block=%dx%d width=%d", name, (int)b.x, (int)b.y, width);
    }
}

int main()
{
    unsigned *out;
    CK(cudaMalloc(&out, 4));
    image<float>("float", 2048, 2048, out);
    image<unsigned char>("byte", 4096, 2048, out);
    image<float4>("float4", 1024, 1024, out);
    return 0;
}
