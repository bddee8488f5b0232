/* check.h - for the test programs of this folder. Each prints what the driver answers, call by
 * call, and nothing that depends on the machine, so that the same program prints the same on a GPU.
 */
#ifndef STRATA_TESTS_CUDA_CHECK_H
#define STRATA_TESTS_CUDA_CHECK_H

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was printed before a crash is seen. */
__attribute__((constructor)) static void print_lines(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline const char *name_of(CUresult status)
{
    const char *name = NULL;
    return cuGetErrorName(status, &name) == CUDA_SUCCESS && name ? name : "no such error";
}

/* The call as it is written, and its answer. */
#define SAY(call) printf("%s: %s\n", #call, name_of(call))
/* A call that must succeed. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        CUresult must = (call);                                                                    \
        if (must != CUDA_SUCCESS) {                                                                \
            printf("%s: %s, line %d\n", #call, name_of(must), __LINE__);                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define SHOW(value) printf("%s = %lld\n", #value, (long long)(value))

/* A node of a graph: one block of eight threads. */
static inline CUDA_KERNEL_NODE_PARAMS block_of_eight(CUfunction f, void **params)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = f,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 8,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = params};
}

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .b8 table[16] = {1,0,0,0,2,0,0,0,3,0,0,0,4,0,0,0};\n"
    ".visible .const .align 4 .u32 scale = 3;\n"
    /* out[i] = a[i] * scale + b */
    ".visible .entry axpb(.param .u64 out, .param .u64 a, .param .u32 b, .param .u32 n)\n{\n"
    ".reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [a];\nld.param.u32 %r1, [b];\nld.param.u32 %r2, "
    "[n];\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
    "mad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.u32 %p, %r6, %r2;\n@%p bra done;\n"
    "mul.wide.u32 %d3, %r6, 4;\nadd.s64 %d4, %d2, %d3;\nld.global.u32 %r7, [%d4];\n"
    "ld.const.u32 %r8, [scale];\nmad.lo.s32 %r7, %r7, %r8, %r1;\n"
    "add.s64 %d5, %d1, %d3;\nst.global.u32 [%d5], %r7;\ndone:\nret;\n}\n"
    ".visible .entry nothing()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".extern .shared .align 4 .b8 room[];\n"
    ".visible .entry shared_sum(.param .u64 out)\n{\n"
    ".reg .b32 %r<5>;\n.reg .b64 %d<3>;\n"
    "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, room;\nadd.u32 %r3, %r3, %r2;\n"
    "st.shared.u32 [%r3], %r1;\nbar.sync 0;\nmov.u32 %r3, room;\nld.shared.u32 %r4, [%r3+4];\n"
    "ld.param.u64 %d1, [out];\nst.global.u32 [%d1], %r4;\nret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
    "mov.u64 %d1, 16;\nmov.u32 %r1, 7;\nst.global.u32 [%d1], %r1;\nret;\n}\n";

static CUcontext context;

static inline void start(void)
{
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
}

static inline CUfunction kernel(CUmodule m, const char *name)
{
    CUfunction f;
    MUST(cuModuleGetFunction(&f, m, name));
    return f;
}

/* Runs axpb over n elements of a, and says whether out is right. */
static inline void run_axpb(CUfunction f, CUstream s)
{
    enum { N = 100 };
    unsigned host[N], b = 5, n = N, wrong = 0;
    CUdeviceptr a, out;
    MUST(cuMemAlloc(&a, sizeof host));
    MUST(cuMemAlloc(&out, sizeof host));
    for (unsigned i = 0; i < N; i++)
        host[i] = i;
    MUST(cuMemcpyHtoD(a, host, sizeof host));
    void *params[] = {&out, &a, &b, &n};
    MUST(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, s, params, NULL));
    MUST(cuStreamSynchronize(s));
    MUST(cuMemcpyDtoH(host, out, sizeof host));
    for (unsigned i = 0; i < N; i++)
        wrong += host[i] != 3 * i + 5;
    printf("axpb: %u wrong\n", wrong);
    MUST(cuMemFree(a));
    MUST(cuMemFree(out));
}

#endif
