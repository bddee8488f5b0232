/* special_registers.c - tells reads of thread indices from other special registers. */
#include "predict/special_registers.h"

#include <stdlib.h>
#include <string.h>

enum { ZERO_REGISTER = 255 };

void special_registers_begin_warp(struct special_registers *s)
{
    s->n_waiting = 0;
}

static bool starts_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

static bool multiplies_and_adds(const struct strata_inst *i)
{
    return starts_with(i->opcode, "LEA") ||
           (i->opclass == STRATA_OP_IMAD && !starts_with(i->opcode, "IMAD.MOV") &&
            !starts_with(i->opcode, "IMAD.IADD") && !starts_with(i->opcode, "IMAD.SHL"));
}

/* The value is the first source, and something in a register is added to the product. */
static bool is_scaled(const struct strata_inst *i, uint16_t reg)
{
    const uint16_t *src = &i->reg[i->n_dst];
    if (!multiplies_and_adds(i) || i->n_src < 2 || src[0] != reg)
        return false;
    return src[i->n_src - 1] != ZERO_REGISTER;
}

static bool reads(const struct strata_inst *i, uint16_t reg)
{
    for (unsigned k = 0; k < i->n_src; k++)
        if (i->reg[i->n_dst + k] == reg)
            return true;
    return false;
}

static bool writes(const struct strata_inst *i, uint16_t reg)
{
    for (unsigned k = 0; k < i->n_dst; k++)
        if (i->reg[k] == reg)
            return true;
    return false;
}

static void settle_waiting(struct special_registers *s, const struct strata_winst *w)
{
    for (uint32_t k = 0; k < s->n_waiting;) {
        uint16_t reg = s->waiting[k].reg;
        struct special_read *r = &s->read[s->waiting[k].inst_index];
        bool used = reads(w->inst, reg);
        if (used) {
            r->decided = true;
            r->is_block_index = is_scaled(w->inst, reg);
        }
        if (used || (w->mask && writes(w->inst, reg)))
            s->waiting[k] = s->waiting[--s->n_waiting];
        else
            k++;
    }
}

static bool make_room(struct special_registers *s, uint32_t index)
{
    if (index < s->n_read)
        return true;
    uint32_t n = index + 64;
    struct special_read *grown = realloc(s->read, n * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + s->n_read, 0, (n - s->n_read) * sizeof *grown);
    s->read = grown;
    s->n_read = n;
    return true;
}

static bool is_vector_read(const struct strata_inst *i)
{
    return i->opclass == STRATA_OP_SREG && !strcmp(i->opcode, "S2R");
}

strata_status special_registers_see(struct special_registers *s, const struct strata_winst *w,
                                    struct strata_error *err)
{
    if (s->n_waiting)
        settle_waiting(s, w);
    if (w->inst->opclass != STRATA_OP_SREG || !is_vector_read(w->inst))
        return STRATA_OK;
    if (!make_room(s, w->inst_index))
        return strata_no_memory(err, NULL, "for the instruction counts");
    struct special_read *r = &s->read[w->inst_index];
    r->executed++;
    int32_t told = w->inst->imm;
    if (told == STRATA_SPECIAL_OF_LANE || told == STRATA_SPECIAL_OF_WARP) {
        r->decided = true;
        r->is_block_index = told == STRATA_SPECIAL_OF_WARP;
    }
    if (!r->decided && w->mask && w->inst->n_dst &&
        s->n_waiting < sizeof s->waiting / sizeof s->waiting[0]) {
        s->waiting[s->n_waiting].inst_index = w->inst_index;
        s->waiting[s->n_waiting++].reg = w->inst->reg[0];
    }
    return STRATA_OK;
}

uint64_t special_registers_thread_index_reads(const struct special_registers *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_read; i++)
        n += s->read[i].is_block_index ? 0 : s->read[i].executed;
    return n;
}

void special_registers_release(struct special_registers *s)
{
    free(s->read);
    s->read = NULL;
    s->n_read = 0;
}
