/* live.c - how many registers are in use at each instruction, by the usual backward pass: what is
 * needed before an instruction is what it reads and what its successors need, less what it always
 * writes. */
#include <stdlib.h>
#include <string.h>

#include "sass/registers.h"

struct set {
    uint64_t word[4];
};

static void set_add(struct set *s, unsigned reg, unsigned n)
{
    for (unsigned i = reg; i < reg + n && i < SASS_RZ; i++)
        s->word[i / 64] |= UINT64_C(1) << i % 64;
}

static void set_join(struct set *s, const struct set *other)
{
    for (int i = 0; i < 4; i++)
        s->word[i] |= other->word[i];
}

static bool set_equal(const struct set *a, const struct set *b)
{
    return !memcmp(a, b, sizeof *a);
}

static uint16_t set_count(const struct set *s)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++)
        n += (unsigned)__builtin_popcountll(s->word[i]);
    return (uint16_t)n;
}

/* Registers read and written. */
static void uses(const struct sass_inst *i, struct set *reads, struct set *writes)
{
    for (uint32_t n = 0; n < i->n_operands; n++) {
        const struct sass_operand *o = &i->operand[n];
        if (o->kind == SASS_UREG || o->kind == SASS_PRED || o->kind == SASS_UPRED)
            continue;
        set_add(o->flags & SASS_DEST ? writes : reads, o->reg, sass_operand_registers(i, n));
    }
}

/* Where an instruction leads: to the next one, to its label, to any label, or behind any call. */
struct successors {
    bool next, any_label, after_call;
    size_t label; /* SIZE_MAX: none */
};

static size_t label_of(const struct sass_inst *i, size_t n)
{
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (i->operand[k].kind == SASS_LABEL) {
            uint64_t at = (uint64_t)i->operand[k].value / SASS_INST_BYTES;
            return at < n ? (size_t)at : SIZE_MAX;
        }
    return SIZE_MAX;
}

static struct successors successors_of(const struct sass_inst *i, size_t n)
{
    bool always = i->guard == SASS_PT && !i->guard_not;
    struct successors s = {.next = true, .label = SIZE_MAX};
    switch (i->op) {
    case SASS_BRA:
        s.label = label_of(i, n);
        s.next =
            !always || i->mod[SASS_M_MODE] != SASS_W_NONE || !(i->operand[0].flags & SASS_HIDDEN);
        break;
    case SASS_JMP:
    case SASS_WARPSYNC:
    case SASS_BSSY:
    case SASS_CALL:
        s.label = label_of(i, n);
        break;
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_JMX:
    case SASS_JMXU:
        s.any_label = true;
        s.next = !always;
        break;
    case SASS_RET:
        s.after_call = true;
        s.next = !always;
        break;
    case SASS_EXIT:
    case SASS_KILL:
        s.next = !always || (i->n_operands && !(i->operand[0].flags & SASS_HIDDEN));
        break;
    default:
        break;
    }
    return s;
}

/* Joins over the whole function, for jumps whose target is not in the code. */
struct everywhere {
    struct set labels, returns;
};

static bool live_pass(const struct sass_inst *code, size_t n, struct set *in, uint16_t *live,
                      struct everywhere *all)
{
    bool changed = false;
    for (size_t k = n; k-- > 0;) {
        struct successors s = successors_of(&code[k], n);
        struct set out = {0}, reads = {0}, writes = {0};
        if (s.next && k + 1 < n)
            set_join(&out, &in[k + 1]);
        if (s.label != SIZE_MAX) {
            set_join(&out, &in[s.label]);
            set_join(&all->labels, &in[s.label]);
        }
        if (s.any_label)
            set_join(&out, &all->labels);
        if (s.after_call)
            set_join(&out, &all->returns);
        if (code[k].op == SASS_CALL && k + 1 < n)
            set_join(&all->returns, &in[k + 1]);
        uses(&code[k], &reads, &writes);
        struct set used = out;
        set_join(&used, &writes);
        if (code[k].guard == SASS_PT && !code[k].guard_not)
            for (int w = 0; w < 4; w++)
                out.word[w] &= ~writes.word[w];
        set_join(&out, &reads);
        set_join(&used, &out);
        live[k] = set_count(&used);
        changed |= !set_equal(&out, &in[k]);
        in[k] = out;
    }
    return changed;
}

bool sass_live_registers(const struct sass_inst *code, size_t n, uint16_t *live)
{
    struct set *in = calloc(n ? n : 1, sizeof *in);
    if (!in)
        return false;
    struct everywhere all = {0};
    struct set labels, returns;
    do {
        labels = all.labels;
        returns = all.returns;
    } while (live_pass(code, n, in, live, &all) || !set_equal(&labels, &all.labels) ||
             !set_equal(&returns, &all.returns));
    free(in);
    return true;
}
