/* overlay.c - private copies of granules, by page. */
#include "emulator/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define PAGE_BYTES    4096u
#define GRANULE_BYTES 32u
#define GRANULES      (PAGE_BYTES / GRANULE_BYTES) /* 128: two words of bits */

/* Private contents of a page: only granules marked `have` are valid. */
struct contents {
    uint64_t have[2];
    uint64_t stored[PAGE_BYTES / 64]; /* by byte */
    uint8_t bytes[PAGE_BYTES];
    struct contents *next;
};

struct page {
    uint64_t number;    /* address / PAGE_BYTES */
    uint64_t loaded[2]; /* by granule */
    struct contents *contents;
};

struct emu_overlay {
    struct page *pages;
    uint32_t n, cap;
    uint32_t *slots; /* open addressing by page number: index + 1 */
    uint32_t n_slots;
    uint32_t last; /* page found last */
    struct contents *used, *free;
    uint32_t n_used;
};

/* About 150 MB of private copies: a block that stores to more waits for its turn. */
#define MAX_PRIVATE_PAGES 32768

struct emu_mixed *emu_mixed_create(struct strata_memory_range range, uint32_t version)
{
    uint64_t n = (range.bytes + GRANULE_BYTES - 1) / GRANULE_BYTES;
    struct emu_mixed *mixed = malloc(sizeof *mixed);
    uint32_t *versions = malloc(n * sizeof *versions);
    if (range.base % GRANULE_BYTES || !mixed || !versions) {
        free(mixed);
        free(versions);
        return NULL;
    }
    for (uint64_t i = 0; i < n; i++)
        versions[i] = version;
    *mixed = (struct emu_mixed){range.base, range.bytes, versions};
    return mixed;
}

void emu_mixed_destroy(struct emu_mixed *mixed)
{
    if (!mixed)
        return;
    free(mixed->version);
    free(mixed);
}

struct emu_overlay *emu_overlay_create(void)
{
    return calloc(1, sizeof(struct emu_overlay));
}

static void free_contents(struct contents *c)
{
    while (c) {
        struct contents *next = c->next;
        free(c);
        c = next;
    }
}

void emu_overlay_destroy(struct emu_overlay *o)
{
    if (!o)
        return;
    free_contents(o->used);
    free_contents(o->free);
    free(o->pages);
    free(o->slots);
    free(o);
}

void emu_overlay_reset(struct emu_overlay *o)
{
    if (!o->n)
        return;
    memset(o->slots, 0, o->n_slots * sizeof *o->slots);
    o->n = o->last = o->n_used = 0;
    while (o->used) {
        struct contents *c = o->used;
        o->used = c->next;
        c->next = o->free;
        o->free = c;
    }
}

/* ---- pages ---- */

static uint32_t *page_slot(const struct emu_overlay *o, uint64_t number)
{
    uint32_t i = (uint32_t)mix64(number) & (o->n_slots - 1);
    while (o->slots[i] && o->pages[o->slots[i] - 1].number != number)
        i = (i + 1) & (o->n_slots - 1);
    return &o->slots[i];
}

static bool grow(struct emu_overlay *o)
{
    uint32_t cap = o->cap ? o->cap * 2 : 64;
    struct page *pages = realloc(o->pages, cap * sizeof *pages);
    if (!pages)
        return false;
    o->pages = pages;
    uint32_t *slots = calloc(cap * 2, sizeof *slots);
    if (!slots)
        return false;
    free(o->slots);
    o->slots = slots;
    o->n_slots = cap * 2;
    o->cap = cap;
    for (uint32_t i = 0; i < o->n; i++)
        *page_slot(o, o->pages[i].number) = i + 1;
    return true;
}

static struct page *find_page(struct emu_overlay *o, uint64_t address)
{
    uint64_t number = address / PAGE_BYTES;
    if (o->last < o->n && o->pages[o->last].number == number)
        return &o->pages[o->last];
    if (o->n == o->cap && !grow(o))
        return NULL;
    uint32_t *slot = page_slot(o, number);
    if (!*slot) {
        o->pages[o->n] = (struct page){.number = number};
        *slot = ++o->n;
    }
    o->last = *slot - 1;
    return &o->pages[o->last];
}

static struct contents *page_contents(struct emu_overlay *o, struct page *page)
{
    if (page->contents)
        return page->contents;
    struct contents *c = o->free;
    if (c)
        o->free = c->next;
    else
        c = malloc(sizeof *c);
    if (!c)
        return NULL;
    memset(c->have, 0, sizeof c->have);
    memset(c->stored, 0, sizeof c->stored);
    c->next = o->used;
    o->used = c;
    o->n_used++;
    page->contents = c;
    return c;
}

