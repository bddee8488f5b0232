/* warp.c - the instruction loop of a warp, divergence and reconvergence. */
#include "ptx/warp.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/warp_clock.h"
#include "ptx/handlers.h"
#include "ptx/rare_code.h"

static void set_frame(struct ptx_warp *w, struct ptx_frame *frame)
{
    w->frame = frame;
    w->bank[PTX_BANK_REG] = frame->regs;
}

void ptx_warp_start(struct ptx_warp *w, uint32_t live)
{
    w->base.live = live;
    w->base.n_paths = 1;
    w->open_scopes = 0;
    emu_polls_forget(&w->base);
    w->base.paths[0] = (struct emu_path){.pc = w->image->functions[0].first,
                                         .mask = live,
                                         .scope = -1,
                                         .frame = &w->root,
                                         .spin = {.pc = EMU_NO_INDEX}};
    w->root.live = live;
    set_frame(w, &w->root);
}

/* ---- paths ---- */

static void push_path(struct ptx_warp *w, const struct emu_path *path)
{
    w->base.paths[w->base.n_paths++] = *path;
}

/* Makes the most recent runnable path the current one. */
static bool choose_path(struct ptx_warp *w)
{
    if (!emu_path_choose(&w->base))
        return false;
    set_frame(w, emu_path_now(&w->base)->frame);
    return true;
}

/* ---- scopes ---- */

static int32_t open_scope(struct ptx_warp *w, const struct emu_path *path, uint32_t pc)
{
    if (path->scope >= 0) {
        struct ptx_scope *s = &w->scopes[path->scope];
        if (s->pc == pc && s->frame == path->frame)
            return path->scope; /* a loop that loses its lanes one by one */
    }
    if (!~w->open_scopes)
        return -2;
    int32_t i = __builtin_ctzll(~w->open_scopes);
    w->open_scopes |= 1ull << i;
    w->scopes[i] = (struct ptx_scope){
        .pc = pc, .expected = path->mask, .parent = path->scope, .frame = path->frame};
    return i;
}

/* All that still live have arrived: they go on together. */
static void close_if_complete(struct ptx_warp *w, int32_t index)
{
    struct ptx_scope *s = &w->scopes[index];
    if ((s->expected & w->base.live & ~s->arrived) != 0)
        return;
    uint32_t together = s->arrived & w->base.live;
    w->open_scopes &= ~(1ull << index);
    if (!together)
        return;
    struct emu_path path = {.pc = s->pc,
                            .mask = together,
                            .scope = s->parent,
                            .frame = s->frame,
                            .spin = {.pc = EMU_NO_INDEX}};
    push_path(w, &path);
}

static void arrive(struct ptx_warp *w, int32_t scope, uint32_t mask)
{
    w->scopes[scope].arrived |= mask;
    close_if_complete(w, scope);
}

/* Splits the current path: `apart` continues at pc `at`, the others at pc `other`; they meet at
 * `join`. The lanes of `apart` run first. */
static bool split(struct ptx_warp *w, const struct ptx_inst *in, uint32_t apart, uint32_t at,
                  uint32_t other, uint32_t join)
{
    struct emu_path path = w->base.paths[w->base.n_paths - 1];
    int32_t scope = open_scope(w, &path, join);
    if (scope < -1) {
        emu_fail(&w->base, &in->site, lowest_bit32(path.mask), STRATA_ELIMIT,
                 "its branches nest too deeply");
        return false;
    }
    w->base.n_paths--;
    uint32_t rest = path.mask & ~apart;
    path.scope = scope;
    if (other == join) {
        w->scopes[scope].arrived |= rest;
    } else {
        struct emu_path second = path;
        second.mask = rest;
        second.pc = other;
        push_path(w, &second);
    }
    if (at == join) {
        w->scopes[scope].arrived |= apart;
    } else {
        path.mask = apart;
        path.pc = at;
        push_path(w, &path);
    }
    return true;
}

