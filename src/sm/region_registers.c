/* region_registers.c - the registers that results of a region have, and how many there are. */
#include "sm/region_draft.h"

#include <string.h>

/* A register that a constant is added to. */
static bool is_step(const struct sm_node *x)
{
    return x->inst->opclass == STRATA_OP_INT && x->op->n_read == 1 && x->op->n_write == 1 &&
           x->op->read[0] == x->op->write[0] && !strncmp(x->inst->opcode, "add.", 4);
}

/* Steps of a pointer or a counter that the region steps again become constants of the instructions
 * that read it: ptxas has one step for all rounds of an unrolled loop. Of 64 bits the other half,
 * which names no registers, stands before it. */
static bool drop_step(struct sm_draft *d, uint32_t i)
{
    struct sm_node *x = &d->node[i], *half = i ? x - 1 : x;
    if (!is_step(x) || d->last[x->op->write[0]] == i + 1)
        return false;
    x->gone = true;
    if (i && !strcmp(half->inst->opcode, x->inst->opcode) && !half->op->n_read &&
        !half->op->n_write)
        half->gone = true;
    return true;
}

/* Registers for a value by what first reads it, in halves. Addresses take two, so one and a half
 * are taken for what is no floating-point number: of those a product of matrices by blocks has 64.
 */
static uint32_t half_registers(const struct strata_inst *reader)
{
    return reader->opclass == STRATA_OP_FP32 ? 2 : 3;
}

static void note_read(struct sm_draft *d, uint32_t i, uint16_t reg)
{
    if (d->seen[reg] == SM_UNSEEN) {
        d->half_in += half_registers(d->node[i].inst);
        d->reader[reg] = (uint16_t)(i + 1);
        d->seen[reg] = SM_READ_ONCE;
    } else if (d->seen[reg] == SM_READ_ONCE)
        d->seen[reg] = SM_READ;
}

/* A sum that goes on from before the region keeps its register: what alone reads the old value
 * takes it over. */
static void take_over(struct sm_draft *d, uint16_t reg)
{
    if (d->seen[reg] != SM_READ_ONCE)
        return;
    struct sm_node *reader = &d->node[d->reader[reg] - 1];
    if (reader->takes_over)
        return;
    reader->takes_over = reader->words;
    d->taken_over += reader->words;
}

static void note_write(struct sm_draft *d, uint16_t reg)
{
    take_over(d, reg);
    d->seen[reg] = SM_WRITTEN;
}

static void begin(struct sm_draft *d)
{
    d->half_in = d->taken_over = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct sm_inst *op = d->node[i].op;
        for (unsigned k = 0; k < op->n_read; k++) {
            d->name[op->read[k]] = op->read[k];
            d->seen[op->read[k]] = SM_UNSEEN;
        }
        for (unsigned k = 0; k < op->n_write; k++) {
            d->name[op->write[k]] = op->write[k];
            d->seen[op->write[k]] = SM_UNSEEN;
            d->last[op->write[k]] = (uint16_t)(i + 1);
        }
    }
}

/* A result that is written again later in the region gets a name of its own, as registers are
 * allocated after the order is found; the last one keeps its name, since the code that follows
 * reads it there. Writes under a predicate are taken for whole ones. */
static void rename_registers(struct sm_scheduler *s, struct sm_draft *d)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        struct sm_inst *op = d->node[i].op;
        op->waits_for_few = false; /* for those it has now */
        if (drop_step(d, i))
            continue;
        for (unsigned k = 0; k < op->n_read; k++) {
            note_read(d, i, op->read[k]);
            op->read[k] = d->name[op->read[k]];
        }
        for (unsigned k = 0; k < op->n_write; k++) {
            uint16_t reg = op->write[k];
            note_write(d, reg);
            bool again = d->last[reg] != i + 1 && fresh < s->n_fresh;
            d->name[reg] = again ? (uint16_t)(s->first_fresh + fresh++) : reg;
            op->write[k] = d->name[reg];
        }
    }
}

/* What each product is added to, or 0. */
static void find_sums(const struct sm_draft *d, uint16_t *sum)
{
    for (uint32_t i = 0; i < d->n; i++) {
        const struct sm_inst *op = d->node[i].op;
        bool adds = op->n_read && !strncmp(d->node[i].inst->opcode, "fma.", 4);
        sum[i] = adds ? op->read[op->n_read - 1] : 0;
    }
}

/* Of an unrolled loop only the last branch is left, and nothing that only the others asked for. */
static void drop_branches(const struct sm_scheduler *s, struct sm_draft *d)
{
    for (uint32_t i = d->n - 1; i-- > 0;) {
        struct sm_node *x = &d->node[i];
        bool used =
            (x->op->kind != SM_KIND_PLAIN && x->op->kind != SM_KIND_CONSTANT) || !x->op->n_write;
        for (unsigned k = 0; k < x->op->n_write; k++) {
            used |= x->op->write[k] < s->first_fresh;
            for (uint32_t j = i + 1; j < d->n && !used; j++)
                used = !d->node[j].gone &&
                       sm_lists(d->node[j].op->read, d->node[j].op->n_read, x->op->write[k]);
        }
        x->gone |= x->inst->opclass == STRATA_OP_BRANCH || !used;
    }
}

void sm_draft_name_registers(struct sm_scheduler *s, struct sm_draft *d)
{
    uint16_t sum[SM_MAX_REGION];
    begin(d);
    find_sums(d, sum);
    rename_registers(s, d);
    /* Loops that are written out have another name in each round. */
    for (uint32_t i = 0; i < d->n; i++)
        if (sum[i] && d->reader[sum[i]] == i + 1)
            take_over(d, sum[i]);
    drop_branches(s, d);
}

/* ---- how many ---- */

static uint32_t registers_left(const struct sm_scheduler *s, uint32_t taken)
{
    enum { LEAST = 8 };
    return s->registers > taken + LEAST ? s->registers - taken : LEAST;
}

/* Registers that what comes into a region leaves for its results. */
static uint32_t room_for_results(const struct sm_scheduler *s, const struct sm_draft *d)
{
    return s->registers ? registers_left(s, d->half_in / 2 + 2) + d->taken_over : UINT32_MAX;
}

/* Registers that what is alive where a loop begins leaves for what it loads. Of loads from memory
 * four more stay free: unrolled loops of ptxas 13.0 with 32 registers have 26 to 29 alive at most,
 * where 7 to 19 are at the beginning (loops of a corpus of our own, compiled for sm_90). */
static void find_room_for_loads(const struct sm_scheduler *s, struct sm_draft *d)
{
    enum { OWN = 4 };
    const struct strata_inst *last = d->node[d->n - 1].inst;
    d->far_room = d->near_room = d->room;
    if (last->opclass != STRATA_OP_BRANCH || last->imm < STRATA_BRANCH_ALIVE || !s->registers)
        return;
    uint32_t alive = (uint32_t)last->imm / STRATA_BRANCH_ALIVE - 1;
    d->far_room = registers_left(s, alive + OWN);
    d->near_room = registers_left(s, alive) + d->taken_over;
}

void sm_draft_find_room(const struct sm_scheduler *s, struct sm_draft *d)
{
    d->room = room_for_results(s, d);
    find_room_for_loads(s, d);
}
