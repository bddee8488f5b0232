/* record.c - the log of a warp while it runs, and its conversion into a trace block.
 *
 * Warps of a block interleave at barriers, a trace block holds them one after the other: so each
 * warp first writes a log of its own. An entry is a word with the static instruction, followed by
 * the mask if it changed, and by the addresses: base and stride, 32-bit distances from a base, or
 * full addresses. */
#include "emulator/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/warp_clock.h"

#define INDEX_MASK 0x0fffffffu
#define NEW_MASK   0x80000000u
enum address_form { FORM_NONE = 0, FORM_STRIDE = 1, FORM_NEAR = 2, FORM_FAR = 3 };
#define FORM_SHIFT 29
/* No entry is longer: head, mask, base, 32 full addresses. */
#define MAX_ENTRY_WORDS 80

/* Room for an entry of instruction `index`, which is issued. NULL: it is not to be recorded. */
static uint32_t *reserve(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                         uint32_t mask)
{
    struct emu_log *log = &w->log;
    if (w->clock)
        emu_clock_step(w, index, mask);
    if (!w->block->recording)
        return NULL;
    if (log->cap - log->n < MAX_ENTRY_WORDS) {
        size_t cap = log->cap ? log->cap * 2 : 1024;
        uint32_t *moved = realloc(log->words, cap * sizeof *moved);
        if (!moved) {
            emu_no_memory(w, site, 0, "for its trace");
            return NULL;
        }
        log->words = moved;
        log->cap = cap;
    }
    return log->words + log->n;
}

static uint32_t *put_head(struct emu_log *log, uint32_t *at, uint32_t index, uint32_t mask,
                          enum address_form form)
{
    uint32_t head = index | (uint32_t)form << FORM_SHIFT;
    log->n_instructions++;
    if (mask == log->mask) {
        *at++ = head;
        return at;
    }
    log->mask = mask;
    *at++ = head | NEW_MASK;
    *at++ = mask;
    return at;
}

static uint32_t *put64(uint32_t *at, uint64_t value)
{
    *at++ = (uint32_t)value;
    *at++ = (uint32_t)(value >> 32);
    return at;
}

static void record_plain(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                         uint32_t mask)
{
    uint32_t *at = reserve(w, site, index, mask);
    if (at)
        w->log.n = (size_t)(put_head(&w->log, at, index, mask, FORM_NONE) - w->log.words);
}

static void record_before(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    for (uint32_t k = site->before; k; k--)
        record_plain(w, site, site->record - k, mask);
}

void emu_record(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    if (site->folded)
        return;
    record_before(w, site, mask);
    record_plain(w, site, site->record, mask);
}

static bool distances_are_short(const uint64_t *address, uint32_t mask, uint64_t base)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        int64_t distance = (int64_t)(address[lowest_bit32(rest)] - base);
        if (distance != (int32_t)distance)
            return false;
    }
    return true;
}

static void record_list(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                        uint32_t mask)
{
    const uint64_t *address = w->access.address;
    uint32_t *at = reserve(w, site, index, mask);
    if (!at)
        return;
    uint64_t base = address[lowest_bit32(mask)];
    bool near = distances_are_short(address, mask, base);
    at = put_head(&w->log, at, index, mask, near ? FORM_NEAR : FORM_FAR);
    if (near)
        at = put64(at, base);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t a = address[lowest_bit32(rest)];
        if (near)
            *at++ = (uint32_t)(a - base);
        else
            at = put64(at, a);
    }
    w->log.n = (size_t)(at - w->log.words);
}

static void record_stride(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                          uint32_t mask)
{
    uint32_t *at = reserve(w, site, index, mask);
    if (!at)
        return;
    at = put_head(&w->log, at, index, mask, FORM_STRIDE);
    at = put64(at, w->access.base);
    *at++ = (uint32_t)(int32_t)w->access.stride;
    w->log.n = (size_t)(at - w->log.words);
}

/* One record per space the lanes of a generic access went to. */
static void record_generic(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    const struct emu_access *access = &w->access;
    uint32_t parts[3] = {mask & ~(access->shared_mask | access->local_mask),
                         mask & access->shared_mask, mask & access->local_mask};
    for (unsigned k = 0; k < 3; k++) {
        if (!parts[k])
            continue;
        if (parts[k] == mask && access->affine)
            record_stride(w, site, site->record + k, mask);
        else
            record_list(w, site, site->record + k, parts[k]);
    }
}

static uint32_t acting_lanes(const struct emu_site *site, uint32_t mask)
{
    bool one = site->acting == EMU_ACTING_ONE ||
               (site->acting == EMU_ACTING_ONE_OF_ALL && mask == EMU_FULL);
    return one && mask ? 1u << log2_floor(mask) : mask;
}

