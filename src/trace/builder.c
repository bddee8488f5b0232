/* builder.c - turns executed warp instructions into byte code, one block at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "trace/bytecode.h"
#include "trace/code.h"

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

/* What the encoder remembers of a static instruction with addresses within one warp. */
struct encoder_state {
    struct strata_addr_state s;
    uint32_t warp_serial; /* the warp it belongs to; another one: never seen */
    uint32_t list_mask;   /* the mask the last list was for */
    uint32_t list_bytes;  /* its size */
};

struct finished_warp {
    size_t offset; /* in finished */
    uint32_t n_bytes, n_instructions;
    bool present;
};

struct strata_builder {
    struct strata_code *code;
    struct bytes tokens, controls, first, data; /* of the current warp */
    struct bytes finished;                      /* the warps done so far */
    struct finished_warp *warp;
    size_t cap_warp;
    struct encoder_state *state;
    size_t cap_state;
    uint64_t block_index;
    uint32_t n_warps, current; /* current == n_warps: none */
    uint32_t warp_serial;
    uint32_t n_instructions, run, last_index, mask, other_mask;
    uint32_t branch_from[STRATA_BRANCH_MEMORY], branch_to[STRATA_BRANCH_MEMORY];
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a thread block");
}

strata_status strata_builder_create(struct strata_code *code, struct strata_builder **out,
                                    struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return no_memory(err);
    (*out)->code = code;
    return STRATA_OK;
}

void strata_builder_destroy(struct strata_builder *b)
{
    if (!b)
        return;
    free(b->tokens.p);
    free(b->controls.p);
    free(b->first.p);
    free(b->data.p);
    free(b->finished.p);
    free(b->warp);
    free(b->state);
    free(b);
}

strata_status strata_builder_begin_block(struct strata_builder *b, uint64_t index, uint32_t n_warps,
                                         struct strata_error *err)
{
    if (!ARRAY_RESERVE(b->warp, 0, b->cap_warp, n_warps))
        return no_memory(err);
    if (n_warps)
        memset(b->warp, 0, n_warps * sizeof *b->warp);
    b->finished.n = 0;
    b->block_index = index;
    b->n_warps = b->current = n_warps;
    return STRATA_OK;
}

static void flush_run(struct strata_builder *b)
{
    uint8_t *at = b->tokens.p + b->tokens.n;
    if (b->run > TOKEN_RUN_MAX) {
        *at++ = (uint8_t)(TOKEN_LONG_RUN | (b->run - 129) >> 8);
        *at++ = (uint8_t)(b->run - 129);
    } else if (b->run) {
        *at++ = (uint8_t)(b->run - 1);
    }
    b->run = 0;
    b->tokens.n = (size_t)(at - b->tokens.p);
}

/* Appends the current warp's streams to `finished`. */
static strata_status finish_warp(struct strata_builder *b, struct strata_error *err)
{
    if (b->current == b->n_warps)
        return STRATA_OK;
    if (!ARRAY_RESERVE(b->tokens.p, b->tokens.n, b->tokens.cap, 4))
        return no_memory(err);
    flush_run(b);
    size_t total = b->tokens.n + b->controls.n + b->first.n + b->data.n;
    if (total > UINT32_MAX / 2)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "warp %u of thread block %llu is too long to be kept in memory.",
                           b->current, (unsigned long long)b->block_index);
    if (!ARRAY_RESERVE(b->finished.p, b->finished.n, b->finished.cap, total + 4 * MAX_VARINT_BYTES))
        return no_memory(err);
    struct finished_warp *w = &b->warp[b->current];
    w->offset = b->finished.n;
    w->n_instructions = b->n_instructions;
    uint8_t *at = b->finished.p + b->finished.n;
    at = varint_write(at, b->tokens.n);
    at = varint_write(at, b->controls.n);
    at = varint_write(at, b->first.n / 8);
    at = varint_write(at, b->data.n);
    const struct bytes *const streams[] = {&b->tokens, &b->controls, &b->first, &b->data};
    for (size_t i = 0; i < 4; i++) {
        if (streams[i]->n)
            memcpy(at, streams[i]->p, streams[i]->n);
        at += streams[i]->n;
    }
    b->finished.n = (size_t)(at - b->finished.p);
    w->n_bytes = (uint32_t)(b->finished.n - w->offset);
    b->current = b->n_warps;
    return STRATA_OK;
}

