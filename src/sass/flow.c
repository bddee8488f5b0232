/* flow.c - the instruction loop of a warp: branches, convergence barriers, waiting.
 *
 * Lanes that run together are a path. As on hardware since Volta nothing but the program makes
 * lanes meet again: BSSY names a group of lanes, BSYNC holds each until all of its group have come
 * or yielded, BREAK and EXIT leave a group. Any runnable path may be chosen, so lanes that spin
 * give way. */
#include <string.h>

#include "sass/exec.h"

static struct emu_path *current(struct sass_warp *w)
{
    return emu_path_now(&w->base);
}

void sass_warp_start(struct sass_warp *w, uint32_t live)
{
    w->base.n_paths = 1;
    w->owes_turn = false;
    w->yielded = 0;
    emu_polls_forget(&w->base);
    w->base.paths[0] = (struct emu_path){.mask = live, .spin = {.pc = EMU_NO_INDEX}};
    memset(w->convergence, 0, sizeof w->convergence);
    memset(w->pred, 0, sizeof w->pred);
    w->pred[SASS_PRED_TRUE] = EMU_FULL;
    w->pred[SASS_PRED_UNIFORM + SASS_PRED_TRUE] = EMU_FULL;
}

/* ---- paths ---- */

static void push_path(struct sass_warp *w, uint32_t pc, uint32_t mask)
{
    w->base.paths[w->base.n_paths++] =
        (struct emu_path){.pc = pc, .mask = mask, .spin = {.pc = EMU_NO_INDEX}};
}

/* `apart` continues at pc `at`, the others of the current path at `other`; `apart` runs first. */
static void split(struct sass_warp *w, uint32_t apart, uint32_t at, uint32_t other)
{
    struct emu_path *path = current(w);
    uint32_t rest = path->mask & ~apart;
    path->mask = rest;
    path->pc = other;
    push_path(w, at, apart);
}

/* ---- waiting for each other ---- */

/* Lanes of paths that wait in this state, at this convergence barrier where it is one. */
static uint32_t waiting_lanes(const struct sass_warp *w, unsigned state, unsigned barrier)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        if (w->base.paths[i].state == state && w->base.paths[i].barrier == barrier)
            lanes |= w->base.paths[i].mask;
    return lanes;
}

/* Takes `together` out of the paths that wait in `state` and lets them go on as one at pc. */
static void merge(struct sass_warp *w, unsigned state, unsigned barrier, uint32_t together,
                  uint32_t pc)
{
    for (uint32_t i = w->base.n_paths; i-- > 0;) {
        struct emu_path *path = &w->base.paths[i];
        if (path->state != state || path->barrier != barrier || !(path->mask & together))
            continue;
        path->mask &= ~together;
        if (!path->mask)
            emu_path_remove(&w->base, i);
    }
    push_path(w, pc, together);
}

/* Lanes that have yielded inside the region which this barrier closes. */
static uint32_t yielded_in(const struct sass_warp *w, unsigned barrier)
{
    uint32_t lanes = 0;
    for (uint32_t rest = w->yielded; rest; rest &= rest - 1)
        if (w->yielded_in[lowest_bit32(rest)] == barrier + 1)
            lanes |= rest & (0 - rest);
    return lanes;
}

/* Lanes that go on without the others of their group are waited for no more. */
static void part_from(struct sass_warp *w, unsigned barrier, uint32_t others, uint32_t gone)
{
    for (uint32_t rest = others; rest; rest &= rest - 1)
        w->convergence[barrier][lowest_bit32(rest)] &= ~gone;
}

/* Lanes at this barrier whose group is complete go on behind it, group by group. */
static bool open_convergence(struct sass_warp *w, unsigned barrier, bool force)
{
    for (uint32_t i = 0; i < w->base.n_paths; i++) {
        const struct emu_path *path = &w->base.paths[i];
        if (path->state != SASS_AT_BSYNC || path->barrier != barrier)
            continue;
        unsigned lane = lowest_bit32(path->mask);
        uint32_t group = w->convergence[barrier][lane] & w->base.live;
        uint32_t here = waiting_lanes(w, SASS_AT_BSYNC, barrier);
        group |= path->mask; /* lanes that wait without being in the group go with those they came
                                with */
        if (group & ~here & ~yielded_in(w, barrier) && !force)
            continue;
        part_from(w, barrier, group & ~here, group & here);
        merge(w, SASS_AT_BSYNC, barrier, group & here, path->pc);
        return true;
    }
    return false;
}

