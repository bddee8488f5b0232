/* texture_filter_probe.cu - which sectors reads of textures touch that mix neighbouring texels, by how far
 * they lie between them, and those of textures of three dimensions, of layers and of one dimension; reads and
 * writes of surfaces. To be run under Nsight Compute; the counters are the result. */
#include "launched.h"

#include <cmath>
#include <initializer_list>
#include <cuda_runtime.h>

static __device__ unsigned word(float v) { return __float_as_uint(v); }
static __device__ unsigned word(float4 v) { return __float_as_uint(v.x + v.w); }

// One warp a block reads w x 32/w texels of a tile of its own, fx and fy beside their middles.
template <class T>
__global__ void shape(cudaTextureObject_t tex, int w, float fx, float fy, int pitch_x, int pitch_y, unsigned *out)
{
    int px = blockIdx.x * pitch_x + threadIdx.x % w, py = blockIdx.y * pitch_y + threadIdx.x / w;
    if (word(tex2D<T>(tex, px + 0.5f + fx, py + 0.5f + fy)) == 77)
        *out = 1;
}

// Blocks cover the image, turned by an angle.
template <class T>
__global__ void turned(cudaTextureObject_t tex, float c, float s, float width, float height, unsigned *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - width / 2, v = y - height / 2;
    if (word(tex2D<T>(tex, u * c - v * s + width / 2, v * c + u * s + height / 2)) == 77)
        *out = 1;
}

// One warp a block reads w x h x 32/w/h texels of a box of its own.
__global__ void box(cudaTextureObject_t tex, int w, int h, float f, int layers, unsigned *out)
{
    int lane = threadIdx.x, x = blockIdx.x * 64 + lane % w, y = blockIdx.y * 32 + lane / w % h, z = lane / w / h;
    float v = layers ? tex2DLayered<float>(tex, x + 0.5f + f, y + 0.5f + f, z) : tex3D<float>(tex, x + 0.5f + f, y + 0.5f + f, z + 0.5f + f);
    if (word(v) == 77)
        *out = 1;
}

__global__ void line(cudaTextureObject_t tex, int step, float f, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (word(tex1D<float>(tex, i * step + 0.5f + f)) == 77)
        *out = 1;
}

__global__ void surface(cudaSurfaceObject_t surface, int w, int writes, unsigned *out)
{
    int px = blockIdx.x * 64 + threadIdx.x % w, py = blockIdx.y * 64 + threadIdx.x / w;
    float v = 1;
    if (writes)
        surf2Dwrite(v, surface, px * 4, py);
    else
        surf2Dread(&v, surface, px * 4, py);
    if (word(v) == 77)
        *out = 1;
}

static cudaTextureObject_t texture(const cudaResourceDesc &r, bool filter, bool normalized)
{
    cudaTextureDesc t = {};
    t.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = cudaAddressModeClamp;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &r, &t, NULL));
    return tex;
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

// T: of memory, F: as it is read
template <class T, class F> static cudaResourceDesc plane(bool pitched, int width, int height)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaArray_t a;
    cudaResourceDesc r = {};
    if (!pitched) {
        CK(cudaMallocArray(&a, &d, width, height));
        return of_array(a);
    }
    T *memory;
    CK(cudaMalloc(&memory, width * sizeof(T) * height));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = d;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = width * sizeof(T);
    return r;
}

template <class T, class F> static void image(const char *name, bool pitched, int size, unsigned *out)
{
    cudaResourceDesc r = plane<T, F>(pitched, size, size);
    bool normalized = sizeof(T) < 4;
    const char *kind = pitched ? "pitched" : "array";
    cudaTextureObject_t tex = texture(r, true, normalized), point = texture(r, false, normalized);
    int px = 512 / sizeof(T), py = 64;
    dim3 tiles(size / px, size / py);
    for (int w : {32, 8, 4})
        for (int at : {0, 1, 2, 3}) {
            shape<F><<<tiles, 32>>>(tex, w, at & 1 ? 0.5f : 0, at & 2 ? 0.5f : 0, px, py, out);
            LAUNCHED("shape %s %s w=%d fx=%g fy=%g tiles=%d", name, kind, w, at & 1 ? 0.5 : 0, at & 2 ? 0.5 : 0, (int)(tiles.x * tiles.y));
        }
    for (float f : {1.f / 1024, 1.f / 512, 1.f / 256, 255.f / 256, 511.f / 512, 1023.f / 1024}) {
        if (sizeof(T) != 4)
            break;
        shape<F><<<tiles, 32>>>(tex, 8, f, 0, px, py, out);
        LAUNCHED("shape %s %s w=%d fx=%g/1024 fy=%g tiles=%d", name, kind, 8, f * 1024, 0., (int)(tiles.x * tiles.y));
    }
    for (float angle : {0.5f, 1.2f})
        for (dim3 b : {dim3(8, 8), dim3(16, 16), dim3(32, 8)})
            for (int filter : {0, 1}) {
                turned<F><<<dim3(size / b.x, size / b.y), b>>>(filter ? tex : point, cosf(angle), sinf(angle), size, size, out);
                LAUNCHED("turned %s %s angle=%g block=%dx%d filter=%d size=%d", name, kind, angle, (int)b.x, (int)b.y, filter, size);
            }
}

static void boxes(unsigned *out, int layers)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CK(cudaMalloc3DArray(&a, &d, make_cudaExtent(1024, 512, 32), layers ? cudaArrayLayered : 0));
    for (int filter : {0, 1}) {
        cudaTextureObject_t tex = texture(of_array(a), filter, false);
        for (dim3 s : {dim3(32, 1), dim3(8, 4), dim3(4, 4), dim3(2, 2), dim3(4, 1), dim3(1, 1)}) {
            box<<<dim3(16, 16), 32>>>(tex, s.x, s.y, filter ? 0.5f : 0, layers, out);
            LAUNCHED("%s float filter=%d w=%d h=%d boxes=256", layers ? "layers" : "box", filter, (int)s.x, (int)s.y);
        }
    }
}

static void lines(unsigned *out)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CK(cudaMallocArray(&a, &d, 65536));
    for (int filter : {0, 1})
        for (int step : {1, 2, 8, 16}) {
            line<<<32, 128>>>(texture(of_array(a), filter, false), step, filter ? 0.5f : 0, out);
            LAUNCHED("line float array filter=%d step=%d", filter, step);
        }
}

static void surfaces(unsigned *out)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CK(cudaMallocArray(&a, &d, 2048, 1024, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = of_array(a);
    cudaSurfaceObject_t s;
    CK(cudaCreateSurfaceObject(&s, &r));
    for (int writes : {0, 1})
        for (int w : {32, 16, 8, 4, 1}) {
            surface<<<dim3(32, 16), 32>>>(s, w, writes, out);
            LAUNCHED("surface float writes=%d w=%d tiles=512", writes, w);
        }
}

int main()
{
    unsigned *out;
    CK(cudaMalloc(&out, 4));
    image<float, float>("float", false, 1024, out);
    image<float, float>("float", true, 1024, out);
    image<unsigned char, float>("byte", false, 1024, out);
    image<float4, float4>("float4", false, 512, out);
    boxes(out, 0);
    boxes(out, 1);
    lines(out);
    surfaces(out);
    return 0;
}
