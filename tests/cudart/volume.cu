// volume.cu - textures of three dimensions and of layers (nvcc's headers: strata-clang has no tex3D).
#include "check.h"

static cudaTextureObject_t make(const cudaResourceDesc &resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc settings;
    memset(&settings, 0, sizeof settings);
    settings.addressMode[0] = settings.addressMode[1] = settings.addressMode[2] = cudaAddressModeClamp;
    settings.filterMode = filter;
    settings.readMode = cudaReadModeElementType;
    cudaTextureObject_t t = 0;
    OKAY(cudaCreateTextureObject(&t, &resource, &settings, NULL));
    return t;
}

__global__ void fetch_volume(cudaTextureObject_t t, float *out, float where)
{
    int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i] = tex3D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z + where);
}
__global__ void fetch_layer(cudaTextureObject_t t, float *out)
{
    int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i] = tex2DLayered<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, threadIdx.z);
}

static cudaArray_t filled_array(const float *host, cudaExtent extent, unsigned flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OKAY(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr((void *)host, extent.width * sizeof *host, extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    OKAY(cudaMemcpy3D(&copy));
    return array;
}

// A volume, and the same numbers as layers.
static void volumes(float *out)
{
    const int width = 4, height = 3, depth = 5, n = width * height * depth;
    float host[n], back[n];
    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    for (int layered = 0; layered < 2; layered++) {
        cudaArray_t array =
            filled_array(host, make_cudaExtent(width, height, depth), layered ? cudaArrayLayered : 0);
        cudaResourceDesc r;
        memset(&r, 0, sizeof r);
        r.resType = cudaResourceTypeArray;
        r.res.array.array = array;
        cudaTextureObject_t t = make(r, layered ? cudaFilterModePoint : cudaFilterModeLinear);
        if (layered)
            fetch_layer<<<1, dim3(width, height, depth)>>>(t, out);
        else
            fetch_volume<<<1, dim3(width, height, depth)>>>(t, out, 0.5f);
        OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
        CHECK(!memcmp(host, back, sizeof back));
        if (!layered) { // half way to the next slice; the last one stays
            fetch_volume<<<1, dim3(width, height, depth)>>>(t, out, 1.0f);
            OKAY(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
            CHECK(back[0] == 6.0f && back[n - 1] == (float)(n - 1));
        }
        OKAY(cudaDestroyTextureObject(t));
        OKAY(cudaFreeArray(array));
    }
}

int main()
{
    float *out;
    OKAY(cudaMalloc(&out, 4096));
    volumes(out);
    OKAY(cudaFree(out));
    return finish("volume");
}
