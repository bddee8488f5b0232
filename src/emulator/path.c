/* path.c - which path of a warp runs, and which wait. */
#include "emulator/path.h"

#include <string.h>

#include "emulator/bulk.h"
#include "emulator/emulator.h"

/* One that waits may ask again when something has happened in its block. */
static bool may_run(const struct emu_warp *w, const struct emu_path *path)
{
    return path->state == EMU_RUNNABLE ||
           (path->state == EMU_AT_WAIT && path->seen_events != w->block->events);
}

bool emu_paths_runnable(const struct emu_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        if (may_run(w, &w->paths[i]))
            return true;
    return false;
}

void emu_path_remove(struct emu_warp *w, uint32_t index)
{
    w->n_paths--;
    memmove(&w->paths[index], &w->paths[index + 1], (w->n_paths - index) * sizeof *w->paths);
}

bool emu_path_choose(struct emu_warp *w)
{
    for (uint32_t i = w->n_paths; i-- > 0;) {
        if (!may_run(w, &w->paths[i]))
            continue;
        w->paths[i].state = EMU_RUNNABLE;
        if (i + 1 < w->n_paths) {
            struct emu_path chosen = w->paths[i];
            emu_path_remove(w, i);
            w->paths[w->n_paths++] = chosen;
        }
        return true;
    }
    return false;
}

void emu_paths_rotate(struct emu_warp *w)
{
    if (w->n_paths < 2)
        return;
    struct emu_path current = *emu_path_now(w);
    memmove(&w->paths[1], &w->paths[0], (w->n_paths - 1) * sizeof current);
    w->paths[0] = current;
}

void emu_path_wait(struct emu_warp *w, uint32_t events)
{
    struct emu_path *path = emu_path_now(w);
    path->state = EMU_AT_WAIT;
    path->seen_events = events;
}

bool emu_waits_at(const struct emu_warp *w, unsigned barrier)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        if (w->paths[i].state == EMU_AT_BARRIER && w->paths[i].barrier == barrier)
            return true;
    return false;
}

void emu_barrier_opens(struct emu_warp *w, unsigned barrier, const struct emu_barrier *b)
{
    for (uint32_t i = 0; i < w->n_paths; i++) {
        struct emu_path *path = &w->paths[i];
        if (path->state != EMU_AT_BARRIER || path->barrier != barrier)
            continue;
        w->block->run->executor->barrier_result(w, path, b);
        path->state = EMU_RUNNABLE;
    }
}

/* NULL: nobody waits for something to happen in the block. */
static const struct emu_path *asking_path(const struct emu_warp *w)
{
    for (uint32_t i = w->n_paths; i-- > 0;)
        if (w->paths[i].state == EMU_AT_WAIT)
            return &w->paths[i];
    return NULL;
}

const struct emu_site *emu_waiting_site(const struct emu_warp *w, unsigned *lane)
{
    const struct emu_path *asks = asking_path(w);
    if (!w->n_paths)
        return NULL;
    const struct emu_path *path = asks ? asks : &w->paths[w->n_paths - 1];
    *lane = lowest_bit32(path->mask);
    /* One that asks will do so again; the others have gone past what they wait at. */
    return w->block->run->executor->site(w, asks || !path->pc ? path->pc : path->pc - 1);
}

bool emu_waiting_for(const struct emu_warp *w, char *out, size_t size)
{
    if (!asking_path(w))
        return false;
    emu_describe_wait(w->block, w->wait_address, out, size);
    return true;
}
