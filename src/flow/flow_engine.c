/* flow_engine.c - building the SMs of a launch, and its blocks. */
#include "flow/flow_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/bug.h"
#include "base/large_pages.h"
#include "flow/flow_waits.h"
#include "flow/issue.h"
#include "sm/block_rate.h"
#include "sm/cluster_rules.h"
#include "sm/first_sms.h"
#include "sm/warp_rules.h"

/* ---- setting up ---- */

static strata_status no_memory(struct flow_engine *e, struct strata_error *err)
{
    flow_engine_release(e);
    return strata_no_memory(err, NULL, "for the resident warps of a launch");
}

/* Memory from the start of a line of the machine's cache on; *memory is to be freed. */
static void *whole_lines(size_t n, size_t bytes, void **memory)
{
    *memory = malloc(n * bytes + FLOW_LINE_BYTES);
    char *p = *memory;
    return p ? p + (FLOW_LINE_BYTES - (uintptr_t)p % FLOW_LINE_BYTES) % FLOW_LINE_BYTES : NULL;
}

static strata_status init_schedulers(struct flow_engine *e, struct strata_error *err)
{
    uint32_t per_sm = e->schedulers_per_sm;
    e->n_schedulers = e->memory.n_sms * per_sm;
    e->scheduler = whole_lines(e->n_schedulers, sizeof *e->scheduler, &e->scheduler_memory);
    if (!e->scheduler)
        return no_memory(e, err);
    memset(e->scheduler, 0, e->n_schedulers * sizeof *e->scheduler);
    e->n_due = (uint32_t)round_up(e->slots_per_sm / per_sm, FLOW_DUE_TOGETHER);
    e->unit_ahead = e->gpu->sm.lsu_queue_cycles;
    for (uint32_t i = 0; i < e->n_schedulers; i++) {
        const struct hierarchy_sm *p = &e->memory.sm[i / per_sm];
        e->scheduler[i].unit = e->unit_ahead ? &p->unit.queue : &p->mshr_wait_until;
        memset(e->scheduler[i].slot_due, 255, sizeof e->scheduler[i].slot_due);
        e->scheduler[i].sm = i / per_sm;
        e->scheduler[i].first_warp = i / per_sm * e->slots_per_sm + i % per_sm;
    }
    return STRATA_OK;
}

/* Most launches of a program are far smaller than the GPU: of 10 MB of warps, those of a place are
 * set up when it gets its first block. */
static void set_up_warps(struct flow_engine *e, uint32_t first)
{
    memset(&e->warp[first], 0, e->warps_per_block * sizeof *e->warp);
    uint32_t per_sm = e->schedulers_per_sm;
    for (uint32_t w = first; w < first + e->warps_per_block; w++) {
        uint32_t slot = w % e->slots_per_sm;
        e->warp[w].scheduler = w / e->slots_per_sm * per_sm + slot % per_sm;
        e->warp[w].slot = (uint8_t)(slot / per_sm);
        e->warp[w].groups = &e->groups[w];
        cursor_lend(&e->warp[w].cursor, &e->cursor_memory[w]);
    }
}

static bool init_wheel(struct flow_engine *e)
{
    uint32_t per_sm = e->schedulers_per_sm, n_schedulers = e->memory.n_sms * per_sm,
             slots = e->slots_per_sm / per_sm;
    while (slots + FLOW_UNITS > 1u << e->slot_bits)
        e->slot_bits++;
    e->first_unit = slots;
    e->first_cycle = n_schedulers << e->slot_bits;
    e->now_mask = 1;
    while (e->now_mask < e->first_cycle) /* each is in the ring once at most */
        e->now_mask = 2 * e->now_mask + 1;
    e->now_due = malloc(((size_t)e->now_mask + 1) * sizeof *e->now_due);
    e->wheel_next = calloc((size_t)e->first_cycle + FLOW_WHEEL_SLOTS, sizeof *e->wheel_next);
    e->wheel_last = calloc(FLOW_WHEEL_SLOTS, sizeof *e->wheel_last);
    e->wheel_used = calloc(FLOW_WHEEL_SLOTS, sizeof *e->wheel_used);
    if (!e->wheel_next || !e->wheel_last || !e->wheel_used || !e->now_due)
        return false;
    for (uint32_t at = 0; at < FLOW_WHEEL_SLOTS; at++)
        e->wheel_last[at] = e->wheel_next[e->first_cycle + at] = e->first_cycle + at;
    return true;
}

