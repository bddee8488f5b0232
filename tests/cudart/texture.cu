// texture.cu - texture objects over linear memory, rows with a pitch, and arrays.
#include "check.h"

__global__ void fetch_linear(cudaTextureObject_t t, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(t, i);
}

__global__ void fetch_plane(cudaTextureObject_t t, float *out, int width, float shift)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(t, (float)x + shift, (float)y + shift);
}

static cudaTextureObject_t make(const cudaResourceDesc &resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc settings;
    memset(&settings, 0, sizeof settings);
    settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
    settings.filterMode = filter;
    settings.readMode = cudaReadModeElementType;
    cudaTextureObject_t t = 0;
    OKAY(cudaCreateTextureObject(&t, &resource, &settings, NULL));
    return t;
}

static void linear_memory(float *out)
{
    float host[32], back[32], *d;
    for (int i = 0; i < 32; i++)
        host[i] = (float)i * 1.5f;
    OKAY(cudaMalloc(&d, sizeof host));
    OKAY(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof host;
    cudaTextureObject_t t = make(r, cudaFilterModePoint);
    fetch_linear<<<1, 32>>>(t, out, 32);
    OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(host, back, sizeof back));
    OKAY(cudaDestroyTextureObject(t));
    OKAY(cudaFree(d));
}

static void planes(float *out)
{
    const int width = 8, height = 4;
    float host[height][width], back[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            host[y][x] = (float)(100 * y + x);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OKAY(cudaMallocArray(&array, &format, width, height));
    OKAY(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t = make(r, cudaFilterModePoint);
    fetch_plane<<<1, dim3(width, height)>>>(t, out, width, 0.5f);
    OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(host, back, sizeof back));
    OKAY(cudaDestroyTextureObject(t));
    t = make(r, cudaFilterModeLinear); // between two texels in both directions
    fetch_plane<<<1, dim3(width, height)>>>(t, out, width, 1.0f);
    OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(fabsf(back[0][0] - 50.5f) < 0.01f && fabsf(back[3][7] - 307.0f) < 0.01f);
    OKAY(cudaDestroyTextureObject(t));
    memset(back, 0, sizeof back);
    OKAY(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], height, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(host, back, sizeof back));
    OKAY(cudaFreeArray(array));

    float *d;
    size_t pitch;
    OKAY(cudaMallocPitch(&d, &pitch, sizeof host[0], height));
    OKAY(cudaMemcpy2D(d, pitch, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = format;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    t = make(r, cudaFilterModePoint);
    fetch_plane<<<1, dim3(width, height)>>>(t, out, width, 0.5f);
    OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(host, back, sizeof back));
    OKAY(cudaDestroyTextureObject(t));
    OKAY(cudaFree(d));
}

int main()
{
    float *out;
    OKAY(cudaMalloc(&out, 4096));
    linear_memory(out);
    planes(out);
    OKAY(cudaFree(out));
    return finish("texture");
}
