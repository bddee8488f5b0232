/* cursor.h - one step of a cursor, inline for models that take one for every warp instruction. */
#ifndef STRATA_TRACE_CURSOR_H
#define STRATA_TRACE_CURSOR_H

#include "trace/bytecode.h"
#include "trace/code.h"

_Static_assert(STRATA_BRANCH_MEMORY == 64, "a bit of `branches` for each place");

/* Takes tokens up to and including the next run; false: there is none. */
bool cursor_next_run(struct strata_cursor *c);
/* The addresses that a control other than CONTROL_NONE tells of. */
void cursor_addresses(struct strata_cursor *c, struct strata_addr_state *s, unsigned control,
                      struct strata_winst *out);

/* strata_cursor_next. `slots`: the slots of the static instructions, for who keeps them closer
 * together than the code table does. */
static inline bool cursor_step(struct strata_cursor *c, const uint32_t *slots,
                               struct strata_winst *out)
{
    if (!c->run && !cursor_next_run(c))
        return false;
    c->run--;
    c->remaining--;
    uint32_t index = c->next_index;
    const struct code_entry *e = code_entry(c->code, index);
    uint32_t place = index % STRATA_BRANCH_MEMORY;
    c->last_index = index;
    /* Few instructions were jumped from: the table is not read for the others. */
    bool jumped = c->branches >> place & 1 && c->branch_from[place] == index + 1;
    c->next_index = jumped ? c->branch_to[place] : index + 1;
    out->inst = &e->inst;
    out->inst_index = index;
    out->mask = c->mask;
    uint32_t slot = slots ? slots[index] : e->slot;
    unsigned control = slot == CODE_NO_SLOT ? CONTROL_NONE : *c->controls++;
    if (control == CONTROL_NONE) {
        out->addr_kind = STRATA_ADDR_NONE;
        out->base = 0;
        out->stride = 0;
        out->addr = NULL;
    } else {
        cursor_addresses(c, &c->state[slot], control, out);
    }
    return true;
}

#endif