static strata_status init_arrays(struct flow_engine *e, struct strata_error *err)
{
    uint32_t n = e->memory.n_sms, per_sm = e->gpu->sm.schedulers ? e->gpu->sm.schedulers : 1;
    e->schedulers_per_sm = per_sm;
    e->warps_per_block = strata_launch_warps_per_block(e->launch);
    e->slots_per_sm = sm_warp_slots(e->warps_per_block, e->occupancy.blocks_per_sm, per_sm);
    e->block = calloc((size_t)n * e->occupancy.blocks_per_sm, sizeof *e->block);
    e->n_warps = n * e->slots_per_sm;
    e->warp = whole_lines(e->n_warps, sizeof *e->warp, &e->warp_memory);
    large_pages_wish(e->warp, e->n_warps * sizeof *e->warp);
    e->groups = malloc(e->n_warps * sizeof *e->groups); /* set up when a warp first asks */
    e->cursor_memory = malloc(e->n_warps * sizeof *e->cursor_memory);
    e->window = e->ordered ? calloc(e->n_warps, sizeof *e->window) : NULL;
    e->fetch = calloc(n, sizeof *e->fetch);
    e->barrier_out64 = calloc(n, sizeof *e->barrier_out64);
    e->barrier_64ths = (uint32_t)(64 * e->gpu->sm.barrier_warp_cycles + 0.5);
    e->barrier_block_64ths = (uint32_t)(64 * e->gpu->sm.barrier_block_cycles + 0.5);
    e->sm_start = calloc(n, sizeof *e->sm_start);
    e->sm_next_start = calloc(n, sizeof *e->sm_next_start);
    e->sm_busy = calloc(n, sizeof *e->sm_busy);
    e->multiplies = calloc(n, sizeof *e->multiplies);
    e->sm_resident = calloc(n, sizeof *e->sm_resident);
    if (!e->block || !e->warp || !e->groups || !e->cursor_memory || (e->ordered && !e->window) ||
        !e->fetch || !e->barrier_out64 || !e->sm_start || !e->sm_next_start || !e->sm_busy ||
        !e->multiplies || !e->sm_resident || !flow_async_init(e) || !init_wheel(e))
        return no_memory(e, err);
    for (uint32_t s = 0; s < n; s++) {
        strata_status st = fetch_sm_init(&e->fetch[s], &e->fetch_all, err);
        if (st != STRATA_OK)
            return st;
        fetch_sm_place(&e->fetch[s], &e->fetch_all, s);
    }
    return init_schedulers(e, err);
}

strata_status flow_engine_init(struct flow_engine *e, const struct strata_gpu *gpu,
                               struct strata_reader *reader, uint64_t seed,
                               const struct flow_assembler *assembler,
                               struct strata_memory_state *state, struct strata_error *err)
{
    memset(e, 0, sizeof *e);
    e->gpu = gpu;
    e->slow_since = UINT64_MAX;
    e->reader = reader;
    e->launch = strata_reader_launch(reader);
    e->err = err;
    strata_status st = strata_occupancy_compute(gpu, e->launch, &e->occupancy, err);
    if (st != STRATA_OK)
        return st;
    sm_decoder_init(&e->decoder, gpu, strata_reader_code(reader), e->launch->isa);
    fetch_gpu_init(&e->fetch_all, gpu);
    e->ordered = assembler->schedule && e->launch->isa == STRATA_ISA_PTX;
    e->policy = sm_policy(e->gpu, e->launch->isa);
    if (e->ordered)
        st = sm_scheduler_init(&e->order, &e->decoder, e->launch->registers_per_thread,
                               assembler->unroll, err);
    if (st == STRATA_OK)
        st = hierarchy_init(&e->memory, gpu, e->launch, e->occupancy.l1_bytes, seed, state, err);
    e->state = state;
    if (st == STRATA_OK && state)
        st = warm_code_find(&e->memory, state, e->launch, &e->fetch_all, &e->code, err);
    if (st == STRATA_OK)
        st = strata_dispatcher_create_clusters(
            gpu, strata_launch_blocks(e->launch), e->occupancy.blocks_per_sm,
            sm_cluster_run(e->launch), NULL, &e->dispatcher, err);
    if (st == STRATA_OK)
        st = init_arrays(e, err);
    if (st != STRATA_OK)
        flow_engine_release(e);
    return st;
}

