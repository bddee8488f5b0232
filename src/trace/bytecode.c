/* bytecode.c - decoding and validation of the byte code. */
#include "trace/bytecode.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/cursor.h"

void strata_winst_addresses(const struct strata_winst *w, uint64_t out[STRATA_WARP_SIZE])
{
    if (w->addr_kind == STRATA_ADDR_LIST) {
        memcpy(out, w->addr, STRATA_WARP_SIZE * sizeof *out);
        return;
    }
    memset(out, 0, STRATA_WARP_SIZE * sizeof *out);
    if (w->addr_kind == STRATA_ADDR_NONE || !w->mask)
        return;
    unsigned first = lowest_bit32(w->mask);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        out[lane] = w->base + (uint64_t)((int64_t)(lane - first) * w->stride);
    }
}

struct strata_block *block_allocate(uint64_t index, uint32_t n_warps, size_t n_bytes)
{
    size_t numbers = ((size_t)n_warps * 2 + 1) * sizeof(uint32_t);
    struct strata_block *b = malloc(sizeof *b + numbers + n_bytes + BYTECODE_SLACK);
    if (!b)
        return NULL;
    b->index = index;
    b->n_warps = n_warps;
    b->warp_offset = (uint32_t *)(b + 1);
    b->warp_instructions = b->warp_offset + n_warps + 1;
    b->bytes = (uint8_t *)(b->warp_instructions + n_warps);
    b->code = NULL;
    memset(b->bytes + n_bytes, 0, BYTECODE_SLACK);
    return b;
}

void strata_block_destroy(struct strata_block *block)
{
    free(block);
}

bool bytecode_streams(const uint8_t *bytes, size_t n, struct warp_streams *out)
{
    uint64_t size[4] = {0};
    const uint8_t *at = bytes, *end = bytes + n;
    memset(out, 0, sizeof *out);
    if (n == 0) { /* a warp that was never recorded */
        out->tokens = out->controls = out->first = out->data = bytes;
        return true;
    }
    for (size_t i = 0; i < 4; i++)
        if (!(at = varint_read_checked(at, end, &size[i])) || size[i] > UINT32_MAX / 16)
            return false;
    if (size[0] + size[1] + size[2] * 8 + size[3] != (uint64_t)(end - at))
        return false;
    out->tokens = at;
    out->controls = out->tokens + size[0];
    out->first = out->controls + size[1];
    out->data = out->first + size[2] * 8;
    out->n_tokens = (uint32_t)size[0];
    out->n_controls = (uint32_t)size[1];
    out->n_first = (uint32_t)size[2];
    out->n_data = (uint32_t)size[3];
    return true;
}

/* For what a warp of code with so many instructions that have addresses needs; false: no memory. */
static bool make_room(struct strata_cursor *c, uint32_t n_slots)
{
    if (!c->memory && !(c->memory = malloc(sizeof *c->memory)))
        return false;
    if (n_slots <= c->cap_state)
        return true;
    free(c->state);
    c->state = malloc(n_slots * sizeof *c->state);
    c->cap_state = c->state ? n_slots : 0;
    return c->state;
}

strata_status strata_cursor_init(struct strata_cursor *c, const struct strata_block *b,
                                 uint32_t warp, struct strata_error *err)
{
    struct warp_streams s;
    if (warp >= b->n_warps)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "warp %u does not exist: thread block %llu has %u warps.", warp,
                           (unsigned long long)b->index, b->n_warps);
    uint32_t from = b->warp_offset[warp];
    if (!bytecode_streams(b->bytes + from, b->warp_offset[warp + 1] - from, &s))
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "warp %u of thread block %llu is damaged.", warp,
                           (unsigned long long)b->index);
    uint32_t n_slots = atomic_load_explicit(&b->code->n_slots, memory_order_acquire);
    if (!make_room(c, n_slots))
        return strata_no_memory(err, NULL, "for a warp's cursor");
    c->tokens = s.tokens;
    c->tokens_end = s.tokens + s.n_tokens;
    c->controls = s.controls;
    c->n_control_bytes = 0;
    c->first = s.first;
    c->data = c->data_start = s.data;
    c->code = b->code;
    c->last_index = UINT32_MAX;
    c->next_index = c->run = 0;
    c->mask = c->other_mask = UINT32_MAX;
    c->branches = 0;
    c->jump_from = 0;
    /* The state needs no clearing: the first access of every instruction sets all of it. */
    return STRATA_OK;
}

void strata_cursor_release(struct strata_cursor *c)
{
    free(c->state);
    if (!c->is_lent)
        free(c->memory);
    memset(c, 0, sizeof *c);
}

void cursor_addresses(struct strata_cursor *c, struct strata_addr_state *s, unsigned control,
                      struct strata_winst *out)
{
    const uint8_t *at = c->data;
    unsigned base_code = control / 3, shape_code = control % 3;
    uint64_t value;
    if (base_code == BASE_REPEAT) {
        s->base += s->step;
    } else if (base_code == BASE_STEP) {
        at = varint_read(at, &value);
        s->step = (uint64_t)unzigzag(value);
        s->base += s->step;
    } else {
        s->base = load_le64(c->first);
        c->first += 8;
        s->step = 0;
        s->stride = 0;
        s->list = 0;
    }
    if (shape_code == SHAPE_STRIDE) {
        at = varint_read(at, &value);
        s->stride = (int32_t)unzigzag(value);
        s->list = 0;
    } else if (shape_code == SHAPE_LIST) {
        s->list = (uint32_t)(at - c->data_start) + 1;
        at = list_read(at, c->mask, s->base, c->memory->addr);
    } else if (s->list) {
        list_read(c->data_start + s->list - 1, c->mask, s->base, c->memory->addr);
    }
    c->data = at;
    out->base = s->base;
    out->stride = s->stride;
    out->addr = c->memory->addr;
    out->addr_kind = s->list ? STRATA_ADDR_LIST : STRATA_ADDR_STRIDE;
}

bool cursor_next_run(struct strata_cursor *c)
{
    while (c->tokens < c->tokens_end) {
        unsigned token = *c->tokens++;
        if (token < TOKEN_LONG_RUN) {
            c->run = token + 1;
            return true;
        }
        if (token < TOKEN_JUMP) {
            c->run = ((token & 63u) << 8 | *c->tokens++) + 129;
            return true;
        }
        if (token == TOKEN_JUMP) {
            uint64_t target;
            c->tokens = varint_read(c->tokens, &target);
            uint32_t place = c->last_index % STRATA_BRANCH_MEMORY;
            c->branches |= (uint64_t)1 << place;
            c->jump_from = c->last_index + 1;
            c->next_index = c->jump_to = (uint32_t)target;
            c->memory->jump[place] = (struct cursor_jump){c->jump_from, c->jump_to};
        } else {
            uint32_t mask = c->other_mask;
            if (token == TOKEN_MASK) {
                mask = load_le32(c->data);
                c->data += 4;
            }
            c->other_mask = c->mask;
            c->mask = mask;
        }
    }
    return false;
}

bool strata_cursor_next(struct strata_cursor *c, struct strata_winst *out)
{
    return cursor_step(c, NULL, out);
}
