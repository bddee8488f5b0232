/* poll.c - which loops wait for somebody.
 *
 * A loop that keeps getting the same answers from memory is waiting: the warp then lets others run.
 * Nothing depends on it but the order of turns, so a loop that is taken for one by mistake costs
 * time alone. */
#include <string.h>

#include "base/bits.h"
#include "emulator/bulk.h"
#include "emulator/emulator.h"
#include "emulator/warp_clock.h"

/* This many equal answers in a row at one place mean that a loop waits for somebody. */
#define SPIN_POLLS 8
/* An addition that finds what it found before is no work: it added nothing. Its loop is told
 * sooner, since each of its polls is a trip to the L2 that the models take time for: sorts
 * whose blocks wait for one another by additions of zero take 20,400 and 57,900 cycles on an H200,
 * 20,600 and 59,400 with two such answers in a row, 47,400 and 91,400 with eight. */
#define SPIN_ADDITIONS 2
/* The same with other polls between them, all of them without news: loops that work come to that
 * too, over data that are all the same. */
#define VAIN_POLLS 64

static bool polled_global(const struct emu_warp *w, uint32_t mask)
{
    return (mask & ~(w->access.shared_mask | w->access.local_mask)) != 0;
}

/* Is it the same answer again, one poll after the other at one place? */
static bool spins_here(struct emu_spin *path, uint32_t pc, uint64_t hash, uint32_t polls)
{
    bool same = path->pc == pc && path->hash == hash;
    path->times = same ? path->times + 1 : 0;
    path->pc = pc;
    path->hash = hash;
    if (path->times < polls)
        return false;
    path->times = 0;
    return true;
}

static struct emu_poll *poll_of(struct emu_warp *w, uint32_t mask)
{
    return &w->polls[mix64((uint64_t)w->pc << 32 | mask) % EMU_POLLS];
}

/* Has no poll of the warp had news for long? */
static bool polls_in_vain(struct emu_warp *w, uint32_t mask, uint64_t hash)
{
    uint32_t pc = w->pc;
    struct emu_poll *p = poll_of(w, mask);
    if (p->pc != pc || p->mask != mask) {
        *p = (struct emu_poll){.pc = pc, .mask = mask, .hash = hash, .epoch = w->poll_epoch};
        return false;
    }
    if (p->hash != hash)
        w->poll_epoch++;
    p->same = p->epoch == w->poll_epoch ? p->same + 1 : 0;
    p->epoch = w->poll_epoch;
    p->hash = hash;
    if (p->same < VAIN_POLLS)
        return false;
    p->same -= SPIN_POLLS; /* as long as there is no news it is known sooner */
    return true;
}

/* Turns by time that a round takes at most which began with the same answer as the one before. */
#define IDLE_TURNS 4

/* Where blocks run by time, each poll of a loop that waits is a step of its own, and the warp goes
 * on when it is answered. */
static bool is_step(const struct emu_warp *w, const struct emu_site *site)
{
    return site->waits && w->block->run->by_time;
}

/* Who waits in shared memory waits for its own block; who asks in global memory, perhaps for
 * another one. */
static void note_spin(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    unsigned lane = lowest_bit32(mask);
    if (site->spins)
        emu_note_test(w, site, lane, (uint32_t)w->access.address[lane], poll_of(w, mask)->same > 0);
    else if (polled_global(w, mask))
        w->vain.n = 0;
}

static void notice(struct emu_warp *w, const struct emu_site *site, uint32_t mask, uint64_t hash,
                   uint32_t polls)
{
    bool here = spins_here(&emu_path_now(w)->spin, w->pc, hash, polls);
    bool in_vain = polls_in_vain(w, mask, hash);
    note_spin(w, site, mask);
    w->in_vain = here || in_vain;
    w->asks = is_step(w, site);
    w->idle_turns = w->asks && (w->in_vain || emu_path_now(w)->spin.times) ? IDLE_TURNS : 0;
    if (!w->in_vain && !w->asks)
        return;
    w->waits = true;
    w->polls_global = polled_global(w, mask);
}

void emu_notice_poll(struct emu_warp *w, const struct emu_site *site, uint32_t mask, uint64_t hash)
{
    notice(w, site, mask, hash, SPIN_POLLS);
}

static uint32_t polls_of(uint32_t op, bool by_time)
{
    return op != EMU_ATOM_ADD ? SPIN_POLLS : by_time ? 0 : SPIN_ADDITIONS;
}

void emu_notice_atomic(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                       uint64_t hash, uint32_t op)
{
    bool by_time = w->block->run->by_time;
    if (by_time && !site->waits)
        emu_clock_await(w);
    notice(w, site, mask, hash, polls_of(op, by_time));
}

void emu_polls_forget(struct emu_warp *w)
{
    w->waits = false;
    memset(w->polls, 0, sizeof w->polls);
}

bool emu_leaves_work(struct emu_warp *w, uint32_t mask, const uint64_t *host)
{
    uint64_t place = (uint64_t)1 << w->pc % 64, from = host[lowest_bit32(mask)];
    if (w->left || w->block->run->opt->interleave || !polled_global(w, mask)) {
        w->left = false;
        return false;
    }
    bool again = w->taken & place || w->taken_from == from;
    w->taken |= place;
    w->taken_from = from;
    w->waits = w->takes = w->left = again;
    return again;
}

enum emu_turn emu_give_way(struct emu_warp *w)
{
    bool takes = w->takes;
    w->waits = w->takes = false;
    if (takes)
        return EMU_TURN_TAKES;
    if (w->asks)
        emu_clock_answer(w);
    w->asks = false;
    return w->polls_global ? EMU_TURN_POLLED : EMU_TURN_SPUN;
}