static bool release_joined(struct ptx_warp *w)
{
    for (int32_t i = PTX_MAX_SCOPES - 1; i >= 0; i--) {
        struct ptx_scope *s = &w->scopes[i];
        if (!(w->open_scopes >> i & 1) || !(s->arrived & w->base.live))
            continue;
        struct emu_path path = {.pc = s->pc,
                                .mask = s->arrived & w->base.live,
                                .scope = s->parent,
                                .frame = s->frame,
                                .spin = {.pc = EMU_NO_INDEX}};
        s->expected &= ~s->arrived;
        s->arrived = 0;
        if (w->base.n_paths >= EMU_MAX_PATHS)
            return false;
        push_path(w, &path);
        return true;
    }
    return false;
}

/* ---- exits ---- */

static void exit_lanes(struct ptx_warp *w, uint32_t mask)
{
    w->base.live &= ~mask;
    for (struct ptx_frame *f = w->frame; f;) {
        struct ptx_frame *caller = f->caller;
        f->live &= ~mask;
        if (!f->live && f != &w->root)
            ptx_frame_close(w, f);
        f = caller;
    }
    struct emu_path *path = emu_path_now(&w->base);
    path->mask &= ~mask;
    if (!path->mask)
        w->base.n_paths--;
    for (uint64_t rest = w->open_scopes; rest; rest &= rest - 1)
        close_if_complete(w, __builtin_ctzll(rest));
    emu_barriers_recheck(w->base.block);
}

/* ---- .sync instructions ---- */

/* The lanes of `mask` that name the same members as its first lane; *members: those it names. Lanes
 * that have exited do not count as members. */
static uint32_t sync_group(const struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                           uint32_t *members)
{
    const uint32_t *named = ptx_ref(w, in->e);
    uint32_t first = named[lowest_bit32(mask)], differs = 0;
    *members = first & w->base.live;
    if (in->e >> 30 == PTX_BANK_CONST)
        return mask;
    for (unsigned i = 0; i < EMU_LANES; i++)
        differs |= (uint32_t)(named[i] != first) << i;
    return mask & ~differs;
}

/* Group by group, as lanes may name different members. A shuffle asks nobody but its source lane:
 * its groups may run as one. */
static void execute_sync(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    w->base.block->instructions++;
    w->base.block->thread_instructions += emu_lane_count(mask);
    bool as_one = in->e == PTX_NO_REF || in->run == ptx_run_shfl;
    for (uint32_t rest = mask, group, members; rest; rest &= ~group) {
        group = as_one ? rest : sync_group(w, in, rest, &members);
        in->run(w, in, group);
    }
    if (w->base.block->watched)
        emu_record(&w->base, &in->site, mask);
}

/* Lanes waiting for the same members at instructions of the same kind, as PTX asks of them; not
 * necessarily at the same one, nor in the same frame. */
static bool waits_with(const struct ptx_warp *w, const struct emu_path *a, const struct emu_path *b)
{
    if (b->state != PTX_AT_SYNC || ((a->wait_mask ^ b->wait_mask) & w->base.live))
        return false;
    const struct ptx_inst *x = &w->image->code[a->pc], *y = &w->image->code[b->pc];
    return x == y || (x->run == y->run && x->op == y->op && x->width == y->width &&
                      x->is_signed == y->is_signed);
}

static bool is_same_place(const struct emu_path *a, const struct emu_path *b)
{
    return a->pc == b->pc && a->frame == b->frame;
}

/* The lanes no longer meet others at the joins from `scope` up to `outer`. */
static void leave_scopes(struct ptx_warp *w, uint32_t mask, int32_t scope, int32_t outer)
{
    while (scope != outer && scope >= 0) {
        int32_t parent = w->scopes[scope].parent;
        w->scopes[scope].expected &= ~mask;
        close_if_complete(w, scope);
        scope = parent;
    }
}

static bool lies_within(const struct ptx_warp *w, int32_t scope, int32_t outer)
{
    while (scope != outer && scope >= 0)
        scope = w->scopes[scope].parent;
    return scope == outer;
}

