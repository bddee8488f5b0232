/* sim_engine.c - windows of time.
 *
 * In a window every SM with something due, and the memory side, work side by side on any thread:
 * nothing sent within a window can arrive in it (packet.h). Between windows one thread does what
 * concerns several of them, in order of time and SM: blocks that ended are replaced, packets are
 * exchanged, instruction lines and translations made known. */
#include "sim/sim_state.h"
#include "sim/sim_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "memory/l1_rules.h"
#include "sm/block_rate.h"
#include "sm/cluster_rules.h"
#include "sm/first_sms.h"
#include "sm/warp_rules.h"

/* ---- setting up ---- */

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the clocked model; model fewer launches at once (-j)");
}

static strata_status init_shared(struct sim_engine *e, struct strata_error *err)
{
    struct sim_shared *g = &e->shared;
    g->gpu = e->gpu;
    g->launch = strata_reader_launch(e->reader);
    g->ptx = g->launch->isa == STRATA_ISA_PTX;
    strata_status st = strata_occupancy_compute(e->gpu, g->launch, &g->occupancy, err);
    if (st != STRATA_OK)
        return st;
    sm_decoder_init(&g->decoder, e->gpu, strata_reader_code(e->reader), g->launch->isa);
    fetch_gpu_init(&g->fetch, e->gpu);
    strata_coalescer_init(&g->coalescer, e->gpu, g->launch);
    g->schedulers = e->gpu->sm.schedulers ? e->gpu->sm.schedulers : 1;
    g->warps_per_block = strata_launch_warps_per_block(g->launch);
    g->slots_per_sm = sm_warp_slots(g->warps_per_block, g->occupancy.blocks_per_sm, g->schedulers);
    g->sector_bytes = e->gpu->l1.cache.sector_bytes;
    uint32_t flit = e->gpu->xbar.flit_bytes ? e->gpu->xbar.flit_bytes : 32,
             rate = e->gpu->xbar.request_bytes_per_cycle_per_sm;
    g->out_64ths_per_flit = rate ? (64 * flit + rate / 2) / rate : 0;
    if (g->slots_per_sm > g->schedulers * SIM_MAX_SLOTS || g->slots_per_sm > 254 ||
        e->gpu->l1.cache.line_bytes > 128 || g->sector_bytes < 32)
        return strata_fail(err, STRATA_EUNSUPPORTED, e->gpu->name, 0, 0,
                           "The clocked model holds up to 254 warps of an SM and L1 lines of 32 to "
                           "128 bytes in sectors of at "
                           "least 32; take the flow model for this description.");
    return STRATA_OK;
}

/* Orders of instructions are made while SMs run, so every thread has its own. */
static strata_status init_orders(struct sim_engine *e, struct strata_error *err)
{
    enum { UNROLL = 4 }; /* rounds of a counted loop, as in the flow model */
    e->shared.ordered = e->shared.ptx;
    if (!e->shared.ordered)
        return STRATA_OK;
    e->order = calloc(e->threads, sizeof *e->order);
    if (!e->order)
        return no_memory(err);
    for (; e->n_orders < e->threads; e->n_orders++) {
        strata_status st = sm_scheduler_init(&e->order[e->n_orders], &e->shared.decoder,
                                             e->shared.launch->registers_per_thread, UNROLL, err);
        if (st != STRATA_OK)
            return st;
    }
    return STRATA_OK;
}

static strata_status init_sms(struct sim_engine *e, uint64_t seed, struct strata_error *err)
{
    e->n_sms = e->gpu->sm.count;
    e->sm = calloc(e->n_sms, sizeof *e->sm);
    e->busy = calloc(e->n_sms, sizeof *e->busy);
    e->bucket = calloc(e->window + 1, sizeof *e->bucket);
    if (!e->sm || !e->busy || !e->bucket)
        return no_memory(err);
    struct strata_cache_config l1 = l1_config(e->gpu, e->shared.occupancy.l1_bytes);
    strata_status st = cache_pool_create(&l1, e->n_sms, &e->l1_pool, err);
    e->shared.l1_pool = &e->l1_pool;
    for (uint32_t s = 0; s < e->n_sms && st == STRATA_OK; s++)
        st = sim_sm_init(&e->sm[s], &e->shared, s, seed, err);
    return st;
}