strata_status strata_builder_begin_warp(struct strata_builder *b, uint32_t warp,
                                        struct strata_error *err)
{
    if (warp >= b->n_warps)
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "warp %u does not exist: thread block %llu has %u warps.", warp,
                           (unsigned long long)b->block_index, b->n_warps);
    if (b->warp[warp].present)
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "warp %u of thread block %llu appears twice.", warp,
                           (unsigned long long)b->block_index);
    strata_status status = finish_warp(b, err);
    if (status)
        return status;
    b->warp[warp].present = true;
    b->current = warp;
    b->warp_serial++;
    b->tokens.n = b->controls.n = b->first.n = b->data.n = 0;
    b->n_instructions = b->run = 0;
    b->last_index = UINT32_MAX; /* the instruction predicted first is 0 */
    b->mask = b->other_mask = UINT32_MAX;
    memset(b->branch_from, 0, sizeof b->branch_from);
    return STRATA_OK;
}

/* Room for whatever one instruction can add to each stream. */
static bool reserve_instruction(struct strata_builder *b)
{
    return ARRAY_RESERVE(b->tokens.p, b->tokens.n, b->tokens.cap, 8 + MAX_VARINT_BYTES) &&
           ARRAY_RESERVE(b->controls.p, b->controls.n, b->controls.cap, 1) &&
           ARRAY_RESERVE(b->first.p, b->first.n, b->first.cap, 8) &&
           ARRAY_RESERVE(b->data.p, b->data.n, b->data.cap,
                         4 + 2 * MAX_VARINT_BYTES + LIST_MAX_BYTES);
}

static void add_mask(struct strata_builder *b, uint32_t mask)
{
    flush_run(b);
    if (mask == b->other_mask) {
        b->tokens.p[b->tokens.n++] = TOKEN_MASK_SWAP;
    } else {
        b->tokens.p[b->tokens.n++] = TOKEN_MASK;
        store_le(b->data.p + b->data.n, mask, 4);
        b->data.n += 4;
    }
    b->other_mask = b->mask;
    b->mask = mask;
}

static void add_jump(struct strata_builder *b, uint32_t index)
{
    flush_run(b);
    b->tokens.p[b->tokens.n++] = TOKEN_JUMP;
    b->tokens.n = (size_t)(varint_write(b->tokens.p + b->tokens.n, index) - b->tokens.p);
    uint32_t place = b->last_index % STRATA_BRANCH_MEMORY;
    b->branch_from[place] = b->last_index + 1;
    b->branch_to[place] = index;
}

/* Everything but the addresses: mask, successor, run. */
static void add_step(struct strata_builder *b, uint32_t index, uint32_t mask)
{
    if (mask != b->mask)
        add_mask(b, mask);
    uint32_t place = b->last_index % STRATA_BRANCH_MEMORY;
    uint32_t predicted =
        b->branch_from[place] == b->last_index + 1 ? b->branch_to[place] : b->last_index + 1;
    if (b->n_instructions == 0)
        predicted = 0;
    if (index != predicted)
        add_jump(b, index);
    b->last_index = index;
    b->n_instructions++;
    if (++b->run == TOKEN_LONG_RUN_MAX)
        flush_run(b);
}

/* Chooses base and shape codes and writes control, first base and data. addr NULL: an affine
 * access. */
static void add_addresses(struct strata_builder *b, struct encoder_state *e, uint64_t base,
                          int32_t stride, const uint64_t *addr)
{
    uint8_t *data = b->data.p + b->data.n, *at = data;
    struct strata_addr_state *s = &e->s;
    bool seen = e->warp_serial == b->warp_serial;
    unsigned base_code = BASE_REPEAT, shape_code = SHAPE_SAME;
    if (!seen) {
        memset(e, 0, sizeof *e);
        e->warp_serial = b->warp_serial;
        base_code = BASE_FIRST;
        store_le(b->first.p + b->first.n, base, 8);
        b->first.n += 8;
    } else if (base != s->base + s->step) {
        base_code = BASE_STEP;
        s->step = base - s->base;
        at = varint_write(at, zigzag((int64_t)s->step));
    }
    s->base = base;
    if (addr) {
        size_t n = list_write(at, b->mask, addr);
        if (s->list && e->list_mask == b->mask && e->list_bytes == n &&
            !memcmp(b->data.p + s->list - 1, at, n)) {
            n = 0;
        } else {
            shape_code = SHAPE_LIST;
            s->list = (uint32_t)(at - b->data.p) + 1;
            e->list_mask = b->mask;
            e->list_bytes = (uint32_t)n;
        }
        at += n;
    } else if (s->list || (stride != s->stride && popcount32(b->mask) > 1)) {
        shape_code = SHAPE_STRIDE;
        s->list = 0;
        s->stride = stride;
        at = varint_write(at, zigzag(stride));
    }
    b->controls.p[b->controls.n++] = (uint8_t)(base_code * 3 + shape_code);
    b->data.n += (size_t)(at - data);
}

