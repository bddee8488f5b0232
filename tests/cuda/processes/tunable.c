/* tunable.c - a kernel whose loads lie argv[1] bytes apart in a warp: what `strata tune` tries. */
#include "../check.h"

static const char strided[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry f(.param .u64 x, .param .u32 stride)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [x];\nld.param.u32 %r1, [stride];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, "
    "%ctaid.x;\n"
    "mad.lo.u32 %r4, %r3, 256, %r2;\nmul.wide.u32 %d2, %r4, %r1;\nadd.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3];\nst.global.u32 [%d3], %r5;\nret;\n}\n";

int main(int argc, char **argv)
{
    unsigned stride = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
    CUmodule m;
    CUdeviceptr x;
    start();
    MUST(cuModuleLoadData(&m, strided));
    MUST(cuMemAlloc(&x, 256 * 256 * 128));
    void *params[] = {&x, &stride};
    MUST(cuLaunchKernel(kernel(m, "f"), 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    MUST(cuCtxSynchronize());
    return 0;
}