/* Copies to the device leave their end in the L2 where the description says so (paper 004, section
 * II). */
static void fill_from_host(struct sim_engine *e)
{
    const struct strata_event *v;
    for (size_t k = 0; e->gpu->l2.fill_on_memcpy && (v = strata_reader_event_before(e->reader, k));
         k++) {
        uint64_t kept =
            v->bytes < e->gpu->l2.cache.size_bytes ? v->bytes : e->gpu->l2.cache.size_bytes;
        if (v->kind == STRATA_EVENT_MEMCPY_HTOD)
            sim_memside_memcpy(e->memside, v->address + (v->bytes - kept), kept);
    }
}

strata_status sim_engine_init(struct sim_engine *e, const struct strata_gpu *gpu,
                              struct strata_reader *reader, const struct strata_model_options *opt,
                              struct strata_error *err)
{
    enum { LONGEST_WINDOW = 4096 };
    memset(e, 0, sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->work, NULL);
    pthread_cond_init(&e->done, NULL);
    e->gpu = gpu;
    e->reader = reader;
    e->threads = opt->threads && !opt->clock ? opt->threads : 1;
    e->shared.clock = opt->clock;
    e->memside_threads = e->threads > 2 ? e->threads / 2 : 1;
    strata_status st = init_shared(e, err);
    if (st == STRATA_OK)
        st = init_orders(e, err);
    if (st == STRATA_OK)
        st = sim_memside_create(gpu, opt->seed, &e->memside, err);
    if (st == STRATA_OK) {
        sim_memside_window(e->memside, e->shared.launch);
        fill_from_host(e);
        e->window = sim_memside_window_cycles(e->memside);
        e->window = e->window < 1 ? 1 : e->window > LONGEST_WINDOW ? LONGEST_WINDOW : e->window;
        st = strata_dispatcher_create_clusters(
            gpu, strata_launch_blocks(e->shared.launch), e->shared.occupancy.blocks_per_sm,
            sm_cluster_run(e->shared.launch), NULL, &e->dispatcher, err);
    }
    if (st == STRATA_OK)
        st = init_sms(e, opt->seed, err);
    if (st == STRATA_OK)
        st = sim_tlb2_init(&e->tlb, gpu, opt->seed, err);
    if (st == STRATA_OK)
        st = sim_state_begin(e, opt->state, opt->seed, err);
    if (st != STRATA_OK)
        sim_engine_release(e);
    return st;
}

static void stop_helpers(struct sim_engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->quit = true;
    pthread_cond_broadcast(&e->work);
    pthread_mutex_unlock(&e->lock);
    for (uint32_t i = 0; i < e->n_helpers; i++)
        pthread_join(e->helper[i], NULL);
    free(e->helper);
    e->helper = NULL;
    e->n_helpers = 0;
}

void sim_engine_release(struct sim_engine *e)
{
    stop_helpers(e);
    sim_state_release(e);
    for (uint32_t s = 0; e->sm && s < e->n_sms; s++)
        if (e->sm[s].shared)
            sim_sm_release(&e->sm[s]);
    cache_pool_release(&e->l1_pool);
    for (uint32_t i = 0; i < e->n_orders; i++)
        sm_scheduler_release(&e->order[i]);
    free(e->order);
    free(e->sm);
    free(e->busy);
    free(e->bucket);
    free(e->request);
    sim_notes_release(e);
    sim_tlb2_release(&e->tlb);
    sim_memside_destroy(e->memside);
    strata_dispatcher_destroy(e->dispatcher);
    sm_decoder_release(&e->shared.decoder);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->work);
    pthread_cond_destroy(&e->done);
    memset(e, 0, sizeof *e);
}

/* ---- blocks ---- */

/* The SM whose turn it is gets the next block of the trace; blocks come in order of their index. */
static strata_status start_block(struct sim_engine *e, uint32_t sm, uint64_t t,
                                 struct strata_error *err)
{
    struct strata_block *data;
    struct sim_sm *s = &e->sm[sm];
    strata_status st = strata_reader_next_ordered(e->reader, &data, err);
    if (st == STRATA_END) {
        e->blocks_over = true;
        return STRATA_OK;
    }
    if (st != STRATA_OK)
        return st;
    st = sm_decoder_update(&e->shared.decoder, err);
    if (st != STRATA_OK) {
        strata_block_destroy(data);
        return st;
    }
    for (uint32_t i = 0; i < e->n_orders; i++)
        sm_scheduler_registers(&e->order[i]); /* all agree on them from the first block on */
    s->order = e->order;
    e->blocks_started = data->index + 1;
    if (!s->resident++)
        s->start = t;
    e->resident_blocks++;
    return sim_sm_start(s, data, e->end, t, err);
}

