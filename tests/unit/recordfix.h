/* recordfix.h - kernels of a line or two, and what the emulator records of their first warp. */
#ifndef STRATA_TESTS_RECORDFIX_H
#define STRATA_TESTS_RECORDFIX_H

#include "ptxfix.h"

struct record {
    struct strata_inst inst[200]; /* of the instructions executed by warp 0, in order */
    char opcode[200][64], inlined[200][64];
    uint32_t mask[200], kind[200];
    uint64_t address[200][32];
    unsigned n;
};

static inline strata_status begin(void *user, const struct strata_code *code,
                                  struct strata_error *err)
{
    (void)user;
    (void)err;
    assert_true(strata_code_count(code) > 0);
    return STRATA_OK;
}

static inline strata_status take(void *user, struct strata_block *block, struct strata_error *err)
{
    struct record *r = user;
    struct strata_cursor c;
    struct strata_winst w;
    memset(&c, 0, sizeof c);
    assert_int_equal(strata_cursor_init(&c, block, 0, err), STRATA_OK);
    while (r->n < 200 && strata_cursor_next(&c, &w)) {
        r->inst[r->n] = *w.inst;
        snprintf(r->opcode[r->n], sizeof r->opcode[0], "%s", w.inst->opcode);
        snprintf(r->inlined[r->n], sizeof r->inlined[0], "%s",
                 w.inst->inlined ? w.inst->inlined : "");
        r->mask[r->n] = w.mask;
        r->kind[r->n] = w.addr_kind;
        strata_winst_addresses(&w, r->address[r->n++]);
    }
    strata_cursor_release(&c);
    strata_block_destroy(block);
    return STRATA_OK;
}

static inline void run_recorded(const char *text, uint32_t threads, const void *params,
                                struct record *r)
{
    struct strata_module *m = load_text(text);
    struct strata_record_sink sink = {r, begin, take};
    struct run_setup setup = {.threads = threads, .sink = &sink};
    memset(r, 0, sizeof *r);
    run_ok(m, "k", &setup, params);

    strata_module_destroy(m);
}

static inline unsigned find(const struct record *r, const char *opcode)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->opcode[i], opcode))
            return i;
    fail_msg("%s was not recorded", opcode);
    return 0;
}

static inline unsigned count(const struct record *r, const char *opcode)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++)
        n += !strcmp(r->opcode[i], opcode);
    return n;
}

/* The access itself, behind what is recorded ahead of it. */
static inline unsigned find_access(const struct record *r, const char *opcode)
{
    unsigned i = find(r, opcode);
    while (r->inst[i].opclass != STRATA_OP_MEM && !strcmp(r->opcode[i + 1], opcode))
        i++;
    return i;
}

#define KERNEL_BEGIN                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<16>; .reg .b64 "  \
             "%rd<16>; .reg .pred %p<8>; .reg .f32 %f<8>;\n"                                       \
             "ld.param.u64 %rd1,[in]; ld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x;\n"              \
             "mul.wide.u32 %rd3,%r1,4; add.u64 %rd4,%rd1,%rd3; add.u64 %rd5,%rd2,%rd3;\n"
#define KERNEL_END   "\nret; }\n"
#define KERNEL(body) KERNEL_BEGIN body KERNEL_END

#endif