void flow_engine_release(struct flow_engine *e)
{
    reader_ahead_destroy(e->ahead);
    for (uint32_t b = 0; e->block && b < e->memory.n_sms * e->occupancy.blocks_per_sm; b++) {
        for (uint32_t k = 0; e->block[b].used && k < e->warps_per_block; k++) {
            strata_cursor_release(&e->warp[e->block[b].first_warp + k].cursor);
            if (e->window)
                sm_window_release(&e->window[e->block[b].first_warp + k]);
        }
        strata_block_destroy(e->block[b].data);
    }
    for (uint32_t s = 0; e->fetch && s < e->memory.n_sms; s++)
        fetch_sm_release(&e->fetch[s]);
    flow_async_release(e);
    flow_waits_destroy(e->waits);
    free(e->fetch);
    free(e->barrier_out64);
    free(e->block);
    free(e->warp_memory);
    free(e->groups);
    free(e->cursor_memory);
    free(e->window);
    free(e->register_memory);
    free(e->scheduler_memory);
    free(e->wheel_next);
    free(e->wheel_last);
    free(e->wheel_used);
    free(e->now_due);
    free(e->sm_start);
    free(e->sm_next_start);
    free(e->sm_busy);
    free(e->multiplies);
    free(e->sm_resident);
    flow_swaps_release(&e->swaps);
    strata_dispatcher_destroy(e->dispatcher);
    sm_decoder_release(&e->decoder);
    sm_scheduler_release(&e->order);
    hierarchy_release(&e->memory);
    memset(e, 0, sizeof *e);
}

/* ---- blocks ---- */

static void move_registers(struct sm_scoreboard *s, uint32_t *ready, uint32_t words)
{
    if (s->ready) /* of a warp that has run */
        memcpy(ready, s->ready, words * sizeof *ready);
    s->ready = ready;
}

/* Registers are numbered by the trace: their tables grow when a block brings a higher one. A warp's
 * are cleared when it starts. */
static strata_status grow_registers(struct flow_engine *e, uint32_t need)
{
    uint32_t cap = sm_register_words(need + need / 4), old = e->register_cap;
    void *memory;
    uint32_t *ready = whole_lines(e->n_warps, cap * sizeof *ready, &memory);
    if (!ready)
        return strata_no_memory(e->err, NULL, "for the registers of a warp");
    large_pages_wish(ready, (size_t)e->n_warps * cap * sizeof *ready);
    for (uint32_t b = 0; b < e->memory.n_sms * e->occupancy.blocks_per_sm; b++) {
        uint32_t first = e->block[b].first_warp, n = e->block[b].used ? e->warps_per_block : 0;
        for (uint32_t w = first; w < first + n; w++)
            move_registers(&e->warp[w].scoreboard, &ready[(size_t)w * cap], old);
    }
    free(e->register_memory);
    e->register_memory = memory;
    e->register_ready = ready;
    e->register_cap = cap;
    return STRATA_OK;
}

