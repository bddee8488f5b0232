/* Memory that is gone, and handles that are. */
#include "check.h"

int main(void)
{
    CUdeviceptr p;
    CUstream s;
    CUevent e;
    unsigned value = 1;
    start();
    MUST(cuMemAlloc(&p, 1 << 22));
    MUST(cuMemcpyHtoD(p, &value, 4));
    SAY(cuMemFree(p));
    SAY(cuMemcpyHtoD(p, &value, 4));
    SAY(cuMemsetD8(p, 0, 4));
    MUST(cuStreamCreate(&s, 0));
    SAY(cuStreamDestroy(s));
    MUST(cuEventCreate(&e, 0));
    SAY(cuEventDestroy(e));
    SAY(cuMemAlloc(&p, 16));
    SAY(cuMemcpyHtoD(p, &value, 4));
    return 0;
}
