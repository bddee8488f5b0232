/* Images that cannot be loaded: the driver's own codes, and the program goes on. */
#include "check.h"

static const char wrong[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\nnonsense %r1;\n}\n";
static const char unfinished[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\nret;\n";

int main(void)
{
    CUmodule m;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    unsigned char cubin[128] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    start();
    SAY(cuModuleLoadData(&m, wrong));
    SAY(cuModuleLoadDataEx(&m, wrong, 2, options, values));
    SHOW(log[0] != 0);
    SAY(cuModuleLoadData(&m, unfinished));
    SAY(cuModuleLoadData(&m, cubin));
    SAY(cuModuleLoadData(&m, NULL));
    SAY(cuModuleLoadData(NULL, ptx));
    SAY(cuModuleLoad(&m, "/no/such/file.ptx"));
    SAY(cuModuleLoadData(&m, ptx));
    run_axpb(kernel(m, "axpb"), NULL);
    return 0;
}
