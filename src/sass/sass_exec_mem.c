/* sass_exec_mem.c - loads, stores, constants, asynchronous copies and matrices of shared memory. */
#include <string.h>

#include "sass/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* ---- addresses ---- */

static uint64_t uniform_part(struct sass_warp *w, const struct sass_access *access)
{
    uint64_t value = (uint64_t)access->offset;
    if (access->uniform == SASS_NO_ROW)
        return value;
    value += sass_row(w, access->uniform)[0];
    if (access->flags & SASS_ADDRESS_UWIDE)
        value += (uint64_t)sass_row_at(w, access->uniform, 1)[0] << 32;
    return value;
}

void sass_addresses(struct sass_warp *w, const struct sass_access *access)
{
    uint64_t *address = w->base.access.address;
    uint64_t offset = uniform_part(w, access);
    if (access->address == SASS_NO_ROW) {
        bool wide = access->flags & (SASS_ADDRESS_WIDE | SASS_ADDRESS_UWIDE);
        EMU_EACH_LANE address[i] = wide ? offset : (uint32_t)offset;
        return;
    }
    const uint32_t *low = sass_row(w, access->address);
    if (access->flags & SASS_ADDRESS_WIDE) {
        const uint32_t *high = sass_row_at(w, access->address, 1);
        EMU_EACH_LANE address[i] = (low[i] | (uint64_t)high[i] << 32) + offset;
    } else if (access->flags & SASS_ADDRESS_UWIDE) { /* a 64-bit base and a 32-bit index */
        EMU_EACH_LANE address[i] = low[i] + offset;
    } else {
        unsigned shift = access->shift;
        EMU_EACH_LANE address[i] = (uint32_t)((low[i] << shift) + (uint32_t)offset);
    }
}

/* Shared addresses have the rank of their block in the top byte, also where it is the thread's own;
 * the emulator's are plain there and (rank + 1) elsewhere. */
uint32_t sass_shared_address(const struct sass_warp *w, uint32_t a)
{
    uint32_t offset = a & (EMU_RANK_BYTES - 1), rank = a >> EMU_RANK_SHIFT;
    const struct emu_block *block = w->base.block;
    return block->cluster->n < 2 || rank == block->rank ? offset
                                                        : offset | (rank + 1) << EMU_RANK_SHIFT;
}

void sass_shared_addresses(struct sass_warp *w, unsigned space)
{
    uint64_t *a = w->base.access.address;
    if (w->base.block->cluster->n < 2)
        return;
    if (space == EMU_SHARED) /* these instructions reach their own block alone */
        EMU_EACH_LANE a[i] &= EMU_RANK_BYTES - 1;
    for (unsigned i = 0; space == EMU_GENERIC && i < EMU_LANES; i++)
        if ((a[i] & 0xff00000000000000ull) == STRATA_SHARED_WINDOW)
            a[i] = STRATA_SHARED_WINDOW | sass_shared_address(w, (uint32_t)a[i]);
}

static const uint64_t *resolve(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                               unsigned bytes)
{
    sass_addresses(w, op->extra);
    sass_shared_addresses(w, op->site.space);
    return emu_resolve(&w->base, &op->site, mask, bytes);
}

static const uint8_t *host_at(const uint64_t *host, unsigned lane)
{
    return (const uint8_t *)(uintptr_t)host[lane];
}

/* ---- loads ---- */

#define LOAD_SHORT(T)                                                                              \
    for (uint32_t rest = mask; rest; rest &= rest - 1) {                                           \
        unsigned lane = lowest_bit32(rest);                                                        \
        T value;                                                                                   \
        memcpy(&value, host_at(host, lane), sizeof value);                                         \
        d[lane] = (uint32_t)(int32_t)value;                                                        \
    }

static void load_short(const struct sass_exec *op, uint32_t mask, const uint64_t *host, uint32_t *d)
{
    if (op->width == 1) {
        if (op->is_signed)
            LOAD_SHORT(int8_t)
        else
            LOAD_SHORT(uint8_t)
    } else {
        if (op->is_signed)
            LOAD_SHORT(int16_t)
        else
            LOAD_SHORT(uint16_t)
    }
}

static void load_word(uint32_t mask, const uint64_t *host, unsigned offset, uint32_t *d)
{
    if (mask == EMU_FULL) {
        for (unsigned i = 0; i < EMU_LANES; i++)
            memcpy(&d[i], host_at(host, i) + offset, 4);
        return;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        memcpy(&d[lane], host_at(host, lane) + offset, 4);
    }
}

