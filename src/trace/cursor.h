/* cursor.h - one step of a cursor, inline for models that take one for every warp instruction. */
#ifndef STRATA_TRACE_CURSOR_H
#define STRATA_TRACE_CURSOR_H

#include "trace/bytecode.h"
#include "trace/code.h"

_Static_assert(STRATA_BRANCH_MEMORY == 64, "a bit of `branches` for each place");

/* What a cursor reads now and then. */
struct strata_cursor_memory {
    struct cursor_jump {
        uint32_t from, to; /* from: index + 1 of an instruction that was jumped from */
    } jump[STRATA_BRANCH_MEMORY];
    uint64_t addr[STRATA_WARP_SIZE];
};
/* For who has many cursors, and their memory side by side: before the first _init. */
static inline void cursor_lend(struct strata_cursor *c, struct strata_cursor_memory *memory)
{
    c->memory = memory;
    c->is_lent = true;
}

/* Takes tokens up to and including the next run; false: there is none. */
bool cursor_next_run(struct strata_cursor *c);
/* The addresses that a control other than CONTROL_NONE tells of. */
void cursor_addresses(struct strata_cursor *c, struct strata_addr_state *s, unsigned control,
                      struct strata_winst *out);

/* What a step reads of a static instruction. */
struct cursor_code {
    const struct strata_inst *inst;
    uint32_t slot;
    uint16_t code_line; /* sm_inst.fetch_line, and .lines, where an SM's decoder has the table: */
    uint8_t lines;      /* what is asked for ahead by them */
};
static inline struct cursor_code cursor_code_of(const struct strata_code *code, uint32_t index)
{
    const struct code_entry *e = code_entry(code, index);
    return (struct cursor_code){&e->inst, e->slot, 0, 0};
}

/* The control of an instruction that can have addresses. A warp's turn comes when its bytes have
 * left the machine's caches: eight of them are kept in the cursor. */
static inline unsigned cursor_control(struct strata_cursor *c)
{
    if (!c->n_control_bytes) {
        c->control_bytes = load_le64(c->controls);
        c->controls += 8;
        c->n_control_bytes = 8;
    }
    unsigned control = c->control_bytes & 255;
    c->control_bytes >>= 8;
    c->n_control_bytes--;
    return control;
}

/* The instruction behind `index`, which may have been jumped from. Few were: the table is not read
 * for the others, nor for the jump of a loop. */
static inline uint32_t cursor_follow(struct strata_cursor *c, uint32_t index)
{
    uint32_t place = index % STRATA_BRANCH_MEMORY;
    if (!(c->branches >> place & 1))
        return index + 1;
    if (c->jump_from == index + 1)
        return c->jump_to;
    struct cursor_jump jump = c->memory->jump[place];
    if (jump.from != index + 1)
        return index + 1;
    c->jump_from = jump.from;
    return c->jump_to = jump.to;
}

/* strata_cursor_next. `table`: that of all static instructions, for who keeps it closer together
 * than the code does, or NULL. */
static inline bool cursor_step(struct strata_cursor *c, const struct cursor_code *table,
                               struct strata_winst *out)
{
    if (!c->run && !cursor_next_run(c))
        return false;
    c->run--;
    uint32_t index = c->next_index;
    struct cursor_code code = table ? table[index] : cursor_code_of(c->code, index);
    c->last_index = index;
    c->next_index = cursor_follow(c, index);
    out->inst = code.inst;
    out->inst_index = index;
    out->mask = c->mask;
    unsigned control = code.slot == CODE_NO_SLOT ? CONTROL_NONE : cursor_control(c);
    if (control == CONTROL_NONE) {
        out->addr_kind = STRATA_ADDR_NONE;
        out->base = 0;
        out->stride = 0;
        out->addr = NULL;
    } else {
        cursor_addresses(c, &c->state[code.slot], control, out);
    }
    return true;
}

#endif
