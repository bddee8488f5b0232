/* Page-locked and managed memory, and what pointers are. */
#include "check.h"

static char buffer[1 << 16];

int main(void)
{
    void *h;
    CUdeviceptr d, m;
    unsigned flags;
    CUmemorytype type;
    unsigned managed;
    CUcontext owner;
    size_t bytes;
    start();
    SAY(cuMemHostAlloc(&h, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    SAY(cuMemHostGetDevicePointer(&d, h, 0));
    SAY(cuMemHostGetFlags(&flags, h));
    SHOW(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)h));
    SHOW(type);
    SAY(cuMemFreeHost(h));
    SAY(cuMemHostAlloc(&h, 0, 0));
    SAY(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
    *(volatile int *)(uintptr_t)m = 42;
    SAY(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
    SHOW(managed);
    SAY(cuMemAllocManaged(&d, 4096, 0));
    SAY(cuMemFree(m));
    SAY(cuMemHostRegister(buffer, sizeof buffer, 0));
    SAY(cuMemHostRegister(buffer, sizeof buffer, 0));
    SAY(cuMemHostGetDevicePointer(&d, buffer, 0));
    SAY(cuMemHostUnregister(buffer));
    SAY(cuMemHostUnregister(buffer));
    MUST(cuMemAlloc(&d, 512));
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    SHOW(type);
    SAY(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d));
    SHOW(owner == context);
    SAY(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, d + 5));
    SHOW(bytes);
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                              (CUdeviceptr)(uintptr_t)&type));
    SAY(cuMemFree(d));
    return 0;
}
