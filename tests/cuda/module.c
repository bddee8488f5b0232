/* Modules from PTX: functions, variables, what is not there. */
#include "check.h"

int main(void)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr at;
    size_t bytes;
    unsigned count, values[4];
    start();
    SAY(cuModuleLoadData(&m, ptx));
    SAY(cuModuleGetFunction(&f, m, "axpb"));
    run_axpb(f, NULL);
    SAY(cuModuleGetFunction(&f, m, "no_such"));
    SAY(cuModuleGetFunction(&f, m, NULL));
    SAY(cuModuleGetGlobal(&at, &bytes, m, "table"));
    SHOW(bytes);
    MUST(cuMemcpyDtoH(values, at, sizeof values));
    SHOW(values[2]);
    SAY(cuModuleGetGlobal(&at, &bytes, m, "scale"));
    SHOW(bytes);
    SAY(cuModuleGetGlobal(&at, &bytes, m, "no_such"));
    SAY(cuModuleGetGlobal(NULL, &bytes, m, "table"));
    SAY(cuModuleGetFunctionCount(&count, m));
    SHOW(count);
    SAY(cuModuleUnload(m));
    return 0;
}
