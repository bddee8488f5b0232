/* Addresses and memory apart: the same memory at two addresses. */
#include "check.h"

int main(void)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr p;
    size_t unit = 0;
    unsigned value = 77, read = 0;
    unsigned long long flags = 0;
    start();
    SAY(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    SHOW(unit);
    SAY(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
    SAY(cuMemCreate(&handle, unit, &prop, 0));
    SAY(cuMemCreate(&handle, 1000, &prop, 0));
    SAY(cuMemMap(p, unit, 0, handle, 0));
    SAY(cuMemMap(p + unit, unit, 0, handle, 0));
    SAY(cuMemSetAccess(p, 2 * unit, &access, 1));
    SAY(cuMemGetAccess(&flags, &access.location, p));
    SHOW(flags);
    SAY(cuMemcpyHtoD(p, &value, 4));
    SAY(cuMemcpyDtoH(&read, p + unit, 4));
    SHOW(read);
    SAY(cuMemsetD8(p, 0, 2 * unit));
    SAY(cuMemcpyDtoH(&read, p + unit, 4));
    SHOW(read);
    SAY(cuMemAddressFree(p, 2 * unit));
    SAY(cuMemUnmap(p, 2 * unit));
    SAY(cuMemRelease(handle));
    SAY(cuMemAddressFree(p, 2 * unit));
    SAY(cuMemAddressReserve(&p, 1000, 0, 0, 0));
    return 0;
}
