/* code.c - the table of static instructions of one launch: equal ones get one index. */
#include "trace/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/array.h"

uint32_t strata_code_count(const struct strata_code *code)
{
    return atomic_load_explicit(&code->n, memory_order_acquire);
}

const struct strata_inst *strata_code_get(const struct strata_code *code, uint32_t index)
{
    return index < strata_code_count(code) ? &code_entry(code, index)->inst : NULL;
}

bool strata_inlined_next(const char **at, struct strata_inlined *out)
{
    const char *arrow = *at ? strstr(*at, STRATA_INLINED_ARROW) : NULL;
    if (!*at || !**at)
        return false;
    size_t n = arrow ? (size_t)(arrow - *at) : strlen(*at);
    const char *slash = memrchr(*at, '/', n), *name = slash ? slash + 1 : *at;
    *out = (struct strata_inlined){*at, name, n, (size_t)(*at + n - name)};
    *at = arrow ? arrow + strlen(STRATA_INLINED_ARROW) : *at + n;
    return true;
}

strata_status strata_code_create(struct strata_code **out, struct strata_error *err)
{
    static _Atomic uint64_t tables;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return strata_no_memory(err, NULL, "for the instruction table");
    (*out)->serial = 1 + atomic_fetch_add_explicit(&tables, 1, memory_order_relaxed);
    return STRATA_OK;
}

void strata_code_destroy(struct strata_code *code)
{
    if (!code)
        return;
    for (size_t i = 0; i < CODE_SEGMENTS; i++)
        free(code->segment[i]);
    for (size_t i = 0; i < code->n_text; i++)
        free(code->text[i].words);
    free(code->text);
    free(code->hash);
    free(code);
}

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0;
    for (const char *c = text; *c; c++)
        h = h * 0x100000001b3ull + (unsigned char)*c;
    return h;
}

