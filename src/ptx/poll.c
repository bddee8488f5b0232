/* poll.c - which loops wait for somebody.
 *
 * A loop that keeps getting the same answers from memory is waiting: the warp then lets others run.
 * Nothing depends on it but the order of turns, so a loop that is taken for one by mistake costs
 * time alone. */
#include "ptx/exec.h"

/* This many equal answers in a row at one place mean that a loop waits for somebody. */
#define SPIN_POLLS 8
/* The same with other polls between them, all of them without news: loops that work come to that
 * too, over data that are all the same. */
#define VAIN_POLLS 64

static bool polled_global(const struct ptx_warp *w, uint32_t mask)
{
    return (mask & ~(w->base.access.shared_mask | w->base.access.local_mask)) != 0;
}

/* Is it the same answer again, one poll after the other at one place? */
static bool spins_here(struct ptx_warp *w, uint64_t hash)
{
    struct ptx_path *path = &w->paths[w->n_paths - 1];
    bool same = path->poll_pc == w->pc && path->poll_hash == hash;
    path->polls = same ? path->polls + 1 : 0;
    path->poll_pc = w->pc;
    path->poll_hash = hash;
    if (path->polls < SPIN_POLLS)
        return false;
    path->polls = 0;
    return true;
}

/* Has no poll of the warp had news for long? */
static bool polls_in_vain(struct ptx_warp *w, uint32_t mask, uint64_t hash)
{
    struct ptx_poll *p = &w->polls[mix64((uint64_t)w->pc << 32 | mask) % PTX_POLLS];
    if (p->pc != w->pc || p->mask != mask) {
        *p = (struct ptx_poll){.pc = w->pc, .mask = mask, .hash = hash, .epoch = w->poll_epoch};
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

void ptx_notice_poll(struct ptx_warp *w, uint32_t mask, uint64_t hash)
{
    bool here = spins_here(w, hash), in_vain = polls_in_vain(w, mask, hash);
    if (!here && !in_vain)
        return;
    w->waits = true;
    w->polls_global = polled_global(w, mask);
}