static void recheck_convergence(struct sass_warp *w)
{
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        if (w->base.paths[i].state == SASS_AT_BSYNC &&
            open_convergence(w, w->base.paths[i].barrier, false))
            i = UINT32_MAX; /* the paths have moved: from the start */
}

/* Lanes that wait for the same others at the same WARPSYNC go on as one: what follows may use
 * registers that the warp has once. Those that wait elsewhere go on there. */
static void pass_warpsync(struct sass_warp *w, uint32_t named)
{
    for (uint32_t i = 0; i < w->base.n_paths; i++) {
        if (w->base.paths[i].state != SASS_AT_WARPSYNC || w->base.paths[i].wait_mask != named)
            continue;
        for (uint32_t k = w->base.n_paths; k-- > i + 1;) {
            const struct emu_path *other = &w->base.paths[k];
            if (other->state != SASS_AT_WARPSYNC || other->wait_mask != named ||
                other->pc != w->base.paths[i].pc)
                continue;
            w->base.paths[i].mask |= other->mask;
            emu_path_remove(&w->base, k);
        }
        w->base.paths[i].state = EMU_RUNNABLE;
    }
}

/* Paths at a WARPSYNC go on when all lanes that one of them names are there; those of a collective
 * as one, from wherever they came: one of them runs what follows for all, up to ENDCOLLECTIVE. */
static bool open_warpsync(struct sass_warp *w, bool force)
{
    for (uint32_t i = 0; i < w->base.n_paths; i++) {
        unsigned state = w->base.paths[i].state;
        if (state != SASS_AT_WARPSYNC && state != SASS_AT_COLLECTIVE)
            continue;
        uint32_t members = w->base.paths[i].wait_mask & w->base.live, here = 0;
        for (uint32_t k = 0; k < w->base.n_paths; k++)
            if (w->base.paths[k].state == state &&
                w->base.paths[k].wait_mask == w->base.paths[i].wait_mask)
                here |= w->base.paths[k].mask;
        if (members & ~here && !force)
            continue;
        if (state == SASS_AT_COLLECTIVE) {
            merge(w, state, w->base.paths[i].barrier, here, w->base.paths[i].pc);
            return true;
        }
        pass_warpsync(w, w->base.paths[i].wait_mask);
        return true;
    }
    return false;
}

bool sass_warp_release(struct sass_warp *w)
{
    if (open_warpsync(w, true))
        return true;
    for (unsigned barrier = 0; barrier < SASS_BARRIERS; barrier++)
        if (open_convergence(w, barrier, true))
            return true;
    return false;
}

static void exit_lanes(struct sass_warp *w, uint32_t mask)
{
    struct emu_path *path = current(w);
    w->base.live &= ~mask;
    path->mask &= ~mask;
    path->pc++;
    if (!path->mask)
        w->base.n_paths--;
    recheck_convergence(w);
    while (open_warpsync(w, false))
        ;
    emu_barriers_recheck(w->base.block);
}

/* ---- addresses of code ---- */

uint32_t sass_index_of(const struct sass_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->n_ranges; i++) {
        const struct sass_range *r = &image->ranges[i];
        if (address - r->base < r->bytes && !(address % SASS_INST_BYTES))
            return r->first + (uint32_t)((address - r->base) / SASS_INST_BYTES);
    }
    return EMU_NO_INDEX;
}

uint64_t sass_address_of(const struct sass_image *image, uint32_t index)
{
    for (size_t i = 0; i < image->n_ranges; i++) {
        const struct sass_range *r = &image->ranges[i];
        if (index - r->first < r->bytes / SASS_INST_BYTES)
            return r->base + (uint64_t)(index - r->first) * SASS_INST_BYTES;
    }
    return 0;
}

