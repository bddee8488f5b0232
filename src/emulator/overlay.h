/* overlay.h - what a block that runs ahead of its turn does to memory that is both loaded and
 * stored in its launch.
 *
 * Such an allocation is "mixed". A block keeps private copies of the granules (32 bytes) it stores
 * to, loads its own stores from them, and notes every granule it loads. When its turn comes, the
 * granules it loaded must not have been stored to by a block that finished after this one started;
 * the version of a granule says who stored last. */
#ifndef STRATA_EMULATOR_OVERLAY_H
#define STRATA_EMULATOR_OVERLAY_H

#include "emulator/emulator.h"

/* A mixed allocation. Versions: number of finished blocks right after the last store. */
struct emu_mixed {
    uint64_t base, bytes;
    uint32_t *version; /* by granule */
};

/* All granules begin with this version. NULL: no memory, or an odd address. */
struct emu_mixed *emu_mixed_create(struct strata_memory_range range, uint32_t version);
void emu_mixed_destroy(struct emu_mixed *mixed);

struct emu_overlay;
/* NULL if memory is short. */
struct emu_overlay *emu_overlay_create(void);
void emu_overlay_destroy(struct emu_overlay *o);
void emu_overlay_reset(struct emu_overlay *o);

/* Notes that the lanes of `mask` load `bytes` at w->access.address and sets w->access.host to where
 * the data lie. False if memory is short. */
bool emu_overlay_load(struct emu_warp *w, uint32_t mask, unsigned bytes);
/* Makes private copies to store to; `update`: the old value matters too (reductions). */
bool emu_overlay_store(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                       unsigned bytes, bool update);

uint64_t emu_overlay_bytes(const struct emu_overlay *o);
/* More than should be kept: the block has to wait for its turn. */
bool emu_overlay_is_full(const struct emu_overlay *o);

/* ---- at the block's turn ---- */
/* Did a block that finished after `start` blocks had finished store to a granule this one loaded?
 */
bool emu_overlay_is_stale(const struct emu_overlay *o, struct emu_mixed *const *mixed,
                          uint32_t n_mixed, uint64_t start);
/* Applies the stores; their granules get this version. */
void emu_overlay_apply(struct emu_overlay *o, struct emu_mixed *const *mixed, uint32_t n_mixed,
                       uint32_t version);

#endif