static uint32_t inst_hash(const struct strata_inst *i)
{
    uint64_t h = mix64(i->pc) ^ hash_text(i->opcode);
    h = mix64(h + ((uint64_t)i->source_line << 32 | (uint32_t)i->imm));
    h = mix64(h + ((uint64_t)i->hints << 48 | (uint64_t)i->opclass << 40 |
                   (uint64_t)i->space << 32 | (uint64_t)i->memop << 24 |
                   (uint64_t)i->width_bytes << 16 | (uint64_t)i->trace_width << 8 |
                   (uint64_t)i->n_dst << 4 | i->n_src));
    const struct strata_control *c = &i->control;
    h = mix64(h + ((uint64_t)c->known << 48 | (uint64_t)c->stall << 40 | (uint64_t)c->yield << 32 |
                   (uint64_t)c->write_barrier << 24 | (uint64_t)c->read_barrier << 16 |
                   (uint64_t)c->wait_mask << 8 | c->reuse));
    for (unsigned r = 0; r < (unsigned)i->n_dst + i->n_src; r++)
        h = mix64(h + i->reg[r]);
    return (uint32_t)h;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool inst_equal(const struct strata_inst *a, const struct strata_inst *b)
{
    return a->pc == b->pc && a->source_line == b->source_line && a->imm == b->imm &&
           a->hints == b->hints && a->opclass == b->opclass && a->space == b->space &&
           a->memop == b->memop && a->width_bytes == b->width_bytes &&
           !memcmp(&a->control, &b->control, sizeof a->control) &&
           a->trace_width == b->trace_width && a->n_dst == b->n_dst && a->n_src == b->n_src &&
           !memcmp(a->reg, b->reg, sizeof a->reg[0] * ((size_t)a->n_dst + a->n_src)) &&
           !strcmp(a->opcode, b->opcode) && is_same_text(a->inlined, b->inlined);
}

/* The place of `inst` in the hash table, or the free place where it belongs. */
static uint32_t hash_find(const struct strata_code *code, const struct strata_inst *inst)
{
    uint32_t at = inst_hash(inst) & (code->hash_size - 1);
    while (code->hash[at] && !inst_equal(&code_entry(code, code->hash[at] - 1)->inst, inst))
        at = (at + 1) & (code->hash_size - 1);
    return at;
}

static bool hash_grow(struct strata_code *code)
{
    uint32_t n = strata_code_count(code);
    if (n * 2ull < code->hash_size)
        return true;
    uint32_t size = code->hash_size ? code->hash_size * 2 : 128;
    uint32_t *bigger = calloc(size, sizeof *bigger);
    if (!bigger)
        return false;
    free(code->hash);
    code->hash = bigger;
    code->hash_size = size;
    for (uint32_t i = 0; i < n; i++)
        code->hash[hash_find(code, &code_entry(code, i)->inst)] = i + 1;
    return true;
}

/* The table's own copy of a text. Opcodes are few, places of inlined code some thousand at most,
 * and texts are looked for only when a new static instruction appears: a linear search does. */
static const char *keep_text(struct strata_code *code, const char *text)
{
    uint64_t hash = hash_text(text);
    for (size_t i = code->n_text; i-- > 0;)
        if (code->text[i].hash == hash && !strcmp(code->text[i].words, text))
            return code->text[i].words;
    if (!ARRAY_RESERVE(code->text, code->n_text, code->cap_text, 1))
        return NULL;
    char *copy = strdup(text);
    if (copy)
        code->text[code->n_text++] = (struct code_text){hash, copy};
    return copy;
}

static bool make_room(struct strata_code *code, uint32_t index)
{
    uint32_t shifted = index + (1u << CODE_FIRST_SEGMENT_LOG2);
    unsigned top = 31u - (unsigned)__builtin_clz(shifted);
    struct code_entry **segment = &code->segment[top - CODE_FIRST_SEGMENT_LOG2];
    if (!*segment)
        *segment = calloc((size_t)1 << top, sizeof **segment);
    return *segment != NULL;
}

/* RED.E.ADD.F32.FTZ.RN, ATOMG.E.ADD.F64.RN, ATOMG.E.CAS.64; red.global.add.f32, atom.cas.b32. */
static uint8_t atomic_of(const struct strata_inst *inst)
{
    const char *op = inst->opcode;
    if (inst->memop != STRATA_MEM_ATOMIC && inst->memop != STRATA_MEM_REDUCTION)
        return STRATA_ATOMIC_OTHER;
    if (strstr(op, ".CAS") || strstr(op, ".cas"))
        return STRATA_ATOMIC_COMPARE;
    bool adds = strstr(op, ".ADD") || strstr(op, ".add");
    bool floats = strstr(op, ".F") || strstr(op, ".BF") || strstr(op, ".f") || strstr(op, ".bf");
    if (!adds || !floats)
        return STRATA_ATOMIC_OTHER;
    return strstr(op, ".F64") || strstr(op, ".f64") ? STRATA_ATOMIC_DOUBLE : STRATA_ATOMIC_FLOAT;
}

strata_status strata_code_add(struct strata_code *code, const struct strata_inst *inst,
                              uint32_t *index, struct strata_error *err)
{
    uint32_t n = strata_code_count(code);
    if (inst->n_dst > STRATA_MAX_DST || inst->n_src > STRATA_MAX_SRC)
        return strata_fail(
            err, STRATA_ELIMIT, NULL, 0, 0,
            "instruction \"%s\" has more than %d destination or %d source registers.", inst->opcode,
            STRATA_MAX_DST, STRATA_MAX_SRC);
    if (!strata_text_is_clean(inst->opcode) ||
        (inst->inlined && !strata_text_is_clean(inst->inlined)))
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "%s holds a control character or is not UTF-8; the trace is damaged.",
                           strata_text_is_clean(inst->opcode) ? "the name of a source file"
                                                              : "an opcode");
    if (!hash_grow(code))
        goto no_memory;
    uint32_t at = hash_find(code, inst);
    if (code->hash[at]) {
        *index = code->hash[at] - 1;
        return STRATA_OK;
    }
    if (n == CODE_MAX_INSTRUCTIONS)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "the launch has more than %u different static instructions.",
                           CODE_MAX_INSTRUCTIONS);
    const char *text = keep_text(code, inst->opcode);
    const char *inlined = inst->inlined ? keep_text(code, inst->inlined) : NULL;
    if (!text || (inst->inlined && !inlined) || !make_room(code, n))
        goto no_memory;
    struct code_entry *e = code_entry(code, n);
    e->inst = *inst;
    e->inst.opcode = text;
    e->inst.inlined = inlined;
    e->inst.atomic = atomic_of(inst);
    for (unsigned r = (unsigned)inst->n_dst + inst->n_src; r < STRATA_MAX_DST + STRATA_MAX_SRC; r++)
        e->inst.reg[r] = 0;
    e->slot = CODE_NO_SLOT;
    if (code_inst_has_slot(inst))
        e->slot = atomic_fetch_add_explicit(&code->n_slots, 1, memory_order_relaxed);
    code->hash[at] = n + 1;
    atomic_store_explicit(&code->n, n + 1, memory_order_release);
    *index = n;
    return STRATA_OK;
no_memory:
    return strata_no_memory(err, NULL, "for the instruction table");
}