/* ---- control instructions ---- */

static void branch(struct sass_warp *w, const struct sass_exec *op, uint32_t taken)
{
    struct emu_path *path = current(w);
    uint32_t next = path->pc + 1;
    if (taken == path->mask)
        path->pc = op->target;
    else if (!taken || op->target == next)
        path->pc = next;
    else if (op->target > path->pc) /* forward: the lanes that fall through run first */
        split(w, path->mask & ~taken, next, op->target);
    else /* backward: those that stay in the loop */
        split(w, taken, op->target, next);
}

/* Lanes named by row a, or by the immediate. */
static uint32_t named_lanes(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    return op->a == SASS_NO_ROW ? (uint32_t)op->imm : sass_row(w, op->a)[lowest_bit32(mask)];
}

/* A jump to an address in a register: one target after the other; lanes not yet served execute the
 * instruction again. */
static bool jump(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    struct emu_path *path = current(w);
    const uint32_t *low = sass_row(w, op->a), *high = sass_row_at(w, op->a, 1);
    unsigned first = lowest_bit32(mask);
    uint32_t same = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (low[lane] == low[first] && (op->words == 1 || high[lane] == high[first]))
            same |= 1u << lane;
    }
    uint64_t value = low[first] | (op->words == 1 ? 0 : (uint64_t)high[first] << 32);
    if (op->mode2 && value >= SASS_SYSCALL_BASE) { /* a call of what the emulator provides */
        sass_run_syscall(w, op, (unsigned)((value - SASS_SYSCALL_BASE) / SASS_INST_BYTES), same);
        if (same == path->mask)
            path->pc++;
        else
            split(w, same, path->pc + 1, path->pc);
        return !w->base.block->failed;
    }
    uint32_t target = sass_index_of(w->image, value + (uint64_t)op->imm);
    if (target == EMU_NO_INDEX) {
        emu_fail(&w->base, &op->site, first, STRATA_EFORMAT, "a jump to 0x%llx, where no code lies",
                 (unsigned long long)(value + (uint64_t)op->imm));
        return false;
    }
    if (same == path->mask)
        path->pc = target;
    else
        split(w, same, target, path->pc);
    return true;
}

/* BRA.DIV and BRA.CONV are for the whole path: a named lane that fails the guard is as good as
 * missing. `R2UR P1, URZ, R0; @!P1 BRA.DIV UR4` leaves the fast way where lanes name different
 * others, too. */
static void branch_by_presence(struct sass_warp *w, const struct sass_exec *op, uint32_t passed)
{
    struct emu_path *path = current(w);
    bool missing = named_lanes(w, op, path->mask) & w->base.live & ~passed;
    path->pc = (op->mode == SASS_DO_BRANCH_DIV) == missing ? op->target : path->pc + 1;
}

static void set_group(struct sass_warp *w, unsigned barrier, uint32_t mask)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        w->convergence[barrier][lowest_bit32(rest)] = mask;
}

static void leave_group(struct sass_warp *w, unsigned barrier, uint32_t mask)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t group = w->convergence[barrier][lowest_bit32(rest)];
        for (uint32_t others = group; others; others &= others - 1)
            w->convergence[barrier][lowest_bit32(others)] &= ~mask;
    }
    recheck_convergence(w);
}

static void wait_converged(struct sass_warp *w, unsigned barrier)
{
    struct emu_path *path = current(w);
    path->pc++;
    path->state = SASS_AT_BSYNC;
    path->barrier = (uint8_t)barrier;
    open_convergence(w, barrier, false);
}

/* Lanes of the path that name the same others as the first; those that do not execute the
 * instruction again, by themselves. */
static uint32_t part_by_name(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint32_t named = named_lanes(w, op, mask), same = 0;
    if (op->a == SASS_NO_ROW)
        return mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (sass_row(w, op->a)[lowest_bit32(rest)] == named)
            same |= rest & (0 - rest);
    if (same != mask)
        split(w, same, current(w)->pc, current(w)->pc);
    return same;
}