static strata_status add(struct strata_builder *b, uint32_t index, uint32_t mask,
                         bool has_addresses, uint64_t base, int32_t stride, const uint64_t *addr,
                         struct strata_error *err)
{
    if (b->current == b->n_warps || index >= strata_code_count(b->code))
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "instruction %u was added outside a warp or is not in the instruction table.", index);
    uint32_t slot = code_entry(b->code, index)->slot;
    if (has_addresses && slot == CODE_NO_SLOT)
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "instruction \"%s\" has addresses but is no memory instruction.",
                           code_entry(b->code, index)->inst.opcode);
    if (b->n_instructions == UINT32_MAX || b->data.n > UINT32_MAX / 4)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "warp %u of thread block %llu is too long to be kept in memory.",
                           b->current, (unsigned long long)b->block_index);
    if (!reserve_instruction(b))
        return no_memory(err);
    if (slot != CODE_NO_SLOT && slot >= b->cap_state) {
        size_t before = b->cap_state;
        if (!ARRAY_RESERVE(b->state, before, b->cap_state, slot + 1 - before))
            return no_memory(err);
        memset(b->state + before, 0, (b->cap_state - before) * sizeof *b->state);
    }
    add_step(b, index, mask);
    if (slot == CODE_NO_SLOT)
        return STRATA_OK;
    if (has_addresses && mask)
        add_addresses(b, &b->state[slot], base, stride, addr);
    else
        b->controls.p[b->controls.n++] = CONTROL_NONE;
    return STRATA_OK;
}

/* True if the active lanes lie on one line; *stride is then set. */
static bool find_stride(uint32_t mask, const uint64_t *addr, int32_t *stride)
{
    unsigned first = lowest_bit32(mask);
    uint32_t rest = mask & (mask - 1);
    *stride = 0;
    if (!rest)
        return true;
    unsigned second = lowest_bit32(rest);
    int64_t step = (int64_t)(addr[second] - addr[first]), gap = second - first;
    if (step % gap || step / gap != (int32_t)(step / gap))
        return false;
    *stride = (int32_t)(step / gap);
    for (rest &= rest - 1; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (addr[lane] != addr[first] + (uint64_t)((int64_t)(lane - first) * *stride))
            return false;
    }
    return true;
}

strata_status strata_builder_add(struct strata_builder *b, uint32_t inst_index, uint32_t mask,
                                 const uint64_t *addr, struct strata_error *err)
{
    if (!addr || !mask)
        return add(b, inst_index, mask, false, 0, 0, NULL, err);
    int32_t stride;
    uint64_t base = addr[lowest_bit32(mask)];
    bool affine = find_stride(mask, addr, &stride);
    return add(b, inst_index, mask, true, base, stride, affine ? NULL : addr, err);
}

strata_status strata_builder_add_strided(struct strata_builder *b, uint32_t inst_index,
                                         uint32_t mask, uint64_t base, int32_t stride,
                                         struct strata_error *err)
{
    return add(b, inst_index, mask, true, base, stride, NULL, err);
}

strata_status strata_builder_end_block(struct strata_builder *b, struct strata_block **out,
                                       struct strata_error *err)
{
    *out = NULL;
    strata_status status = finish_warp(b, err);
    if (status)
        return status;
    size_t total = 0;
    for (uint32_t w = 0; w < b->n_warps; w++)
        total += b->warp[w].n_bytes;
    if (total > UINT32_MAX - BYTECODE_SLACK)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "thread block %llu is too long to be kept in memory.",
                           (unsigned long long)b->block_index);
    struct strata_block *block = block_allocate(b->block_index, b->n_warps, total);
    if (!block)
        return no_memory(err);
    block->code = b->code;
    uint32_t at = 0;
    for (uint32_t w = 0; w < b->n_warps; w++) {
        block->warp_offset[w] = at;
        block->warp_instructions[w] = b->warp[w].n_instructions;
        if (b->warp[w].n_bytes)
            memcpy(block->bytes + at, b->finished.p + b->warp[w].offset, b->warp[w].n_bytes);
        at += b->warp[w].n_bytes;
    }
    block->warp_offset[b->n_warps] = at;
    *out = block;
    return STRATA_OK;
}
