/* Launches that cannot be: refused at once, and the next one runs. */
#include "check.h"

int main(void)
{
    CUmodule m;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    CUfunction f = kernel(m, "nothing"), g = kernel(m, "shared_sum");
    SAY(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 70000, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 65, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL)); /* above its .maxntid */
    SAY(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 1000000, NULL, NULL, NULL));
    SAY(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 100000, NULL, NULL, NULL)); /* not opted in */
    SAY(cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchCooperativeKernel(f, 1000000, 1, 1, 32, 1, 1, 0, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuCtxSynchronize());
    return 0;
}