/* Lanes that have executed a .sync instruction together go on together, as hardware's do: programs
 * count on their next access being one. What one path alone is inside of no longer matters. */
static void join_path(struct ptx_warp *w, struct emu_path *into, const struct emu_path *other)
{
    int32_t outer = into->scope;
    while (!lies_within(w, other->scope, outer))
        outer = w->scopes[outer].parent;
    leave_scopes(w, into->mask, into->scope, outer);
    leave_scopes(w, other->mask, other->scope, outer);
    into->scope = outer;
    into->mask |= other->mask;
}

/* The lanes that wait with `first`; *scattered: at several places. */
static uint32_t find_together(const struct ptx_warp *w, const struct emu_path *first,
                              bool *scattered)
{
    uint32_t together = 0;
    *scattered = false;
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        if (waits_with(w, first, &w->base.paths[i])) {
            together |= w->base.paths[i].mask;
            *scattered |= !is_same_place(first, &w->base.paths[i]);
        }
    return together;
}

static void go_to(struct ptx_warp *w, const struct emu_path *path)
{
    set_frame(w, path->frame);
    w->base.pc = path->pc;
}

/* All give what they have where they are, then all take. */
static void execute_scattered(struct ptx_warp *w, const struct emu_path *first)
{
    struct ptx_exchange all = {0};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < w->base.n_paths; i++) {
            const struct emu_path *path = &w->base.paths[i];
            const struct ptx_inst *in = &w->image->code[path->pc];
            if (!waits_with(w, first, path))
                continue;
            go_to(w, path);
            if (round)
                execute_sync(w, in, path->mask);
            else
                ptx_exchange_add(w, in, path->mask, &all);
        }
        w->exchange = &all;
    }
    w->exchange = NULL;
}

/* All lanes that wait together execute the instruction. Those at one place go on as one, others
 * where they are. */
static void run_together(struct ptx_warp *w, uint32_t index)
{
    struct emu_path first = w->base.paths[index];
    struct ptx_frame *before = w->frame;
    bool scattered;
    uint32_t together = find_together(w, &first, &scattered);
    go_to(w, &first);
    if (scattered)
        execute_scattered(w, &first);
    else
        execute_sync(w, &w->image->code[first.pc], together);
    emu_path_remove(&w->base, index);
    struct emu_path merged = first;
    for (uint32_t i = w->base.n_paths; i-- > 0;) {
        struct emu_path other = w->base.paths[i];
        if (!waits_with(w, &first, &other))
            continue;
        if (is_same_place(&first, &other)) {
            emu_path_remove(&w->base, i);
            join_path(w, &merged, &other);
        } else {
            w->base.paths[i].state = EMU_RUNNABLE;
            w->base.paths[i].pc++;
        }
    }
    merged.state = EMU_RUNNABLE;
    merged.pc++;
    push_path(w, &merged);
    set_frame(w, before);
}

/* Do all lanes of the path see all members they name in it? *group: the first that does not. */
static bool groups_are_complete(const struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                uint32_t *group, uint32_t *members)
{
    *group = mask;
    if (in->e == PTX_NO_REF)
        return true;
    for (uint32_t rest = mask; rest; rest &= ~*group) {
        *group = sync_group(w, in, rest, members);
        if (*members & ~mask)
            return false;
    }
    return true;
}

/* False: the path waits. */
static bool sync_step(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_path *path = emu_path_now(&w->base);
    uint32_t group, members = mask, present = 0;
    if (groups_are_complete(w, in, mask, &group, &members)) {
        execute_sync(w, in, mask);
        path->pc++;
        return true;
    }
    if (group != mask) /* each group waits for its own */
        return split(w, in, group, path->pc, path->pc, path->pc + 1);
    path->state = PTX_AT_SYNC;
    path->wait_mask = members;
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        if (waits_with(w, path, &w->base.paths[i]))
            present |= w->base.paths[i].mask;
    if (members & ~present)
        return false;
    run_together(w, w->base.n_paths - 1);
    return true;
}