/* All lanes side by side in memory: rows are columns of one block of words. */
static bool load_block(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                       const uint64_t *host)
{
    const struct emu_access *access = &w->base.access;
    if (mask != EMU_FULL || !access->row || access->stride != op->width)
        return false;
    const uint8_t *from = host_at(host, 0);
    if (op->words == 1) {
        memcpy(sass_row(w, op->d), from, SASS_ROW_BYTES);
        return true;
    }
    uint32_t block[4 * EMU_LANES];
    memcpy(block, from, (size_t)op->words * SASS_ROW_BYTES);
    for (unsigned k = 0; k < op->words; k++) {
        uint32_t *d = sass_row_at(w, op->d, k);
        unsigned words = op->words;
        for (unsigned i = 0; i < EMU_LANES; i++)
            d[i] = block[i * words + k];
    }
    return true;
}

static void notice_load(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                        const uint64_t *host)
{
    uint64_t hash = mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = 0;
        memcpy(&value, host_at(host, lane), op->width < 8 ? op->width : 8);
        hash = hash * 0x9e3779b97f4a7c15ull + (host[lane] ^ value << 20);
    }
    emu_notice_poll(&w->base, &op->site, mask, hash);
}

/* mode: may be the reading end of a loop that waits. */
HANDLER(sass_run_load)
{
    const uint64_t *host = resolve(w, op, mask, op->width);
    if (!host)
        return;
    if (op->width < 4)
        load_short(op, mask, host, sass_row(w, op->d));
    else if (!load_block(w, op, mask, host)) {
        for (unsigned k = 0; k < op->words; k++)
            load_word(mask, host, 4 * k, sass_row_at(w, op->d, k));
    }
    if (op->mode)
        notice_load(w, op, mask, host);
}

/* ---- stores ---- */

static void store_lane(const struct sass_warp *w, const struct sass_exec *op, unsigned lane,
                       uint8_t *to)
{
    if (op->width < 4) {
        memcpy(to, &sass_row(w, op->b)[lane], op->width); /* little-endian */
        return;
    }
    for (unsigned k = 0; k < op->words; k++)
        memcpy(to + 4 * k, &sass_row_at(w, op->b, k)[lane], 4);
}

static void store_deferred(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint8_t data[EMU_LANES][16];
    const struct emu_access *access = &w->base.access;
    bool ok;
    if (mask == EMU_FULL && access->row && access->stride == 4 && op->width == 4) {
        ok = emu_defer_row(w->base.block, 4, access->base, sass_row(w, op->b));
    } else {
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            store_lane(w, op, lowest_bit32(rest), data[lowest_bit32(rest)]);
        ok = emu_defer(w->base.block, EMU_STORE, 0, op->width, mask, access->address, data,
                       sizeof data[0]);
    }
    if (!ok)
        emu_no_memory(&w->base, &op->site, lowest_bit32(mask), "for its stores");
}

HANDLER(sass_run_store)
{
    const uint64_t *host = resolve(w, op, mask, op->width);
    const struct emu_access *access = &w->base.access;
    if (!host)
        return;
    if (w->base.block->ahead) {
        bool ok;
        uint32_t later = emu_prepare_store(&w->base, &op->site, mask, op->width, false, &ok);
        if (!ok)
            return;
        if (later)
            store_deferred(w, op, later);
        mask &= ~later;
        if (access->mixed_mask)
            host = access->host;
    }
    if (mask == EMU_FULL && access->row && access->stride == 4 && op->width == 4) {
        memcpy((uint8_t *)(uintptr_t)host[0], sass_row(w, op->b), SASS_ROW_BYTES);
        return;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        store_lane(w, op, lane, (uint8_t *)(uintptr_t)host[lane]);
    }
}

/* ---- constants with an index in a register ---- */

/* mode: bank. Outside of the bank reads as zero. The offsets are recorded where lanes name them. */
HANDLER(sass_run_ldc)
{
    const struct sass_run *run = sass_run_of(w);
    const uint32_t *a = op->a == SASS_NO_ROW ? NULL : sass_row(w, op->a);
    const uint8_t *bank = run->bank[op->mode & 31];
    uint32_t size = run->bank_bytes[op->mode & 31];
    uint32_t out[4][EMU_LANES] = {{0}};
    w->base.access.affine = false;
    w->base.access.shared_mask = w->base.access.local_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint32_t at = (a ? a[lane] : 0) + (uint32_t)op->imm;
        w->base.access.address[lane] = at;
        if (!bank || at > size || size - at < op->width)
            continue;
        if (op->width >= 4) {
            for (unsigned k = 0; k < op->words; k++)
                memcpy(&out[k][lane], bank + at + 4 * k, 4);
        } else if (op->width == 1) {
            out[0][lane] = op->is_signed ? (uint32_t)(int32_t)(int8_t)bank[at] : bank[at];
        } else {
            uint16_t half;
            memcpy(&half, bank + at, sizeof half);
            out[0][lane] = op->is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
        }
    }
    for (unsigned k = 0; k < op->words; k++) {
        uint32_t *d = sass_row_at(w, op->d, k);
        EMU_STORE_LANES(d, mask, out[k][i]);
    }
}

