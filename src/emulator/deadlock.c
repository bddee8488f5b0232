/* deadlock.c - waits that can never end, and what is told of them. */
#include <stdio.h>
#include <string.h>

#include "emulator/block.h"
#include "emulator/bulk.h"
#include "emulator/mbarrier.h"
#include "emulator/warp_clock.h"

/* A loop of tests may give up by itself after some: this is far more, and reached in a moment. */
#define TESTS_IN_VAIN 100000
/* Instructions since the last test of a warp that has not left its loop. */
#define NEXT_TEST 100

void emu_describe_wait(struct emu_block *block, uint32_t what, char *out, size_t size)
{
    struct emu_mbarrier b = {0};
    uint64_t bits = 0, offset;
    if (what == EMU_WAITS_FOR_CLUSTER) {
        snprintf(out, size, "at the barrier of its cluster, which other threads never reach");
        return;
    }
    if (what == EMU_WAITS_FOR_GROUP) {
        snprintf(out, size, "for the other warps of its warpgroup, which do not come");
        return;
    }
    const struct emu_block *owner = emu_cluster_target(block, what, &offset);
    if (owner && offset + 8 <= owner->shared_bytes)
        memcpy(&bits, owner->shared + offset, sizeof bits);
    emu_mbarrier_unpack(bits, &b);
    snprintf(out, size,
             "for a phase of the mbarrier at shared address 0x%llx that nobody ends: %u arrivals "
             "and %d bytes are missing",
             (unsigned long long)offset, b.pending, b.bytes);
}

void emu_block_deadlock(struct emu_block *block)
{
    char what[200];
    for (unsigned round = 0; round < 2; round++) /* first those that can tell what they wait for */
        for (uint32_t i = 0; i < block->n_warps; i++) {
            struct emu_warp *w = emu_block_warp(block, i);
            unsigned lane = 0;
            const struct emu_site *site = w->live ? emu_waiting_site(w, &lane) : NULL;
            bool told = site && emu_waiting_for(w, what, sizeof what);
            if (!site || (!round && !told))
                continue;
            emu_fail(w, site, lane, STRATA_EFORMAT, "deadlock: it waits %s",
                     told ? what : "at a barrier that the other threads of its block never reach");
            return;
        }
}

/* ---- tests ---- */

void emu_note_test(struct emu_warp *w, const struct emu_site *site, unsigned lane, uint32_t address,
                   bool failed)
{
    uint32_t n = failed && w->vain.n < TESTS_IN_VAIN ? w->vain.n + 1 : w->vain.n;
    w->vain = (struct emu_vain_tests){failed ? n : 0, address, (uint8_t)lane, site,
                                      w->clock ? w->clock->issued : 0};
}

static bool tests_in_vain(const struct emu_warp *w)
{
    return w->vain.n == TESTS_IN_VAIN &&
           (!w->clock || w->clock->issued - w->vain.issued < NEXT_TEST);
}

/* No warp of the block can do anything but test in vain. */
static bool is_stuck(const struct emu_block *block)
{
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (w->live && emu_paths_runnable(w) && !tests_in_vain(w))
            return false;
    }
    return true;
}

static void describe_test(struct emu_block *block, const struct emu_vain_tests *tests, char *out,
                          size_t size)
{
    if (tests->site->spins)
        snprintf(out, size,
                 "in a loop for the word at shared address 0x%x, which no other warp of its block "
                 "stores to any more",
                 tests->address);
    else
        emu_describe_wait(block, tests->address, out, size);
}

bool emu_tests_in_vain(struct emu_block *block)
{
    struct emu_warp *tests = NULL;
    char what[200];
    for (uint32_t i = 0; i < block->n_warps && !tests; i++)
        if (emu_block_warp(block, i)->live && tests_in_vain(emu_block_warp(block, i)))
            tests = emu_block_warp(block, i);
    for (uint32_t i = 0; tests && i < block->cluster->n; i++) {
        const struct emu_block *mate = block->cluster->block[i];
        if (mate && !mate->done && !is_stuck(mate))
            return false;
    }
    if (!tests)
        return false;
    describe_test(block, &tests->vain, what, sizeof what);
    emu_fail(tests, tests->vain.site, tests->vain.lane, STRATA_EFORMAT,
             "deadlock: after %u tests in vain it still waits %s", TESTS_IN_VAIN, what);
    return true;
}