/* All lanes that any lane of the path names are in the path: nobody waits, and lanes that name
 * different others stay together. An H200 executes what follows once, whatever the groups
 * (`__syncwarp` and `__shfl_sync` in groups of `__match_any_sync`); where each group needs its own
 * turn, for a vote or a reduction, the compiler writes .EXCLUSIVE. */
static bool meet_already(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint32_t named = op->a == SASS_NO_ROW ? (uint32_t)op->imm : 0;
    for (uint32_t rest = op->a == SASS_NO_ROW ? 0 : mask; rest; rest &= rest - 1)
        named |= sass_row(w, op->a)[lowest_bit32(rest)];
    return !(named & w->base.live & ~mask);
}

static void wait_named(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    if (op->mode == SASS_DO_WARPSYNC && !op->mode2 && meet_already(w, op, mask)) {
        current(w)->pc++;
        return;
    }
    mask = part_by_name(w, op, mask);
    struct emu_path *path = current(w);
    path->wait_mask = named_lanes(w, op, mask);
    path->barrier = 0;
    bool collective = op->mode == SASS_DO_COLLECTIVE;
    for (uint32_t rest = collective ? mask : 0; rest; rest &= rest - 1)
        w->return_pc[lowest_bit32(rest)] = op->target;
    path->pc++;
    path->state = collective ? SASS_AT_COLLECTIVE : SASS_AT_WARPSYNC;
    while (open_warpsync(w, false))
        ;
}

/* Lanes of a collective go on where the instruction that brought each of them says. */
static void end_collective(struct sass_warp *w)
{
    struct emu_path path = *current(w);
    w->base.n_paths--;
    for (uint32_t rest = path.mask; rest;) {
        uint32_t pc = w->return_pc[lowest_bit32(rest)], same = 0;
        for (uint32_t others = rest; others; others &= others - 1)
            if (w->return_pc[lowest_bit32(others)] == pc)
                same |= others & (0 - others);
        push_path(w, pc, same);
        rest &= ~same;
    }
}

/* Lanes that have yielded meet others that have at the same place. */
static void join_yielded(struct sass_warp *w)
{
    for (uint32_t i = w->base.n_paths - 1; i-- > 0;) {
        const struct emu_path *other = &w->base.paths[i], *path = current(w);
        if (other->state != EMU_RUNNABLE || other->pc != path->pc || other->mask & ~w->yielded)
            continue;
        current(w)->mask |= other->mask;
        emu_path_remove(&w->base, i);
    }
}

/* Nobody waits at a convergence barrier for lanes that have yielded inside its region and not gone
 * on: a lane whose swap has taken leaves those behind that swap again, and comes back to them at
 * their YIELD (cas_probe.cu, sum: of one warp 14 instructions a lane and turn, the 8 around the
 * loop of swaps among them, and as many lanes swap as still have turns). */
static void yield(struct sass_warp *w, const struct sass_exec *op)
{
    struct emu_path *path = current(w);
    path->pc++;
    if (w->base.n_paths < 2)
        return;
    w->yielded |= path->mask;
    for (uint32_t rest = path->mask; rest; rest &= rest - 1)
        w->yielded_in[lowest_bit32(rest)] = op->mode2;
    join_yielded(w);
    emu_paths_rotate(&w->base);
    recheck_convergence(w);
}

static bool arrive(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    const struct sass_bar *bar = op->extra;
    struct emu_path *path = current(w);
    unsigned lane = lowest_bit32(mask);
    struct emu_arrival arrival = {.id = sass_row(w, op->a)[lane] & 15, .mask = mask};
    if (bar->threads != SASS_NO_ROW)
        arrival.expected = sass_row(w, bar->threads)[lane] >> (bar->packed ? 16 : 0);
    arrival.reduces = bar->reduce != SASS_BAR_NONE;
    arrival.yes = arrival.reduces ? sass_pred(w, op->ps) & mask : 0;
    path->pc++;
    if (!bar->arrive) {
        path->state = EMU_AT_BARRIER;
        path->barrier = (uint8_t)arrival.id;
    }
    return emu_barrier_arrive(&w->base, &op->site, &arrival);
}