static inline bool bit_get(const uint64_t *bits, unsigned i)
{
    return bits[i / 64] >> (i % 64) & 1;
}
static inline void bit_set(uint64_t *bits, unsigned i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

uint64_t emu_overlay_bytes(const struct emu_overlay *o)
{
    return (uint64_t)o->n_used * sizeof(struct contents) + o->n * sizeof(struct page);
}

bool emu_overlay_is_full(const struct emu_overlay *o)
{
    return o->n_used > MAX_PRIVATE_PAGES;
}

/* ---- loads and stores ---- */

/* An aligned access of up to 32 bytes lies in one granule. */
static bool load_lane(struct emu_overlay *o, uint64_t address, uint64_t *host)
{
    struct page *page = find_page(o, address);
    unsigned offset = (unsigned)(address % PAGE_BYTES), granule = offset / GRANULE_BYTES;
    if (!page)
        return false;
    bit_set(page->loaded, granule);
    bool own = page->contents && bit_get(page->contents->have, granule);
    *host = own ? (uint64_t)(uintptr_t)page->contents->bytes + offset : address;
    return true;
}

/* ---- rows: all lanes, side by side, in one page; the usual case, done by granules ---- */

static bool is_row(const struct emu_access *access, uint32_t mask, unsigned bytes)
{
    uint64_t last = access->base + EMU_LANES * (uint64_t)bytes - 1;
    return mask == EMU_FULL && access->affine && access->stride == bytes &&
           access->base / PAGE_BYTES == last / PAGE_BYTES;
}

static void fill_row(struct emu_access *access, uint64_t host)
{
    uint64_t stride = (uint64_t)access->stride;
    for (unsigned i = 0; i < EMU_LANES; i++)
        access->host[i] = host + i * stride;
    access->row = true;
}

/* False: only some of the granules are private, or memory is short; lane by lane then. */
static bool load_row(struct emu_overlay *o, struct emu_access *access, unsigned bytes)
{
    struct page *page = find_page(o, access->base);
    unsigned offset = (unsigned)(access->base % PAGE_BYTES), own = 0;
    unsigned first = offset / GRANULE_BYTES,
             last = (offset + EMU_LANES * bytes - 1) / GRANULE_BYTES;
    if (!page)
        return false;
    for (unsigned g = first; g <= last; g++) {
        bit_set(page->loaded, g);
        own += page->contents && bit_get(page->contents->have, g);
    }
    if (own && own != last - first + 1)
        return false;
    fill_row(access, own ? (uint64_t)(uintptr_t)page->contents->bytes + offset : access->base);
    return true;
}

bool emu_overlay_load(struct emu_warp *w, uint32_t mask, unsigned bytes)
{
    struct emu_access *access = &w->access;
    if (is_row(access, mask, bytes) && load_row(w->block->overlay, access, bytes))
        return true;
    if (mask == EMU_FULL && access->affine && !access->stride) { /* all lanes load the same */
        uint64_t host;
        if (!load_lane(w->block->overlay, access->base, &host))
            return false;
        for (unsigned i = 0; i < EMU_LANES; i++)
            access->host[i] = host;
        return true;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (!load_lane(w->block->overlay, access->address[lane], &access->host[lane]))
            return false;
    }
    return true;
}

/* The first store to a granule takes over what lies there, as far as it belongs to the allocation:
 * that begins with a granule, but may end inside one. */
static void take_over(struct emu_warp *w, const struct emu_site *site, struct contents *c,
                      uint64_t address)
{
    const struct emu_slot *slot = &w->block->slots[site->slot];
    struct strata_memory_range range = {slot->base, slot->bytes};
    uint64_t from = address / GRANULE_BYTES * GRANULE_BYTES, to = from + GRANULE_BYTES;
    if (address - range.base >= range.bytes) /* lanes of a generic access in several allocations */
        emu_find_range(w->block->run->module, address, &range);
    if (to > range.base + range.bytes)
        to = range.base + range.bytes;
    memcpy(c->bytes + from % PAGE_BYTES, (const uint8_t *)(uintptr_t)from, to - from);
    bit_set(c->have, (unsigned)(address % PAGE_BYTES) / GRANULE_BYTES);
}

static bool store_row(struct emu_warp *w, const struct emu_site *site, unsigned bytes, bool update)
{
    struct emu_access *access = &w->access;
    struct emu_overlay *o = w->block->overlay;
    struct page *page = find_page(o, access->base);
    struct contents *c = page ? page_contents(o, page) : NULL;
    unsigned offset = (unsigned)(access->base % PAGE_BYTES), end = offset + EMU_LANES * bytes;
    if (!c)
        return false;
    for (unsigned g = offset / GRANULE_BYTES; g * GRANULE_BYTES < end; g++) {
        unsigned from = g * GRANULE_BYTES, to = from + GRANULE_BYTES;
        bool whole = from >= offset && to <= end;
        from = from < offset ? offset : from;
        to = to > end ? end : to;
        if (whole && !update)
            bit_set(c->have, g);
        else if (!bit_get(c->have, g))
            take_over(w, site, c, access->base - offset + from);
        if (update)
            bit_set(page->loaded, g);
        uint64_t bits = (to - from == GRANULE_BYTES ? 0xffffffffull : (1ull << (to - from)) - 1);
        c->stored[from / 64] |= bits << (from % 64);
    }
    fill_row(access, (uint64_t)(uintptr_t)c->bytes + offset);
    return true;
}

bool emu_overlay_store(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                       unsigned bytes, bool update)
{
    struct emu_access *access = &w->access;
    struct emu_overlay *o = w->block->overlay;
    if (is_row(access, mask, bytes))
        return store_row(w, site, bytes, update);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t address = access->address[lane];
        unsigned offset = (unsigned)(address % PAGE_BYTES), granule = offset / GRANULE_BYTES;
        struct page *page = find_page(o, address);
        struct contents *c = page ? page_contents(o, page) : NULL;
        if (!c)
            return false;
        if (!bit_get(c->have, granule))
            take_over(w, site, c, address);
        if (update)
            bit_set(page->loaded, granule);
        for (unsigned i = 0; i < bytes; i++)
            bit_set(c->stored, offset + i);
        access->host[lane] = (uint64_t)(uintptr_t)c->bytes + offset;
    }
    return true;
}

