/* Libraries and kernels, independent of contexts. */
#include "check.h"

int main(void)
{
    CUlibrary l;
    CUkernel k;
    CUfunction f;
    CUmodule m;
    CUdeviceptr at;
    size_t bytes, offset;
    unsigned count;
    int value;
    const char *name;
    start();
    SAY(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    SAY(cuLibraryGetKernel(&k, l, "axpb"));
    SAY(cuLibraryGetKernel(&k, l, "no_such"));
    MUST(cuLibraryGetKernel(&k, l, "axpb"));
    SAY(cuKernelGetFunction(&f, k));
    run_axpb(f, NULL);
    run_axpb((CUfunction)k, NULL);
    SAY(cuKernelGetName(&name, k));
    printf("name = %s\n", name);
    SAY(cuKernelGetParamInfo(k, 2, &offset, &bytes));
    SHOW(offset);
    SHOW(bytes);
    SAY(cuKernelGetParamInfo(k, 4, &offset, &bytes));
    SAY(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    SHOW(value);
    SAY(cuLibraryGetKernelCount(&count, l));
    SHOW(count);
    SAY(cuLibraryGetGlobal(&at, &bytes, l, "table"));
    SHOW(bytes);
    SAY(cuLibraryGetGlobal(&at, &bytes, l, "no_such"));
    SAY(cuLibraryGetModule(&m, l));
    run_axpb(kernel(m, "axpb"), NULL);
    SAY(cuLibraryUnload(l));
    SAY(cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
    return 0;
}