static uint64_t dispatcher_turn(struct sim_engine *e, uint64_t t)
{
    return block_rate_turn(e->gpu, &e->dispatch_free64, t);
}

/* How far apart the schedulers of each SM begin; where an SM has one block, the times of its misses
 * tell from the first on which of them join. */
static strata_status prepare_begin(struct sim_engine *e, struct strata_error *err)
{
    uint32_t *sms;
    uint64_t blocks = strata_launch_blocks(e->shared.launch);
    strata_status st = sm_first_sms(e->gpu, blocks, &sms, err);
    for (uint32_t s = 0; st == STRATA_OK && sms && s < e->n_sms; s++) {
        fetch_sm_begins(&e->sm[s].fetch, e->gpu, sms[address_map_gpc(e->gpu, s)]);
        e->sm[s].lsu.leaving.timed = blocks <= e->n_sms;
    }
    if (st == STRATA_OK)
        free(sms);
    return st;
}

static strata_status first_wave(struct sim_engine *e, struct strata_error *err)
{
    uint64_t block;
    uint32_t sm;
    strata_status st = STRATA_OK;
    uint32_t warps = strata_launch_warps_per_block(e->shared.launch);
    while (st == STRATA_OK && !e->blocks_over &&
           strata_dispatcher_first(e->dispatcher, &block, &sm))
        st = start_block(
            e, sm, block_rate_first(e->gpu, warps, &e->sm[sm].next_start, &e->dispatch_free64),
            err);
    for (uint32_t s = 0; s < e->n_sms; s++)
        e->sm[s].warps_apart = e->gpu->launch.next_warp_cycles;
    return st;
}

static strata_status end_block(struct sim_engine *e, uint32_t sm, const struct sim_exit *x,
                               struct strata_error *err)
{
    struct sim_sm *s = &e->sm[sm];
    phase_barriers_forget(&s->async.barriers, &s->block[x->block].barriers);
    strata_block_destroy(s->block[x->block].data);
    s->block[x->block].data = NULL;
    e->resident_blocks--;
    s->left = sim_max(s->left, x->left);
    if (!--s->resident)
        s->busy += s->left - s->start;
    uint64_t block, noted = dispatcher_turn(e, x->time);
    e->end_time = sim_max(e->end_time, noted);
    uint64_t start = sim_max(noted + e->gpu->launch.block_replace_cycles, e->end);
    strata_status st = STRATA_OK;
    if (e->blocks_over)
        return STRATA_OK;
    if (strata_dispatcher_release(e->dispatcher, sm, &block))
        return start_block(e, sm, start, err);
    while (st == STRATA_OK && !e->blocks_over &&
           strata_dispatcher_waiting(e->dispatcher, &block, &sm))
        st = start_block(e, sm, start, err);
    return st;
}

/* Blocks that ended in the window, in order of time, then SM. A block without instructions ends as
 * it starts, so the search goes on until none is left. */
static strata_status replace_blocks(struct sim_engine *e, struct strata_error *err)
{
    for (;;) {
        uint32_t sm = UINT32_MAX;
        uint64_t first = UINT64_MAX;
        for (uint32_t s = 0; s < e->n_sms; s++)
            if (e->sm[s].n_exits && e->sm[s].exit[0].time < first) {
                first = e->sm[s].exit[0].time;
                sm = s;
            }
        if (sm == UINT32_MAX)
            return STRATA_OK;
        struct sim_sm *s = &e->sm[sm];
        struct sim_exit x = s->exit[0];
        memmove(&s->exit[0], &s->exit[1], --s->n_exits * sizeof s->exit[0]);
        strata_status st = end_block(e, sm, &x, err);
        if (st != STRATA_OK)
            return st;
    }
}

/* ---- packets ---- */