/* ---- the block's turn ---- */

static struct emu_mixed *mixed_at(struct emu_mixed *const *mixed, uint32_t n, uint64_t address)
{
    for (uint32_t i = 0; i < n; i++)
        if (address - mixed[i]->base < mixed[i]->bytes)
            return mixed[i];
    return NULL;
}

static uint32_t *version_of(struct emu_mixed *const *mixed, uint32_t n, uint64_t granule_address)
{
    struct emu_mixed *m = mixed_at(mixed, n, granule_address);
    return m ? &m->version[(granule_address - m->base) / GRANULE_BYTES] : NULL;
}

bool emu_overlay_is_stale(const struct emu_overlay *o, struct emu_mixed *const *mixed,
                          uint32_t n_mixed, uint64_t start)
{
    for (uint32_t i = 0; i < o->n; i++) {
        const struct page *page = &o->pages[i];
        for (unsigned word = 0; word < 2; word++)
            for (uint64_t rest = page->loaded[word]; rest; rest &= rest - 1) {
                uint64_t granule = word * 64 + (unsigned)__builtin_ctzll(rest);
                const uint32_t *version =
                    version_of(mixed, n_mixed, page->number * PAGE_BYTES + granule * GRANULE_BYTES);
                if (version && *version > start)
                    return true;
            }
    }
    return false;
}

static void apply_granule(const struct contents *c, unsigned offset, uint8_t *memory)
{
    for (unsigned i = 0; i < GRANULE_BYTES; i++)
        if (bit_get(c->stored, offset + i))
            memory[i] = c->bytes[offset + i];
}

void emu_overlay_apply(struct emu_overlay *o, struct emu_mixed *const *mixed, uint32_t n_mixed,
                       uint32_t version)
{
    for (uint32_t i = 0; i < o->n; i++) {
        struct page *page = &o->pages[i];
        struct contents *c = page->contents;
        for (unsigned granule = 0; c && granule < GRANULES; granule++) {
            unsigned offset = granule * GRANULE_BYTES;
            uint32_t bits = (uint32_t)(c->stored[offset / 64] >> (offset % 64));
            uint64_t address = page->number * PAGE_BYTES + offset;
            if (!bits)
                continue;
            if (bits == UINT32_MAX)
                memcpy((uint8_t *)(uintptr_t)address, c->bytes + offset, GRANULE_BYTES);
            else
                apply_granule(c, offset, (uint8_t *)(uintptr_t)address);
            uint32_t *v = version_of(mixed, n_mixed, address);
            if (v)
                *v = version;
        }
    }
}
