/* Memory in stream order. */
#include "check.h"

int main(void)
{
    CUmemoryPool pool, own;
    CUdeviceptr p;
    CUstream s;
    cuuint64_t value = 0;
    start();
    MUST(cuStreamCreate(&s, 0));
    SAY(cuDeviceGetDefaultMemPool(&pool, 0));
    SAY(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    SHOW(value);
    value = 1 << 20;
    SAY(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    SAY(cuMemAllocAsync(&p, 1000, s));
    SAY(cuMemsetD8Async(p, 1, 1000, s));
    SAY(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SHOW(value >= 1000);
    SAY(cuMemFreeAsync(p, s));
    SAY(cuStreamSynchronize(s));
    SAY(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SHOW(value);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    SAY(cuMemPoolCreate(&own, &props));
    SAY(cuMemAllocFromPoolAsync(&p, 64, own, s));
    SAY(cuMemFreeAsync(p, s));
    SAY(cuMemPoolTrimTo(own, 0));
    SAY(cuMemPoolDestroy(own));
    SAY(cuMemPoolDestroy(pool));
    SAY(cuMemAllocAsync(&p, 0, s));
    return 0;
}
