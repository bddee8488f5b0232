/* validate.c - makes sure that bytes from outside are byte code a cursor can walk.
 *
 * The cursor checks nothing, so this walk checks everything: every stream is used up exactly, every
 * index exists, and a prediction is used only after something was there to predict from. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/bytecode.h"
#include "trace/code.h"

struct walk {
    const uint8_t *tokens, *tokens_end, *controls, *controls_end, *first, *first_end, *data,
        *data_end;
    const struct strata_code *code;
    struct block_check *check;
    uint32_t n_code;
    uint32_t index, last_index, mask, other_mask;
    uint64_t n_instructions;
    uint64_t branches; /* places of the jumps that are set */
    uint32_t branch_from[STRATA_BRANCH_MEMORY], branch_to[STRATA_BRANCH_MEMORY];
};

static bool take_varint(struct walk *w, uint64_t *value)
{
    w->data = varint_read_checked(w->data, w->data_end, value);
    return w->data != NULL;
}

static bool take_list(struct walk *w, unsigned lanes)
{
    size_t n = list_size_checked(w->data, w->data_end, lanes);
    w->data += n;
    return n != 0;
}

static bool walk_addresses(struct walk *w, struct slot_check *slot)
{
    if (w->controls == w->controls_end)
        return false;
    unsigned control = *w->controls++, lanes = popcount32(w->mask);
    if (control == CONTROL_NONE)
        return true;
    if (control >= CONTROL_LIMIT || !lanes)
        return false;
    unsigned base_code = control / 3, shape_code = control % 3;
    uint64_t value;
    if (base_code == BASE_FIRST) {
        if (w->first == w->first_end)
            return false;
        w->first += 8;
        slot->serial = w->check->serial;
        slot->list_lanes = 0;
    } else if (slot->serial != w->check->serial ||
               (base_code == BASE_STEP && !take_varint(w, &value))) {
        return false;
    }
    if (shape_code == SHAPE_STRIDE) {
        slot->list_lanes = 0;
        return take_varint(w, &value);
    }
    if (shape_code == SHAPE_LIST) {
        slot->list_lanes = (uint8_t)lanes;
        return take_list(w, lanes);
    }
    return !slot->list_lanes || slot->list_lanes == lanes;
}

enum { PLAIN_MOST = 63 };

/* So many of the next n instructions from one on have no addresses and were not jumped from. */
static uint32_t plain_run(const struct walk *w, uint32_t index, uint32_t n)
{
    uint32_t plain = w->check->plain[index], place = index % STRATA_BRANCH_MEMORY;
    uint64_t jumps = w->branches >> place | w->branches << (-place % STRATA_BRANCH_MEMORY);
    plain = plain < n ? plain : n;
    uint32_t straight = jumps ? (uint32_t)__builtin_ctzll(jumps) : plain;
    return straight < plain ? straight : plain;
}

/* Most instructions need no look of their own. */
static bool walk_run(struct walk *w, uint32_t n)
{
    uint32_t index = w->index, n_code = w->n_code;
    w->n_instructions += n;
    while (n) {
        if (index >= n_code)
            return false;
        uint32_t plain = plain_run(w, index, n);
        if (plain) {
            index += plain;
            n -= plain;
            w->last_index = index - 1;
            continue;
        }
        n--;
        uint32_t slot = code_entry(w->code, index)->slot;
        if (slot != CODE_NO_SLOT && !walk_addresses(w, &w->check->slot[slot]))
            return false;
        uint32_t place = index % STRATA_BRANCH_MEMORY;
        w->last_index = index++;
        if (w->branch_from[place] == index)
            index = w->branch_to[place];
    }
    w->index = index;
    return true;
}

static bool walk_jump(struct walk *w)
{
    uint64_t target;
    w->tokens = varint_read_checked(w->tokens, w->tokens_end, &target);
    if (!w->tokens || target >= w->n_code)
        return false;
    uint32_t place = w->last_index % STRATA_BRANCH_MEMORY;
    w->branches |= (uint64_t)1 << place;
    w->branch_from[place] = w->last_index + 1;
    w->branch_to[place] = w->index = (uint32_t)target;
    return true;
}