/* The requests that left in the window into one list by (time, SM, order of sending): counted by
 * cycle, then placed. */
static strata_status collect(struct sim_engine *e, struct strata_error *err)
{
    uint64_t length = e->end - e->begin;
    memset(e->bucket, 0, (length + 1) * sizeof *e->bucket);
    e->n_requests = 0;
    for (uint32_t s = 0; s < e->n_sms; s++)
        for (size_t i = 0; i < e->sm[s].n_outbox; i++)
            if (e->sm[s].outbox[i].time < e->end) {
                e->bucket[e->sm[s].outbox[i].time - e->begin + 1]++;
                e->n_requests++;
            }
    if (e->n_requests > e->cap_requests) {
        size_t cap = e->n_requests * 2;
        struct sim_packet *grown = realloc(e->request, cap * sizeof *grown);
        if (!grown)
            return no_memory(err);
        e->request = grown;
        e->cap_requests = cap;
    }
    for (uint64_t c = 1; c <= length; c++)
        e->bucket[c] += e->bucket[c - 1];
    for (uint32_t s = 0; s < e->n_sms; s++) {
        struct sim_sm *sm = &e->sm[s];
        size_t kept = 0;
        for (size_t i = 0; i < sm->n_outbox; i++) {
            struct sim_packet *p = &sm->outbox[i];
            if (p->time < e->end)
                e->request[e->bucket[p->time - e->begin]++] = *p;
            else
                sm->outbox[kept++] = *p;
        }
        sm->n_outbox = kept;
    }
    for (size_t i = 0; i < e->n_requests; i++)
        e->request[i].sequence = e->sm[e->request[i].sm].sequence++;
    return STRATA_OK;
}

/* Pages that missed the first level, in order of time and SM. */
static void translate(struct sim_engine *e)
{
    for (;;) {
        struct sim_tlb_request *next = NULL;
        uint32_t owner = 0;
        for (uint32_t s = 0; s < e->n_sms; s++)
            for (uint32_t i = 0; i < e->sm[s].tlb.n_requests; i++) {
                struct sim_tlb_request *r = &e->sm[s].tlb.request[i];
                if (r->ready == UINT64_MAX && (!next || r->asked < next->asked)) {
                    next = r;
                    owner = s;
                }
            }
        if (!next)
            return;
        next->ready = sim_max(sim_tlb2_ask(&e->tlb, next->page, next->asked), e->end);
        struct sim_sm *s = &e->sm[owner];
        s->due = next->ready < s->due ? next->ready : s->due;
    }
}

/* Requests that wait in the crossbar hold up the ports of their SM, and with them the load/store
 * unit. */
static void hold_ports(struct sim_engine *e)
{
    uint32_t limit = e->gpu->xbar.queue;
    for (uint32_t s = 0; limit && s < e->n_sms; s++) {
        uint32_t n = sim_memside_waiting(e->memside, s);
        if (n <= limit)
            continue;
        struct sim_lsu *u = &e->sm[s].lsu;
        u->miss_free = sim_max(u->miss_free, e->end + n - limit);
        u->out_free64 = sim_max(u->out_free64, (e->end + n - limit) * 64);
    }
}

/* SMs that share a port have taken it each for itself within a window: what they took together
 * keeps all of them from it. */
static void share_ports(struct sim_engine *e)
{
    uint32_t n = e->gpu->xbar.port_sms;
    for (uint32_t first = 0; n > 1 && first < e->n_sms; first += n) {
        uint32_t end = first + n < e->n_sms ? first + n : e->n_sms;
        uint64_t *port = &e->sm[first].lsu.port_free64;
        *port = sim_max(*port, e->begin * 64);
        for (uint32_t s = first; s < end; s++) {
            *port += e->sm[s].lsu.out_taken64;
            e->sm[s].lsu.out_taken64 = 0;
        }
        for (uint32_t s = first; s < end; s++)
            e->sm[s].lsu.out_free64 = sim_max(e->sm[s].lsu.out_free64, *port);
    }
}

/* Stores that wait for the slices hold up the load/store units behind them: else an SM would be
 * done with its stores long before the L2 is, and its loads would wait for them all. */
static void wait_for_slices(struct sim_engine *e)
{
    for (uint32_t s = 0; s < e->n_sms; s++) {
        uint64_t behind = sim_memside_behind(e->memside, s);
        e->sm[s].lsu.stores_taken = behind ? e->end + behind : 0;
    }
}