static strata_status size_registers(struct flow_engine *e, struct flow_warp *w)
{
    uint32_t need = e->ordered ? sm_scheduler_registers(&e->order) : e->decoder.max_register + 1;
    uint32_t words = sm_register_words(need);
    strata_status st = words > e->register_cap ? grow_registers(e, need) : STRATA_OK;
    if (st != STRATA_OK)
        return st;
    size_t at = (size_t)(w - e->warp) * e->register_cap;
    w->scoreboard.ready = &e->register_ready[at];
    /* A warp runs code that was known when its block was read: higher registers are not its own. */
    memset(w->scoreboard.ready, 0, words * sizeof *w->scoreboard.ready);
    if (e->waits && !flow_waits_start(e->waits, (uint32_t)(w - e->warp), e->register_cap))
        return strata_no_memory(e->err, NULL, "for the registers of a warp");
    return STRATA_OK;
}

static strata_status start_warp(struct flow_engine *e, uint32_t index, uint32_t block, uint32_t k,
                                uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    struct flow_block *b = &e->block[block];
    strata_status st = strata_cursor_init(&w->cursor, b->data, k, e->err);
    if (st == STRATA_OK)
        st = size_registers(e, w);
    if (st != STRATA_OK)
        return st;
    w->block = block;
    w->number = (uint8_t)k;
    e->next_age += k ? 0 : SM_AGES_A_BLOCK;
    sm_turns_begin(&e->scheduler[w->scheduler].turns, w->slot, e->next_age + k);
    w->at_barrier = false;
    w->last_issue = t;
    w->since_data = SM_LONG_AFTER_DATA;
    w->queued_cycles = 0;
    w->scoreboard.predicate_ready = 0;
    w->scoreboard.barriers = (struct sm_barriers){0};
    w->has_groups = false;
    w->sleeps = FLOW_AWAKE;
    w->fetch_line = UINT32_MAX;
    w->local_base = sm_local_base(e->gpu, index / e->slots_per_sm, index % e->slots_per_sm);
    if (e->window)
        sm_window_reset(&e->window[index]);
    st = flow_next_instruction(e, w);
    if (st != STRATA_OK)
        return st;
    if (w->has_next) {
        b->live_warps++;
        flow_next_ready(e, index, t + e->gpu->sm.min_issue_gap_cycles);
        flow_schedule_warp(e, index);
    }
    return STRATA_OK;
}

static strata_status next_block(struct flow_engine *e, struct strata_block **data)
{
    uint32_t n_code = 0;
    strata_status st = e->ahead ? reader_ahead_next(e->ahead, data, &n_code, e->err)
                                : strata_reader_next_ordered(e->reader, data, e->err);
    if (st != STRATA_OK)
        return st;
    st = e->ahead ? sm_decoder_update_to(&e->decoder, n_code, e->err)
                  : sm_decoder_update(&e->decoder, e->err);
    if (st == STRATA_OK && e->decoder.controlled)
        fetch_gpu_controlled(&e->fetch_all, e->gpu);
    return st;
}

/* The SM whose turn it is gets the next block of the trace; blocks come in order of their index. */
static strata_status start_block(struct flow_engine *e, uint32_t sm, uint64_t t)
{
    uint32_t place = sm * e->occupancy.blocks_per_sm, end = place + e->occupancy.blocks_per_sm;
    while (place < end && e->block[place].data)
        place++;
    STRATA_BUG_ON(place == end);
    struct strata_block *data;
    strata_status st = next_block(e, &data);
    if (st == STRATA_END) {
        e->blocks_over = true;
        return STRATA_OK;
    }
    if (st != STRATA_OK)
        return st;
    struct flow_block *b = &e->block[place];
    uint32_t nth = place - sm * e->occupancy.blocks_per_sm,
             first_warp = sm * e->slots_per_sm + nth * e->warps_per_block;
    if (!b->used)
        set_up_warps(e, first_warp);
    *b = (struct flow_block){.data = data,
                             .sm = sm,
                             .index = data->index,
                             .first_warp = first_warp,
                             .nth = nth,
                             .used = true};
    if (!e->sm_resident[sm]++)
        e->sm_start[sm] = t;
    e->resident_blocks++;
    uint32_t n = data->n_warps < e->warps_per_block ? data->n_warps : e->warps_per_block;
    for (uint32_t k = 0; k < n && st == STRATA_OK; k++)
        st = start_warp(e, flow_warp_index(e, b, k), place, k, t + (uint64_t)e->warps_apart * k);
    if (!flow_waves_go_on(e, t))
        e->blocks_over = true;
    if (st == STRATA_OK && !b->live_warps)
        st = flow_end_block(e, place, t);
    return st;
}