static bool walk_mask(struct walk *w, unsigned token)
{
    uint32_t mask = w->other_mask;
    if (token == TOKEN_MASK) {
        if (w->data_end - w->data < 4)
            return false;
        mask = load_le32(w->data);
        w->data += 4;
    }
    w->other_mask = w->mask;
    w->mask = mask;
    return true;
}

static bool walk_warp(struct walk *w)
{
    while (w->tokens < w->tokens_end) {
        unsigned token = *w->tokens++;
        bool good;
        if (token < TOKEN_LONG_RUN)
            good = walk_run(w, token + 1);
        else if (token < TOKEN_JUMP)
            good = w->tokens < w->tokens_end &&
                   walk_run(w, ((token & 63u) << 8 | *w->tokens) + 129) && w->tokens++;
        else if (token == TOKEN_JUMP)
            good = walk_jump(w);
        else
            good = token <= TOKEN_MASK && walk_mask(w, token);
        if (!good)
            return false;
    }
    return w->controls == w->controls_end && w->first == w->first_end && w->data == w->data_end;
}

static bool check_warp(struct block_check *check, const struct strata_block *b, uint32_t warp,
                       uint32_t n_code)
{
    struct warp_streams s;
    uint32_t from = b->warp_offset[warp], to = b->warp_offset[warp + 1];
    if (to < from || !bytecode_streams(b->bytes + from, to - from, &s))
        return false;
    struct walk w = {.tokens = s.tokens,
                     .tokens_end = s.tokens + s.n_tokens,
                     .controls = s.controls,
                     .controls_end = s.controls + s.n_controls,
                     .first = s.first,
                     .first_end = s.first + (size_t)s.n_first * 8,
                     .data = s.data,
                     .data_end = s.data + s.n_data,
                     .code = b->code,
                     .check = check,
                     .n_code = n_code,
                     .last_index = UINT32_MAX,
                     .mask = UINT32_MAX,
                     .other_mask = UINT32_MAX};
    check->serial++;
    return walk_warp(&w) && w.n_instructions == b->warp_instructions[warp];
}

static bool make_room(struct block_check *check, uint32_t n_slots)
{
    if (n_slots <= check->n_slots)
        return true;
    struct slot_check *bigger = realloc(check->slot, n_slots * sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + check->n_slots, 0, (n_slots - check->n_slots) * sizeof *bigger);
    check->slot = bigger;
    check->n_slots = n_slots;
    return true;
}

/* Code only grows: what the last instructions before say may change with those behind them. */
static bool find_plain(struct block_check *check, const struct strata_code *code, uint32_t n)
{
    bool same = check->code_serial == code->serial;
    if (same && n <= check->n_plain)
        return true;
    uint8_t *bigger = realloc(check->plain, n ? n : 1);
    if (!bigger)
        return false;
    uint32_t end = same && check->n_plain > PLAIN_MOST ? check->n_plain - PLAIN_MOST : 0;
    for (uint32_t i = n, run = 0; i-- > end;) {
        run = code_entry(code, i)->slot != CODE_NO_SLOT ? 0 : run < PLAIN_MOST ? run + 1 : run;
        bigger[i] = (uint8_t)run;
    }
    check->plain = bigger;
    check->n_plain = n;
    check->code_serial = code->serial;
    return true;
}

strata_status block_validate(struct block_check *check, const struct strata_block *block,
                             struct strata_error *err)
{
    uint32_t n_code = strata_code_count(block->code);
    if (!make_room(check, atomic_load_explicit(&block->code->n_slots, memory_order_acquire)) ||
        !find_plain(check, block->code, n_code))
        return strata_no_memory(err, NULL, "to check a thread block");
    for (uint32_t warp = 0; warp < block->n_warps; warp++)
        if (!check_warp(check, block, warp, n_code))
            return strata_fail(
                err, STRATA_EFORMAT, NULL, 0, 0,
                "warp %u of thread block %llu is damaged: its byte code contradicts itself.", warp,
                (unsigned long long)block->index);
    return STRATA_OK;
}

void block_check_release(struct block_check *check)
{
    free(check->slot);
    free(check->plain);
    memset(check, 0, sizeof *check);
}