static strata_status exchange(struct sim_engine *e, struct strata_error *err)
{
    for (size_t i = 0; i < e->n_replies;
         i++) /* they are the memory side's until it is called again */
        sim_sm_deliver(&e->sm[e->reply[i].sm], &e->reply[i]);
    e->n_replies = 0;
    strata_status st = collect(e, err);
    if (st == STRATA_OK && e->n_requests)
        st = sim_memside_send(e->memside, e->request, e->n_requests, err);
    for (uint32_t s = 0; s < e->n_sms; s++)
        if (e->sm[s].fetch.n_asked)
            fetch_publish(&e->shared.fetch, &e->sm[s].fetch);
    if (e->tlb.enabled)
        translate(e);
    hold_ports(e);
    share_ports(e);
    wait_for_slices(e);
    if (st == STRATA_OK && !sim_notes_exchange(e))
        st = no_memory(err);
    return st;
}

/* ---- threads ---- */

/* Task 0 is the memory side, which takes longest and has threads of its own; the others are SMs. */
static void do_task(struct sim_engine *e, uint32_t task, uint32_t thread)
{
    if (task) {
        struct sim_sm *s = &e->sm[e->busy[task - 1]];
        s->order = e->order ? &e->order[thread] : NULL;
        sim_sm_run(s, e->end);
    } else
        e->memside_status = sim_memside_run(e->memside, e->end, e->memside_threads, &e->reply,
                                            &e->n_replies, &e->memside_error);
}

/* Takes tasks of the current round until none is left. Called with the lock held. */
static void work_round(struct sim_engine *e, uint32_t thread)
{
    enum { BATCH = 4 };
    while (e->next_task <= e->n_busy) {
        uint32_t first = e->next_task, n = first ? BATCH : 1;
        if (first + n > e->n_busy + 1)
            n = e->n_busy + 1 - first;
        e->next_task += n;
        e->running++;
        pthread_mutex_unlock(&e->lock);
        for (uint32_t i = 0; i < n; i++)
            do_task(e, first + i, thread);
        pthread_mutex_lock(&e->lock);
        e->running--;
    }
    if (!e->running)
        pthread_cond_signal(&e->done);
}

static void *help(void *arg)
{
    struct sim_engine *e = arg;
    uint64_t seen = 0;
    pthread_mutex_lock(&e->lock);
    uint32_t thread = ++e->n_started;
    for (;;) {
        while (e->round == seen && !e->quit)
            pthread_cond_wait(&e->work, &e->lock);
        if (e->quit)
            break;
        seen = e->round;
        work_round(e, thread);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

static void start_helpers(struct sim_engine *e)
{
    uint32_t n =
        e->threads - e->memside_threads; /* one thread of the memory side's is that of its task */
    e->helper = n ? calloc(n, sizeof *e->helper) : NULL;
    e->next_task = UINT32_MAX;
    while (e->helper && e->n_helpers < n &&
           !pthread_create(&e->helper[e->n_helpers], NULL, help, e))
        e->n_helpers++;
}

static void run_window(struct sim_engine *e)
{
    if (!e->n_helpers) {
        for (uint32_t task = 0; task <= e->n_busy; task++)
            do_task(e, task, 0);
        return;
    }
    pthread_mutex_lock(&e->lock);
    e->next_task = 0;
    e->round++;
    pthread_cond_broadcast(&e->work);
    work_round(e, 0);
    while (e->running)
        pthread_cond_wait(&e->done, &e->lock);
    e->next_task = UINT32_MAX;
    pthread_mutex_unlock(&e->lock);
}

/* ---- the loop ---- */

/* The next time anything happens anywhere; UINT64_MAX: all is done. Packets that have not left yet
 * keep the next window where it is. */
static uint64_t next_event(const struct sim_engine *e)
{
    uint64_t next = sim_memside_next(e->memside);
    for (uint32_t s = 0; s < e->n_sms; s++) {
        uint64_t due = e->sm[s].n_outbox ? e->end : e->sm[s].due;
        next = due < next ? due : next;
    }
    return next;
}

static strata_status check(struct sim_engine *e, struct strata_error *err)
{
    if (e->memside_status != STRATA_OK) {
        *err = e->memside_error;
        return e->memside_status;
    }
    for (uint32_t s = 0; s < e->n_sms; s++)
        if (e->sm[s].status != STRATA_OK) {
            *err = e->sm[s].error;
            return e->sm[s].status;
        }
    return STRATA_OK;
}

static strata_status one_window(struct sim_engine *e, struct strata_error *err)
{
    e->n_busy = 0;
    for (uint32_t s = 0; s < e->n_sms; s++)
        if (e->sm[s].due < e->end)
            e->busy[e->n_busy++] = s;
    e->windows++;
    run_window(e);
    strata_status st = check(e, err);
    if (st == STRATA_OK)
        st = exchange(e, err);
    if (st == STRATA_OK)
        st = check(e, err);
    return st == STRATA_OK ? replace_blocks(e, err) : st;
}

/* What must change for the launch to come nearer to its end. */
static uint64_t progress(const struct sim_engine *e)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < e->n_sms; s++)
        n += e->sm[s].count.n.instructions + e->sm[s].count.replies;
    return n;
}