/* ---- LDGSTS: global to shared; done at once, a program that waits as it must cannot tell ---- */

/* op->extra: the shared address, then the global one (struct sass_access[2]); lanes of ps only; the
 * others fill with zeros (mode2) or do nothing. */
HANDLER(sass_run_ldgsts)
{
    const struct sass_access *access = op->extra;
    uint64_t to[EMU_LANES];
    uint32_t reading = mask & sass_pred(w, op->ps);
    sass_addresses(w, &access[0]);
    sass_shared_addresses(w, EMU_SHARED);
    memcpy(to, w->base.access.address, sizeof to);
    sass_addresses(w, &access[1]);
    if (reading && !emu_resolve(&w->base, &op->site, reading, op->width))
        return;
    const uint64_t *host = w->base.access.mixed_mask ? w->base.access.host : w->base.access.address;
    w->base.access.affine &= reading == mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        bool reads = reading >> lane & 1;
        if (!reads && !op->mode2)
            continue;
        if (to[lane] + op->width > w->base.block->shared_bytes || to[lane] % op->width) {
            emu_fail(&w->base, &op->site, lane, STRATA_EFORMAT,
                     "shared address 0x%llx is outside or misaligned: the block has %u bytes of it",
                     (unsigned long long)to[lane], w->base.block->shared_bytes);
            return;
        }
        if (reads)
            memcpy(w->base.block->shared + to[lane], host_at(host, lane), op->width);
        else
            memset(w->base.block->shared + to[lane], 0, op->width);
    }
}

/* CCTL and kin: checks nothing, records the address. */
HANDLER(sass_run_prefetch)
{
    (void)mask;
    sass_addresses(w, op->extra);
    w->base.access.affine = false;
    w->base.access.shared_mask = w->base.access.local_mask = 0;
}

/* Which window a generic address lies in: mode is enum emu_space. */
HANDLER(sass_run_qspc)
{
    uint32_t inside = 0;
    sass_addresses(w, op->extra);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t window = w->base.access.address[i] & 0xff00000000000000ull;
        bool yes = op->mode == EMU_SHARED  ? window == STRATA_SHARED_WINDOW
                   : op->mode == EMU_LOCAL ? window == STRATA_LOCAL_WINDOW
                                           : window == 0;
        inside |= (uint32_t)yes << i;
    }
    sass_set_pred(w, op->pd, mask, inside);
}

/* ---- 8 x 8 matrices of 16-bit elements in shared memory ---- */

/* Rows of matrix t are at the addresses of lanes 8t to 8t+7; every lane's address is recorded,
 * those beyond the matrices repeat. */
static const uint64_t *matrix_rows(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint64_t *address = w->base.access.address;
    sass_addresses(w, op->extra);
    for (unsigned lane = 8u * op->words; lane < EMU_LANES; lane++)
        address[lane] = address[lane % (8u * op->words)];
    return emu_resolve(&w->base, &op->site, mask, 16);
}

/* words: matrices; mode: transposed. */
HANDLER(sass_run_ldsm)
{
    const uint64_t *host = matrix_rows(w, op, mask);
    for (unsigned t = 0; host && t < op->words; t++) {
        uint16_t tile[8][8];
        uint32_t *d = sass_row_at(w, op->d, t);
        for (unsigned row = 0; row < 8; row++)
            memcpy(tile[row], host_at(host, 8 * t + row), 16);
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            unsigned i = lane / 4, j = lane % 4 * 2;
            uint32_t low = op->mode ? tile[j][i] : tile[i][j];
            uint32_t high = op->mode ? tile[j + 1][i] : tile[i][j + 1];
            if (mask >> lane & 1)
                d[lane] = low | high << 16;
        }
    }
}

HANDLER(sass_run_stsm)
{
    const uint64_t *host = matrix_rows(w, op, mask);
    for (unsigned t = 0; host && t < op->words; t++) {
        uint16_t tile[8][8];
        const uint32_t *b = sass_row_at(w, op->b, t);
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            unsigned i = lane / 4, j = lane % 4 * 2;
            *(op->mode ? &tile[j][i] : &tile[i][j]) = (uint16_t)b[lane];
            *(op->mode ? &tile[j + 1][i] : &tile[i][j + 1]) = (uint16_t)(b[lane] >> 16);
        }
        for (unsigned row = 0; row < 8; row++)
            memcpy((uint8_t *)(uintptr_t)host[8 * t + row], tile[row], 16);
    }
}