static void record_addresses(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                             uint32_t mask)
{
    if (!mask)
        record_plain(w, site, index, mask);
    else if (w->access.affine)
        record_stride(w, site, index, mask);
    else
        record_list(w, site, index, mask);
}

/* Lanes that no other of the mask names the same address before. */
static uint32_t first_of_each_address(const struct emu_access *access, uint32_t mask)
{
    uint32_t first = 0;
    if (access->affine)
        return access->stride ? mask : mask & (0u - mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)lowest_bit32(rest);
        bool taken = false;
        for (uint32_t lower = first; lower && !taken; lower &= lower - 1)
            taken = access->address[lowest_bit32(lower)] == access->address[lane];
        first |= taken ? 0 : 1u << lane;
    }
    return first;
}

uint32_t emu_record_turn(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    uint32_t last = site->record + site->after, done = first_of_each_address(&w->access, mask);
    record_addresses(w, site, site->record - site->before, mask);
    uint64_t loaded = w->clock ? w->clock->last : 0;
    for (uint32_t k = site->record - site->before + 1; k < site->record; k++)
        record_plain(w, site, k, mask);
    record_addresses(w, site, site->record, mask);
    if (emu_runs_by_clocks(w->block->run))
        done = emu_race_won(w, done, loaded);
    for (uint32_t k = site->record + 1; k < last; k++)
        record_plain(w, site, k, mask);
    if (done || !mask)
        record_plain(w, site, last, done);
    return done;
}

void emu_record_access(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    if (site->folded)
        return;
    if (site->acting == EMU_ACTING_TURNS) {
        do
            mask &= ~emu_record_turn(w, site, mask);
        while (mask);
        return;
    }
    record_before(w, site, mask);
    mask = acting_lanes(site, mask);
    uint32_t index = site->record + (w->access.mixed_axes & site->mixes);
    if (!mask || site->no_address)
        record_plain(w, site, site->record, mask);
    else if (site->space == EMU_GENERIC)
        record_generic(w, site, mask);
    else if (w->access.affine)
        record_stride(w, site, index, mask);
    else
        record_list(w, site, index, mask);
}

void emu_record_static(struct emu_warp *w, const struct emu_site *site, uint32_t index,
                       uint32_t mask, bool accesses)
{
    if (accesses)
        record_addresses(w, site, index, mask);
    else
        record_plain(w, site, index, mask);
}

void emu_record_words(struct emu_warp *w, const struct emu_site *site, const uint64_t *words,
                      unsigned n)
{
    memcpy(w->access.address, words, n * sizeof *words);
    record_before(w, site, EMU_FULL);
    record_list(w, site, site->record, n < EMU_LANES ? (1u << n) - 1 : EMU_FULL);
}

/* ---- conversion ---- */

static uint64_t get64(const uint32_t **at)
{
    uint64_t value = (*at)[0] | (uint64_t)(*at)[1] << 32;
    *at += 2;
    return value;
}

static strata_status add_list(struct strata_builder *builder, const uint32_t **at, uint32_t index,
                              uint32_t mask, bool near, struct strata_error *err)
{
    uint64_t address[EMU_LANES] = {0}, base = near ? get64(at) : 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        address[lowest_bit32(rest)] =
            near ? base + (uint64_t)(int64_t)(int32_t) * (*at)++ : get64(at);
    return strata_builder_add(builder, index, mask, address, err);
}

static strata_status add_entry(struct strata_builder *builder, const uint32_t **at, uint32_t head,
                               uint32_t mask, struct strata_error *err)
{
    uint32_t index = head & INDEX_MASK, form = head >> FORM_SHIFT & 3;
    if (form == FORM_NONE)
        return strata_builder_add(builder, index, mask, NULL, err);
    if (form != FORM_STRIDE)
        return add_list(builder, at, index, mask, form == FORM_NEAR, err);
    uint64_t base = get64(at);
    return strata_builder_add_strided(builder, index, mask, base, (int32_t) * (*at)++, err);
}

static strata_status add_warp(struct strata_builder *builder, const struct emu_log *log,
                              struct strata_error *err)
{
    const uint32_t *at = log->words, *end = at + log->n;
    uint32_t mask = 0;
    while (at < end) {
        uint32_t head = *at++;
        if (head & NEW_MASK)
            mask = *at++;
        strata_status status = add_entry(builder, &at, head, mask, err);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

strata_status emu_record_finish(struct emu_block *block, struct strata_builder *builder,
                                struct strata_block **out, struct strata_error *err)
{
    strata_status status = strata_builder_begin_block(builder, block->index, block->n_warps, err);
    for (uint32_t i = 0; status == STRATA_OK && i < block->n_warps; i++) {
        status = strata_builder_begin_warp(builder, i, err);
        if (status == STRATA_OK)
            status = add_warp(builder, &emu_block_warp(block, i)->log, err);
    }
    if (status == STRATA_OK)
        status = strata_builder_end_block(builder, out, err);
    return status;
}
