/* schedfix.h - code for tests of the order an assembler gives to it. */
#ifndef STRATA_TESTS_SCHEDFIX_H
#define STRATA_TESTS_SCHEDFIX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sm/window.h"
#include "h200fix.h"

/* ---- code ---- */

struct fixture {
    struct strata_code *code;
    struct sm_decoder decoder;
    struct sm_scheduler scheduler;
};

static inline void begin(struct fixture *f)
{
    assert_int_equal(strata_code_create(&f->code, NULL), STRATA_OK);
}

static inline void add(struct fixture *f, uint8_t opclass, uint8_t space, uint8_t memop,
                       uint16_t hints, int dst, int a, int b)
{
    struct strata_inst i = {
        .opcode = "test", .opclass = opclass, .space = space, .memop = memop, .hints = hints};
    uint32_t index, n = strata_code_count(f->code);
    i.pc = 16ull * n;
    i.width_bytes = memop ? 4 : 0;
    if (dst >= 0)
        i.reg[i.n_dst++] = (uint16_t)dst;
    if (a >= 0)
        i.reg[i.n_dst + i.n_src++] = (uint16_t)a;
    if (b >= 0)
        i.reg[i.n_dst + i.n_src++] = (uint16_t)b;
    assert_int_equal(strata_code_add(f->code, &i, &index, NULL), STRATA_OK);
    assert_int_equal(index, n);
}
static inline void put(struct fixture *f, struct strata_inst i)
{
    uint32_t index;
    i.pc = 16ull * strata_code_count(f->code);
    assert_int_equal(strata_code_add(f->code, &i, &index, NULL), STRATA_OK);
}
static inline void load(struct fixture *f, int dst, int address)
{
    add(f, STRATA_OP_MEM, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 0, dst, address, -1);
}
static inline void store(struct fixture *f, int address, int value)
{
    add(f, STRATA_OP_MEM, STRATA_SPACE_GLOBAL, STRATA_MEM_STORE, 0, -1, address, value);
}
static inline void sum(struct fixture *f, int dst, int a, int b)
{
    add(f, STRATA_OP_FP32, 0, 0, 0, dst, a, b);
}
static inline void branch(struct fixture *f, int predicate)
{
    add(f, STRATA_OP_BRANCH, 0, 0, 0, -1, predicate, -1);
}

static inline void ready_with(struct fixture *f, uint32_t registers)
{
    sm_decoder_init(&f->decoder, &h200, f->code, STRATA_ISA_PTX);
    assert_int_equal(sm_decoder_update(&f->decoder, NULL), STRATA_OK);
    assert_int_equal(sm_scheduler_init(&f->scheduler, &f->decoder, registers, 4, NULL), STRATA_OK);
}

static inline void ready(struct fixture *f)
{
    ready_with(f, 0);
}

static inline void end(struct fixture *f)
{
    sm_scheduler_release(&f->scheduler);
    sm_decoder_release(&f->decoder);
    strata_code_destroy(f->code);
}

static const struct sm_accesses UNKNOWN = {NULL, NULL};

/* When each instruction of the whole code issues. */
static inline void positions(struct fixture *f, uint32_t *position)
{
    uint32_t inst[SM_MAX_REGION], n = strata_code_count(f->code);
    const struct sm_region *region;
    for (uint32_t i = 0; i < n; i++)
        inst[i] = i;
    assert_int_equal(sm_scheduler_region(&f->scheduler, inst, n, UNKNOWN, &region, NULL),
                     STRATA_OK);
    for (uint32_t i = 0; i < n; i++)
        position[i] = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        assert_true(region->order[k] < n && position[region->order[k]] == UINT32_MAX);
        position[region->order[k]] = k;
    }
}

/* ---- what moves ---- */

#endif
