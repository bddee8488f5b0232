/* lanefix.h - a kernel of one warp or more that takes an array and gives one. */
#ifndef TESTS_LANEFIX_H
#define TESTS_LANEFIX_H

#include "ptxfix.h"

#define KERNEL(body)                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<40>; .reg .b64 "  \
             "%rd<16>; .reg .pred %p<8>; .reg .f32 %f<40>;\n"                                      \
             "ld.param.u64 %rd1,[in]; ld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x;\n"              \
             "mul.wide.u32 %rd3,%r1,4; add.u64 %rd4,%rd2,%rd3; add.u64 %rd5,%rd1,%rd3;\n" body     \
             "\nret; }\n"

static void run_kernel(const char *text, uint32_t threads, void *in, void *out)
{
    struct strata_module *m = load_text(text);
    void *params[2] = {in, out};
    struct run_setup setup = {.threads = threads};
    run_ok(m, "k", &setup, params);
    strata_module_destroy(m);
}

#endif
