/* The linker: two PTX texts become one module. */
#include "check.h"

static const char caller[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) twice (.param "
    ".b32 x);\n"
    ".visible .entry run(.param .u64 out)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [out];\nmov.u32 %r1, 21;\n"
    "{\n.param .b32 px;\nst.param.b32 [px], %r1;\n.param .b32 pr;\ncall.uni (pr), twice, (px);\n"
    "ld.param.b32 %r2, [pr];\n}\nst.global.u32 [%d1], %r2;\nret;\n}\n";
static const char called[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b32 r) twice (.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [x];\nadd.s32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n";

int main(void)
{
    CUlinkState s;
    void *image = NULL;
    size_t bytes = 0;
    CUmodule m;
    CUdeviceptr out;
    unsigned value = 0;
    start();
    SAY(cuLinkCreate(0, NULL, NULL, &s));
    SAY(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)(uintptr_t)called, sizeof called, "called", 0,
                      NULL, NULL));
    SAY(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)(uintptr_t)caller, sizeof caller, "caller", 0,
                      NULL, NULL));
    SAY(cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/no/such.ptx", 0, NULL, NULL));
    SAY(cuLinkComplete(s, &image, &bytes));
    SHOW(image != NULL && bytes > 0);
    SAY(cuModuleLoadData(&m, image));
    SAY(cuLinkDestroy(s));
    MUST(cuMemAlloc(&out, 4));
    void *params[] = {&out};
    SAY(cuLaunchKernel(kernel(m, "run"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    MUST(cuMemcpyDtoH(&value, out, 4));
    SHOW(value);
    return 0;
}