static void count(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    w->base.block->instructions++;
    w->base.block->thread_instructions += emu_lane_count(mask);
    if (w->base.block->watched)
        emu_record(&w->base, &op->site, mask);
}

/* Instructions that only some lanes of the path execute, but that all of those together must: the
 * others go on by themselves. */
static bool needs_split(const struct sass_exec *op)
{
    switch (op->mode) {
    case SASS_DO_JUMP:
    case SASS_DO_BSYNC:
    case SASS_DO_WARPSYNC:
    case SASS_DO_COLLECTIVE:
    case SASS_DO_BAR:
        return true;
    default:
        return false;
    }
}

/* False: the turn of this path is over. */
static bool control_masked(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    struct emu_path *path = current(w);
    switch (op->mode) {
    case SASS_DO_JUMP:
        return jump(w, op, mask);
    case SASS_DO_EXIT:
        exit_lanes(w, mask);
        return false;
    case SASS_DO_BSSY:
        set_group(w, op->mode2, mask);
        break;
    case SASS_DO_BSYNC:
        wait_converged(w, op->mode2);
        return false;
    case SASS_DO_BREAK:
        path->pc++;
        leave_group(w, op->mode2, mask);
        return false;
    case SASS_DO_WARPSYNC:
    case SASS_DO_COLLECTIVE:
        wait_named(w, op, mask);
        return false;
    case SASS_DO_END_COLLECTIVE:
        end_collective(w);
        return false;
    case SASS_DO_BAR:
        if (!arrive(w, op, mask))
            return false;
        return current(w)->state == EMU_RUNNABLE;
    case SASS_DO_YIELD:
        yield(w, op);
        return false;
    default:
        emu_fail(&w->base, &op->site, lowest_bit32(mask), STRATA_EFORMAT, "the kernel trapped");
        return false;
    }
    path->pc++;
    return true;
}

/* Lanes for which the jump, exit or wait happens: `@P0 EXIT P1` is for lanes that have both, and a
 * branch may have a uniform predicate besides. A barrier's predicate is what it reduces. */
static uint32_t concerned(const struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    if (op->mode == SASS_DO_BAR || (op->ps == SASS_PRED_TRUE && op->ps2 == SASS_PRED_TRUE))
        return mask;
    return mask & sass_pred(w, op->ps) & sass_pred(w, op->ps2);
}

static bool control(struct sass_warp *w, const struct sass_exec *op, uint32_t guard)
{
    struct emu_path *path = current(w);
    uint32_t mask = concerned(w, op, guard);
    if (mask && mask != path->mask && needs_split(op)) {
        split(w, mask, path->pc, path->pc + 1);
        path = current(w);
    }
    count(w, op, guard);
    if (op->mode == SASS_DO_BRANCH) {
        branch(w, op, mask);
        return true;
    }
    if (op->mode == SASS_DO_BRANCH_DIV || op->mode == SASS_DO_BRANCH_CONV) {
        branch_by_presence(w, op, mask);
        return true;
    }
    if (!mask) {
        path->pc++;
        return true;
    }
    return control_masked(w, op, mask);
}

/* ---- the loop ---- */

/* A path that polls in vain lets its siblings run. */
static enum emu_turn give_way(struct sass_warp *w)
{
    if (!w->base.takes)
        emu_paths_rotate(&w->base);
    return emu_give_way(&w->base);
}

static uint32_t guarded(const struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    return op->guard == SASS_PRED_TRUE ? mask : mask & sass_pred(w, op->guard);
}

/* False: it leaves work to others, and comes again. */
static bool step_access(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    struct emu_block *block = w->base.block;
    if (mask)
        op->run(w, op, mask);
    if (w->base.takes)
        return false;
    block->instructions++;
    block->thread_instructions += emu_lane_count(mask);
    block->memory_instructions++;
    if (block->watched)
        emu_record_access(&w->base, &op->site, mask);
    return true;
}

/* Asks whether the lanes may go on; those that may not ask again after the next event. */
static bool wait_step(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    uint32_t events = w->base.block->events;
    w->base.must_wait = false;
    op->run(w, op, mask);
    if (!w->base.must_wait)
        return true;
    emu_path_wait(&w->base, events);
    return false;
}