static uint64_t hand_out(struct flow_engine *e, uint64_t t)
{
    return block_rate_turn(e->gpu, &e->dispatch_free64, t);
}

static strata_status replace_block(struct flow_engine *e, uint32_t sm, uint64_t t)
{
    strata_status st = STRATA_OK;
    uint64_t block;
    t += e->gpu->launch.block_replace_cycles;
    if (strata_dispatcher_release(e->dispatcher, sm, &block))
        return start_block(e, sm, hand_out(e, t));
    while (st == STRATA_OK && !e->blocks_over &&
           strata_dispatcher_waiting(e->dispatcher, &block, &sm))
        st = start_block(e, sm, hand_out(e, t));
    return st;
}

strata_status flow_end_block(struct flow_engine *e, uint32_t place, uint64_t t)
{
    struct flow_block *b = &e->block[place];
    uint32_t sm = b->sm;
    if (b->stored)
        t = later_of(t, hierarchy_stores_left(&e->memory, sm, b->stored));
    strata_block_destroy(b->data);
    b->data = NULL;
    flow_async_block_ends(e, b);
    e->resident_blocks--;
    if (!--e->sm_resident[sm])
        e->sm_busy[sm] += t - e->sm_start[sm];
    uint64_t noted = block_rate_turn(e->gpu, &e->noted_free64, t);
    e->end_time = later_of(e->end_time, noted);
    return e->blocks_over ? STRATA_OK : replace_block(e, sm, noted);
}

/* How far apart the schedulers of each SM begin; where an SM has one block, the times of its misses
 * tell from the first on which of them join. */
static strata_status prepare_begin(struct flow_engine *e)
{
    uint32_t *sms, n_sms = e->memory.n_sms;
    uint64_t blocks = strata_launch_blocks(e->launch);
    strata_status st = sm_first_sms(e->gpu, blocks, &sms, e->err);
    for (uint32_t s = 0; st == STRATA_OK && sms && s < n_sms; s++) {
        fetch_sm_begins(&e->fetch[s], e->gpu, sms[address_map_gpc(e->gpu, s)]);
        e->memory.sm[s].leaving.timed = blocks <= n_sms;
    }
    if (st == STRATA_OK)
        free(sms);
    return st;
}

static strata_status first_wave(struct flow_engine *e)
{
    uint64_t block;
    uint32_t sm;
    strata_status st = STRATA_OK;
    while (st == STRATA_OK && !e->blocks_over &&
           strata_dispatcher_first(e->dispatcher, &block, &sm))
        st = start_block(e, sm,
                         block_rate_first(e->gpu, e->warps_per_block, &e->sm_next_start[sm],
                                          &e->dispatch_free64));
    e->warps_apart = e->gpu->launch.next_warp_cycles;
    return st;
}

strata_status flow_engine_run(struct flow_engine *e)
{
    e->is_watched = e->clock || e->waits;
    strata_status st = prepare_begin(e);
    if (st == STRATA_OK)
        st = first_wave(e);
    if (st == STRATA_OK)
        st = flow_turns_run(e);
    if (st != STRATA_OK)
        return st;
    for (uint32_t s = 0; s < e->memory.n_sms; s++)
        e->end_time = later_of(e->end_time, hierarchy_drain(&e->memory, s));
    if (e->resident_blocks)
        return strata_fail(e->err, STRATA_EFORMAT, e->launch->trace, 0, 0,
                           "%u blocks wait at a barrier that not all of their warps reach; `strata "
                           "check` tells where.",
                           e->resident_blocks);
    return STRATA_OK;
}