bool ptx_warp_release(struct ptx_warp *w)
{
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        if (w->base.paths[i].state == PTX_AT_SYNC) {
            run_together(w, i);
            return true;
        }
    return release_joined(w);
}

/* ---- control flow ---- */

/* What a branch leaves out that machine code does not have is issued for no lane. */
static void record_skipped(struct ptx_warp *w, const struct ptx_inst *in, uint32_t from)
{
    for (uint32_t pc = from; pc < in->target; pc++)
        if (w->image->code[pc].site.record != EMU_NO_INDEX)
            emu_record_access(&w->base, &w->image->code[pc].site, 0);
}

static bool branch(struct ptx_warp *w, const struct ptx_inst *in, uint32_t taken)
{
    struct emu_path *path = emu_path_now(&w->base);
    uint32_t next = path->pc + 1;
    if (taken == path->mask) {
        if (in->site.folded && w->base.block->watched)
            record_skipped(w, in, next);
        path->pc = in->target;
    } else if (!taken || in->target == next)
        path->pc = next;
    else
        /* Forward: the lanes that fall through run first; backward: those that stay in the loop. */
        return in->target > path->pc ? split(w, in, path->mask & ~taken, next, in->target, in->join)
                                     : split(w, in, taken, in->target, next, in->join);
    return true;
}

/* brx.idx: one target after the other; lanes not yet served execute the instruction again. */
static bool branch_indexed(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_path *path = emu_path_now(&w->base);
    const uint32_t *index = ptx_ref(w, in->a), *targets = in->extra;
    uint32_t chosen = index[lowest_bit32(mask)], same = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (index[lowest_bit32(rest)] == chosen)
            same |= rest & (0 - rest);
    if (chosen >= (uint32_t)in->imm) {
        emu_fail(&w->base, &in->site, lowest_bit32(mask), STRATA_EFORMAT,
                 "branch index %u is outside its table of %u labels", chosen, (unsigned)in->imm);
        return false;
    }
    if (same == path->mask) {
        path->pc = targets[chosen];
        return true;
    }
    return split(w, in, same, targets[chosen], path->pc, in->join);
}

static uint32_t call_target(const struct ptx_warp *w, const struct ptx_inst *in, unsigned lane)
{
    const uint64_t *a = ptx_ref(w, in->a);
    uint64_t id = (a[lane] - STRATA_CODE_WINDOW) / 16;
    if (a[lane] < STRATA_CODE_WINDOW || id >= w->image->n_ids)
        return EMU_NO_INDEX;
    return w->image->function_of_id[id] - 1;
}

static bool call(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_path *path = emu_path_now(&w->base);
    const struct ptx_call *passed = in->extra;
    uint32_t target = in->target, same = mask;
    unsigned first = lowest_bit32(mask);
    if (target == EMU_NO_INDEX && !passed->builtin) {
        const uint64_t *a = ptx_ref(w, in->a);
        same = 0;
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            if (a[lowest_bit32(rest)] == a[first])
                same |= rest & (0 - rest);
        target = call_target(w, in, first);
        if (target == EMU_NO_INDEX) {
            emu_fail(&w->base, &in->site, first, STRATA_EFORMAT,
                     "call through 0x%llx, which is no function", (unsigned long long)a[first]);
            return false;
        }
    }
    if (passed->builtin) {
        in->run(w, in, mask);
        path->pc++;
        return !w->base.block->failed;
    }
    if (same != mask) { /* lanes with another target execute the call again */
        if (!split(w, in, same, path->pc, path->pc, path->pc + 1))
            return false;
        path = emu_path_now(&w->base);
    }
    return ptx_call_function(w, path, in, target);
}

/* ---- the loop ---- */

static uint32_t guarded(const struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    if (in->guard == PTX_NO_REF)
        return mask;
    uint32_t p = ptx_predicate(w, in->guard);
    return mask & (in->guard_negated ? ~p : p);
}

