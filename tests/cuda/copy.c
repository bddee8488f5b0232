/* Copies and fills in one, two and three dimensions, and past the end. */
#include "check.h"

int main(void)
{
    unsigned host[64], back[64];
    unsigned char bytes[64];
    CUdeviceptr a, b;
    start();
    MUST(cuMemAlloc(&a, 1 << 22));
    MUST(cuMemAlloc(&b, 1 << 22));
    for (unsigned i = 0; i < 64; i++)
        host[i] = i * i;
    SAY(cuMemcpyHtoD(a, host, sizeof host));
    SAY(cuMemcpyDtoD(b, a, sizeof host));
    SAY(cuMemcpyDtoH(back, b, sizeof host));
    SHOW(memcmp(host, back, sizeof host));
    SAY(cuMemcpy(a, (CUdeviceptr)(uintptr_t)back, 16));
    SAY(cuMemcpyDtoH(back, a, 0));
    SAY(cuMemsetD32(a, 0x01020304, 8));
    SAY(cuMemsetD16(a + 4, 0x0506, 2));
    SAY(cuMemsetD8(a + 8, 9, 3));
    SAY(cuMemcpyDtoH(bytes, a, 16));
    for (int i = 0; i < 16; i++)
        printf("%d ", bytes[i]);
    printf("\n");
    SAY(cuMemsetD32(a + 2, 1, 1));
    SAY(cuMemsetD2D8(a, 16, 7, 4, 3));
    CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = a,
                          .srcPitch = 16,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = bytes,
                          .dstPitch = 4,
                          .WidthInBytes = 4,
                          .Height = 3};
    SAY(cuMemcpy2D(&rows));
    for (int i = 0; i < 12; i++)
        printf("%d ", bytes[i]);
    printf("\n");
    rows.srcPitch = 2;
    SAY(cuMemcpy2D(&rows));
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = host,
                         .srcPitch = 16,
                         .srcHeight = 4,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = b,
                         .dstPitch = 64,
                         .dstHeight = 8,
                         .dstXInBytes = 4,
                         .dstY = 1,
                         .dstZ = 1,
                         .WidthInBytes = 8,
                         .Height = 2,
                         .Depth = 2};
    SAY(cuMemcpy3D(&box));
    SAY(cuMemcpyDtoH(back, b + 64 * 8 + 64 + 4, 8));
    SHOW(back[1]);
    SAY(cuMemcpyDtoH(back, b + 2 * 64 * 8 + 2 * 64 + 4, 8));
    SHOW(back[1]);
    SAY(cuMemcpyHtoD(0, host, 4));
    return 0;
}