/* No path of a valid description is this long: every latency ends at a million cycles of the SM, or
 * at ten thousand clocks of a DRAM that may be slower than the SM. */
static uint64_t longest_silence(const struct strata_gpu *g)
{
    uint64_t slowest = g->dram.clock_mhz;
    if (g->l2.clock_mhz && g->l2.clock_mhz < slowest)
        slowest = g->l2.clock_mhz;
    if (g->xbar.clock_mhz && g->xbar.clock_mhz < slowest)
        slowest = g->xbar.clock_mhz;
    uint64_t ratio = slowest ? ceil_div(g->sm.clock_mhz, slowest) : 1;
    return 20000000 * (ratio ? ratio : 1);
}

static strata_status watch(struct sim_engine *e, struct strata_error *err)
{
    uint64_t now = progress(e), flying = 0;
    if (now != e->watched_progress) {
        e->watched_progress = now;
        e->watched_since = e->end;
    }
    if (e->end - e->watched_since < longest_silence(e->gpu))
        return STRATA_OK;
    for (uint32_t s = 0; s < e->n_sms; s++)
        flying += e->sm[s].flying;
    return strata_fail(err, STRATA_ECONFIG, e->gpu->name, 0, 0,
                       "The clocked model has stopped at cycle %llu: for %llu cycles no "
                       "instruction was issued and no request answered; %u blocks and %llu "
                       "requests wait. The description's DRAM timings or queues leave no way on.",
                       (unsigned long long)e->watched_since,
                       (unsigned long long)longest_silence(e->gpu), e->resident_blocks,
                       (unsigned long long)flying);
}

strata_status sim_engine_run(struct sim_engine *e, struct strata_error *err)
{
    strata_status st = prepare_begin(e, err);
    if (st == STRATA_OK)
        st = first_wave(e, err);
    if (st == STRATA_OK)
        st = replace_blocks(e, err);
    start_helpers(e);
    uint64_t next;
    while (st == STRATA_OK && (next = next_event(e)) != UINT64_MAX) {
        e->begin = sim_max(e->end, next);
        e->end = e->begin + e->window;
        st = e->end > SM_TIME_MOST ? sm_time_over(e->shared.launch, err) : one_window(e, err);
        if (st == STRATA_OK && e->windows % 4096 == 0)
            st = watch(e, err);
    }
    stop_helpers(e);
    if (st != STRATA_OK)
        return st;
    uint64_t unanswered = 0;
    for (uint32_t s = 0; s < e->n_sms; s++) {
        e->end_time = sim_max(e->end_time, e->sm[s].last_ack);
        unanswered += e->sm[s].flying;
    }
    if (unanswered)
        return strata_fail(err, STRATA_EFORMAT, e->shared.launch->trace, 0, 0,
                           "The memory side has left %llu requests without an answer.",
                           (unsigned long long)unanswered);
    if (e->resident_blocks)
        return strata_fail(err, STRATA_EFORMAT, e->shared.launch->trace, 0, 0,
                           "%u blocks wait at a barrier that not all of their warps reach; `strata "
                           "check` tells where.",
                           e->resident_blocks);
    return STRATA_OK;
}