static void count(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    if (in->site.record == EMU_NO_INDEX)
        return;
    w->base.block->instructions++;
    w->base.block->thread_instructions += emu_lane_count(mask);
    if (w->base.block->watched)
        emu_record(&w->base, &in->site, mask);
}

/* Asks whether the lanes may go on; those that may not ask again after the next event. */
static bool wait_step(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_path *path = emu_path_now(&w->base);
    uint32_t events = w->base.block->events;
    w->base.must_wait = false;
    in->run(w, in, mask);
    if (w->base.must_wait) {
        emu_path_wait(&w->base, events);
        return false;
    }
    path->pc++;
    if (in->width) { /* it has recorded itself */
        w->base.block->instructions++;
        w->base.block->thread_instructions += emu_lane_count(mask);
    } else {
        count(w, in, mask);
    }
    return !w->base.waits;
}

/* Everything but plain steps. False: the turn of this path is over. */
static bool control(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_path *path = emu_path_now(&w->base);
    switch (in->flow) {
    case PTX_BRANCH:
        count(w, in, mask);
        return branch(w, in, mask);
    case PTX_BRANCH_INDEXED:
        if (!mask)
            break;
        count(w, in, mask);
        return branch_indexed(w, in, mask);
    case PTX_CALL:
        if (!mask)
            break;
        if (mask != path->mask)
            return split(w, in, mask, path->pc, path->pc + 1, path->pc + 1);
        count(w, in, mask);
        return call(w, in, mask);
    case PTX_RETURN:
        count(w, in, mask);
        if (path->frame == &w->root)
            exit_lanes(w, mask);
        else
            ptx_return(w, path);
        return false;
    case PTX_EXIT:
        if (!mask)
            break;
        count(w, in, mask);
        path->pc++;
        exit_lanes(w, mask);
        return false;
    case PTX_SYNC_STEP:
        if (!mask)
            break;
        if (mask != path->mask) /* the others wait behind it */
            return split(w, in, mask, path->pc, path->pc + 1, path->pc + 1);
        return sync_step(w, in, mask);
    case PTX_WAIT_STEP:
        if (!mask)
            break;
        if (mask != path->mask)
            return split(w, in, mask, path->pc, path->pc + 1, path->pc + 1);
        return wait_step(w, in, mask);
    default: /* PTX_BARRIER */
        if (!mask)
            break;
        if (mask != path->mask)
            return split(w, in, mask, path->pc, path->pc + 1, path->pc + 1);
        count(w, in, mask);
        return ptx_barrier_arrive(w, path, in);
    }
    count(w, in, mask);
    path->pc++;
    return true;
}

/* False: it leaves work to others, and comes again. */
static bool step_memory(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    if (mask)
        in->run(w, in, mask);
    if (w->base.takes)
        return false;
    w->base.block->instructions++;
    w->base.block->thread_instructions += emu_lane_count(mask);
    w->base.block->memory_instructions++;
    /* Lanes that only fill with zeros ask memory for nothing, and the card counts none. */
    if (mask && in->run == ptx_run_copy_async)
        mask &= ~w->idle_lanes;
    if (w->base.block->watched)
        emu_record_access(&w->base, &in->site, mask);
    return true;
}

/* An atomic that machine code makes of a load, a sum and a swap, and that other warps may come
 * before: its effect comes first, then round after round, each in its turn among the warps. False:
 * lanes are left, and it comes again. */
static bool step_race(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_warp *base = &w->base;
    uint32_t load = in->site.record - in->site.before;
    if (!base->turns) {
        if (emu_meets_others(base, load))
            return false;
        in->run(w, in, mask);
        base->block->instructions++;
        base->block->thread_instructions += emu_lane_count(mask);
        base->block->memory_instructions++;
        base->turns = mask;
    }
    base->turns &= ~emu_record_turn(base, &in->site, base->turns);
    if (base->turns)
        emu_clock_stop(base, load);
    return !base->turns;
}

static bool races(const struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    return in->site.acting == EMU_ACTING_TURNS && mask && emu_runs_by_clocks(w->base.block->run);
}