/* Instructions that record themselves. False: the path waits. */
static bool self_step(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    struct emu_block *block = w->base.block;
    if (!mask) {
        count(w, op, mask);
        return true;
    }
    if (op->flow == SASS_SELF)
        op->run(w, op, mask);
    else if (!wait_step(w, op, mask))
        return false;
    block->instructions++;
    block->thread_instructions += emu_lane_count(mask);
    block->memory_instructions++;
    return true;
}

/* After a turn that is over the other paths follow, but only behind a branch: uniform registers are
 * the warp's, and the code between a result in one and its use counts on not being parted (REDUX
 * before BRA.CONV). */
static bool steps_back(struct sass_warp *w)
{
    bool owes = w->owes_turn && w->base.n_paths > 1;
    w->owes_turn = false;
    if (owes)
        emu_paths_rotate(&w->base);
    return owes;
}

/* Without clocks nobody knows who loads first; blocks that run by time come in order anyway. */
static bool meets(const struct sass_warp *w, const struct sass_exec *op)
{
    if (op->site.waits && w->base.block->run->by_time)
        return false;
    return op->swaps || (op->loads_for_swap && w->base.clock);
}

/* Runs the current path until it ends, waits, gives way or the budget is used up. */
static enum emu_turn run_path(struct sass_warp *w, uint64_t *budget)
{
    struct emu_block *block = w->base.block;
    const struct sass_exec *code = w->image->code;
    struct emu_path *path = current(w);
    while (*budget) {
        const struct sass_exec *op = &code[path->pc];
        uint32_t mask = guarded(w, op, path->mask);
        w->base.pc = path->pc;
        --*budget;
        if (op->flow == SASS_STEP) {
            if (op->uniform) {
                if (mask)
                    op->run(w, op, EMU_FULL);
            } else {
                op->run(w, op, mask);
            }
            block->instructions++;
            block->thread_instructions += emu_lane_count(mask);
            if (block->watched)
                emu_record(&w->base, &op->site, mask);
            path->pc++;
        } else if (op->flow == SASS_ACCESS) {
            if (mask && emu_clock_comes_later(&w->base, &op->site))
                return EMU_TURN_OVER;
            if (meets(w, op) && mask && emu_meets_others(&w->base, op->site.record))
                return EMU_TURN_MEETS;
            if (!step_access(w, op, mask))
                return give_way(w);
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
            if (w->base.waits)
                return give_way(w);
        } else if (op->flow == SASS_CHECKED) {
            if (mask)
                op->run(w, op, mask);
            count(w, op, mask);
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
        } else if (op->flow == SASS_SELF || op->flow == SASS_WAITS) {
            if (!self_step(w, op, mask))
                return block->failed ? EMU_TURN_FAILED : EMU_TURN_BLOCKED;
            path->pc++;
            if (block->failed)
                return EMU_TURN_FAILED;
            if (w->base.waits)
                return give_way(w);
        } else {
            bool on = control(w, op, mask);
            if (block->failed)
                return EMU_TURN_FAILED;
            if (!on || !w->base.n_paths || current(w)->state != EMU_RUNNABLE)
                return EMU_TURN_BLOCKED;
            if (steps_back(w))
                return EMU_TURN_BLOCKED;
            path = current(w);
        }
    }
    return EMU_TURN_OVER;
}

enum emu_turn sass_warp_run(struct sass_warp *w, uint64_t budget)
{
    while (emu_path_choose(&w->base)) {
        w->yielded &= ~current(w)->mask;
        enum emu_turn turn = run_path(w, &budget);
        if (turn == EMU_TURN_FAILED || turn == EMU_TURN_SPUN || turn == EMU_TURN_POLLED ||
            turn == EMU_TURN_MEETS || turn == EMU_TURN_TAKES)
            return turn;
        if (turn == EMU_TURN_OVER) {
            w->owes_turn = w->base.n_paths > 1;
            return EMU_TURN_OVER;
        }
    }
    return w->base.live ? EMU_TURN_BLOCKED : EMU_TURN_DONE;
}
