/* launch_digest.c - digests of a few blocks of a launch. */
#include "application/launch_digest.h"

#include <stdlib.h>

#include "base/bits.h"

/* Addresses within 4 KB lie in one place: a word of a small array is as near as another of it. */
enum { PLACE_SHIFT = 12 };

struct taking {
    struct launch_profile *out;
    uint64_t *lowest; /* address of each static instruction, UINT64_MAX: none seen */
    uint32_t n_code;
    double records, sectors;
    struct strata_cursor cursor;
};

static uint64_t digest(uint64_t so_far, uint64_t value)
{
    return mix64(so_far * 0x9e3779b97f4a7c15ull + value);
}

/* Sectors that the lanes of one instruction touch, and the lowest address. */
static uint32_t sectors_of(const struct strata_winst *w, uint64_t *lowest)
{
    uint64_t address[STRATA_WARP_SIZE], seen[STRATA_WARP_SIZE];
    uint32_t n = 0;
    strata_winst_addresses(w, address);
    for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        if (!(w->mask >> lane & 1))
            continue;
        uint64_t sector = address[lane] / 32;
        uint32_t k = n;
        while (k && seen[k - 1] != sector)
            k--;
        if (!k)
            seen[n++] = sector;
        *lowest = address[lane] < *lowest ? address[lane] : *lowest;
    }
    return n;
}

static void take_access(struct taking *t, const struct strata_winst *w)
{
    bool global = w->inst->space == STRATA_SPACE_GLOBAL || w->inst->space == STRATA_SPACE_TEXTURE;
    if (!global || w->addr_kind == STRATA_ADDR_NONE || w->inst_index >= t->n_code)
        return;
    t->sectors += sectors_of(w, &t->lowest[w->inst_index]);
    t->records++;
}

static strata_status take_block(struct taking *t, const struct strata_block *b,
                                struct strata_error *err)
{
    struct strata_winst w;
    uint64_t d = digest(t->out->content, b->index);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        strata_status status = strata_cursor_init(&t->cursor, b, i, err);
        if (status != STRATA_OK)
            return status;
        while (strata_cursor_next(&t->cursor, &w))
            take_access(t, &w);
        t->out->seen += b->warp_instructions[i];
    }
    for (uint32_t i = 0; i < b->warp_offset[b->n_warps]; i++)
        d = (d ^ b->bytes[i]) * 1099511628211ull;
    t->out->content = mix64(d);
    return STRATA_OK;
}

/* The k-th of n blocks to read; of a launch recorded in part one of those. */
static uint64_t block_to_read(const struct strata_launch *l, uint64_t k, uint64_t n)
{
    uint64_t all = strata_launch_blocks(l), sampled = l->sampled_blocks;
    if (!sampled)
        return strata_sampled_block(k, n, all);
    return strata_sampled_block(strata_sampled_block(k, n, sampled), sampled, all);
}

static strata_status take_next(struct taking *t, struct strata_reader *r, struct strata_error *err)
{
    struct strata_block *b = NULL;
    strata_status status = strata_reader_next(r, &b, err);
    if (status == STRATA_OK)
        status = take_block(t, b, err);
    strata_block_destroy(b);
    return status;
}

/* A trace without an index of its blocks gives its first ones. */
static strata_status take_blocks(struct taking *t, struct strata_reader *r,
                                 const struct strata_launch *l, bool first,
                                 struct strata_error *err)
{
    uint64_t blocks = l->sampled_blocks ? l->sampled_blocks : strata_launch_blocks(l);
    uint64_t n = blocks < STRATA_PROFILE_BLOCKS ? blocks : STRATA_PROFILE_BLOCKS;
    uint64_t before = first && blocks > n;
    strata_status status = STRATA_OK;
    bool seeks = blocks > n;
    for (uint64_t k = 0; status == STRATA_OK && k < n + before; k++) {
        if (seeks) {
            uint64_t block = k < before ? 0 : block_to_read(l, k - before, n);
            status = strata_reader_seek(r, block, err);
            seeks = status == STRATA_OK;
            status = status == STRATA_EUNSUPPORTED ? STRATA_OK : status;
        }
        if (status == STRATA_OK)
            status = take_next(t, r, err);
    }
    return status == STRATA_END ? STRATA_OK : status;
}

static uint64_t work_of(const struct strata_launch *l)
{
    uint64_t blocks = strata_launch_blocks(l);
    if (!l->warp_instructions)
        return blocks;
    return l->sampled_blocks ? (uint64_t)((double)l->warp_instructions * (double)blocks /
                                          (double)l->sampled_blocks)
                             : l->warp_instructions;
}

strata_status launch_profile_take(struct strata_trace *trace, size_t launch, bool first,
                                  struct launch_profile *out, struct strata_error *err)
{
    const struct strata_launch *l = strata_trace_launch(trace, launch);
    struct strata_reader *r = NULL;
    struct taking t = {.out = out};
    *out = (struct launch_profile){
        .work = work_of(l), .blocks = strata_launch_blocks(l), .whole = !l->sampled_blocks};
    strata_status status = strata_reader_open(trace, launch, &r, err);
    if (status != STRATA_OK)
        return status;
    t.n_code = strata_code_count(strata_reader_code(r));
    t.lowest = malloc(((size_t)t.n_code + 1) * sizeof *t.lowest);
    for (uint32_t i = 0; t.lowest && i < t.n_code; i++)
        t.lowest[i] = UINT64_MAX;
    status = t.lowest ? take_blocks(&t, r, l, first, err)
                      : strata_no_memory(err, NULL, "for the sample");
    for (uint32_t i = 0; status == STRATA_OK && i < t.n_code; i++)
        if (t.lowest[i] != UINT64_MAX)
            out->place = digest(out->place, (t.lowest[i] >> PLACE_SHIFT) * 65536 + i);
    out->sectors = t.records > 0 ? t.sectors / t.records : 0;
    strata_cursor_release(&t.cursor);
    strata_reader_close(r);
    free(t.lowest);
    return status;
}