/* A path that polls in vain lets others run: its siblings, then lanes that wait for it. */
static enum emu_turn give_way(struct ptx_warp *w)
{
    bool other = false;
    if (w->base.takes)
        return emu_give_way(&w->base);
    for (uint32_t i = 0; i + 1 < w->base.n_paths; i++)
        other |= w->base.paths[i].state == EMU_RUNNABLE;
    if (other)
        emu_paths_rotate(&w->base);
    else if (w->base.in_vain)
        release_joined(w);
    return emu_give_way(&w->base);
}

/* Runs the current path until it ends, waits, gives way or the budget is used up. */
static enum emu_turn run_path(struct ptx_warp *w, uint64_t *budget)
{
    struct emu_block *block = w->base.block;
    const struct ptx_inst *code = w->image->code;
    struct emu_path *path = emu_path_now(&w->base);
    uint32_t join = path->scope >= 0 ? w->scopes[path->scope].pc : EMU_NO_INDEX;
    while (*budget) {
        if (path->pc == join && w->scopes[path->scope].frame == path->frame) {
            w->base.n_paths--;
            arrive(w, path->scope, path->mask);
            return EMU_TURN_BLOCKED;
        }
        const struct ptx_inst *in = &code[path->pc];
        uint32_t mask = guarded(w, in, path->mask);
        w->base.pc = path->pc;
        --*budget;
        if (in->flow == PTX_STEP) {
            in->run(w, in, mask);
            if (in->site.record != EMU_NO_INDEX) {
                block->instructions++;
                block->thread_instructions += emu_lane_count(mask);
                if (block->watched)
                    emu_record(&w->base, &in->site, mask);
                if (in->run == ptx_run_rare)
                    ptx_rare_record(w, in);
            }
            path->pc++;
        } else if (in->flow == PTX_MEMORY) {
            if (mask && emu_clock_comes_later(&w->base, &in->site))
                return EMU_TURN_OVER;
            bool race = races(w, in, mask);
            if (race && !step_race(w, in, mask))
                return block->failed ? EMU_TURN_FAILED : EMU_TURN_MEETS;
            if (!race && !step_memory(w, in, mask))
                return give_way(w);
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
            if (w->base.waits)
                return give_way(w);
        } else if (in->flow == PTX_SPECIAL || (in->flow == PTX_SELF && !mask)) {
            if (mask)
                in->run(w, in, mask);
            count(w, in, mask);
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
        } else if (in->flow == PTX_SELF) {
            block->instructions++;
            block->thread_instructions += emu_lane_count(mask);
            block->memory_instructions++;
            in->run(w, in, mask);
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
            if (w->base.waits)
                return give_way(w);
        } else {
            bool on = control(w, in, mask);
            if (block->failed)
                return EMU_TURN_FAILED;
            if (w->base.waits && w->base.n_paths)
                return give_way(w);
            if (!on || !w->base.n_paths)
                return EMU_TURN_BLOCKED;
            path = emu_path_now(&w->base);
            if (path->state != EMU_RUNNABLE)
                return EMU_TURN_BLOCKED;
            set_frame(w, path->frame);
            join = path->scope >= 0 ? w->scopes[path->scope].pc : EMU_NO_INDEX;
        }
    }
    return EMU_TURN_OVER;
}

enum emu_turn ptx_warp_run(struct ptx_warp *w, uint64_t budget)
{
    while (choose_path(w)) {
        enum emu_turn turn = run_path(w, &budget);
        if (turn == EMU_TURN_FAILED || turn == EMU_TURN_SPUN || turn == EMU_TURN_POLLED ||
            turn == EMU_TURN_MEETS || turn == EMU_TURN_TAKES)
            return turn;
        if (turn == EMU_TURN_OVER) {
            emu_paths_rotate(&w->base);
            return turn;
        }
    }
    return w->base.live ? EMU_TURN_BLOCKED : EMU_TURN_DONE;
}
