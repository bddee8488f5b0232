/* Before and after cuInit; versions; functions by name. */
#include "check.h"

int main(void)
{
    int n = -1, version = 0;
    CUcontext c;
    CUdriverProcAddressQueryResult found;
    void *f = NULL;
    SAY(cuDeviceGetCount(&n));
    SAY(cuCtxGetCurrent(&c));
    SAY(cuDriverGetVersion(&version));
    SHOW(version >= 12000);
    SAY(cuInit(7));
    SAY(cuInit(0));
    SAY(cuInit(0));
    SAY(cuDeviceGetCount(&n));
    SAY(cuGetProcAddress("cuMemAlloc", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    SHOW(f != NULL);
    SHOW(found);
    SAY(cuGetProcAddress("cuMemAllocAsync", &f, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    SHOW(found);
    SAY(cuGetProcAddress("cuNoSuchCall", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    SHOW(f == NULL);
    SHOW(found);
    return 0;
}
