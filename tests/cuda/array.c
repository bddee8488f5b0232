/* Arrays, copies in and out, and texture objects. */
#include "check.h"

int main(void)
{
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 8,
                               .Height = 4,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 1},
                          back;
    CUDA_ARRAY3D_DESCRIPTOR d3 = {.Width = 4,
                                  .Height = 4,
                                  .Depth = 2,
                                  .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                  .NumChannels = 4},
                            back3;
    float in[32], out[32];
    CUtexObject t;
    start();
    for (int i = 0; i < 32; i++)
        in[i] = (float)i;
    SAY(cuArrayCreate(&a, &d));
    SAY(cuArrayGetDescriptor(&back, a));
    SHOW(back.Width * 100 + back.Height * 10 + back.NumChannels);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = in,
                       .srcPitch = 32,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = 32,
                       .Height = 4};
    SAY(cuMemcpy2D(&c));
    SAY(cuMemcpyAtoH(out, a, 4, 8));
    SHOW(out[1]);
    c.dstXInBytes = 4;
    SAY(cuMemcpy2D(&c));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    r.res.array.hArray = a;
    CUDA_TEXTURE_DESC s = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                           .filterMode = CU_TR_FILTER_MODE_POINT};
    CUDA_RESOURCE_DESC r2;
    SAY(cuTexObjectCreate(&t, &r, &s, NULL));
    SAY(cuTexObjectGetResourceDesc(&r2, t));
    SHOW(r2.res.array.hArray == a);
    SAY(cuTexObjectDestroy(t));
    SAY(cuArrayDestroy(a));
    SAY(cuArray3DCreate(&a, &d3));
    SAY(cuArray3DGetDescriptor(&back3, a));
    SHOW(back3.Depth);
    SAY(cuArrayDestroy(a));
    d.NumChannels = 3;
    SAY(cuArrayCreate(&a, &d));
    d.NumChannels = 1;
    d.Width = 0;
    SAY(cuArrayCreate(&a, &d));
    return 0;
}
