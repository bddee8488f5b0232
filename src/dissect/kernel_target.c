/* kernel_target.c - kernels in memory, a model that runs them, and chases that read its clock. */
#include "dissect/kernel_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE NO_REGISTER

enum { CHAIN = 2, FIRST_LOADED = 8, FIRST_SHARED = 40 };

/* ---- code ---- */

static struct generate_code code[K_N_ROWS] = {
    [K_CHAIN] = {"LDG.E", CHAIN, {CHAIN, NONE}},
    [K_AROUND] = {"LDG.E.STRONG.GPU", CHAIN, {CHAIN, NONE}},
    [K_READONLY] = {"LDG.E.CONSTANT", CHAIN, {CHAIN, NONE}},
    [K_TEXTURE] = {"TLD", CHAIN, {CHAIN, NONE}},
    [K_SHARED] = {"LDS", CHAIN, {CHAIN, NONE}},
    [K_WAIT] = {"IADD3", 3, {CHAIN, NONE}},
    [K_BARRIER] = {"BAR.SYNC", NONE, {NONE}},
    [K_EXIT] = {"EXIT", NONE, {NONE}},
#define LOADS(k)                                                                                   \
    [K_LOAD + 3 * (k)] = {"LDG.E", FIRST_LOADED + 3 * (k), {0, NONE}},                             \
                  [K_LOAD + 3 * (k) + 1] = {"LDG.E", FIRST_LOADED + 3 * (k) + 1, {0, NONE}},       \
                  [K_LOAD + 3 * (k) + 2] = {"LDG.E", FIRST_LOADED + 3 * (k) + 2, {0, NONE}},       \
                  [K_USE + (k)] = {"IADD3",                                                        \
                                   4,                                                              \
                                   {FIRST_LOADED + 3 * (k), FIRST_LOADED + 3 * (k) + 1,            \
                                    FIRST_LOADED + 3 * (k) + 2}},                                  \
                  [K_PUT + (k)] = {"STG.E", NONE, {0, FIRST_LOADED + (k), NONE}},                  \
                  [K_GET_SHARED + (k)] = {"LDS", FIRST_SHARED + (k), {0, NONE}},                   \
                  [K_PUT_SHARED + (k)] = {"STS", NONE, {0, FIRST_SHARED + (k), NONE}}
    LOADS(0),
    LOADS(1),
    LOADS(2),
    LOADS(3),
    LOADS(4),
    LOADS(5),
    LOADS(6),
    LOADS(7),
};

/* ---- one run ---- */

static void issued(void *context, uint64_t block, uint32_t warp, uint64_t cycle)
{
    struct kernel_target *t = context;
    t->first = cycle < t->first ? cycle : t->first;
    t->last = cycle > t->last ? cycle : t->last;
    if (block || warp || t->failed)
        return;
    if (t->n_times == t->cap_times) {
        size_t cap = t->cap_times ? 2 * t->cap_times : 4096;
        uint64_t *more = realloc(t->time, cap * sizeof *more);
        if (!more) {
            t->failed = true;
            return;
        }
        t->time = more;
        t->cap_times = cap;
    }
    t->time[t->n_times++] = cycle;
}

static strata_status run_trace(struct kernel_target *t, struct strata_trace *trace,
                               struct strata_result *result, struct strata_error *err)
{
    struct strata_reader *reader = NULL;
    const struct strata_clock_sink clock = {.context = t, .issued = issued};
    const struct strata_model_options opt = {
        .seed = t->seed + t->runs++, .threads = 1, .clock = &clock};
    t->n_times = 0;
    t->first = UINT64_MAX;
    t->last = 0;
    strata_status st = strata_reader_open(trace, 0, &reader, err);
    if (st == STRATA_OK)
        st = t->model->run(t->gpu, reader, &opt, result, err);
    strata_reader_close(reader);
    return st == STRATA_OK && t->failed ? strata_no_memory(err, NULL, "for the clock of a kernel")
                                        : st;
}

strata_status kernel_run(struct kernel_target *t, const struct kernel *k,
                         struct strata_result *result, struct strata_error *err)
{
    const struct generator g = {
        .kind = {.name = "dissect"}, .code = code, .n_code = K_N_ROWS, .warp = k->warp};
    const struct strata_launch launch = {.program = "dissect",
                                         .trace = "dissect",
                                         .kernel = "dissect",
                                         .id = 1,
                                         .grid = {k->blocks, 1, 1},
                                         .block = {k->warps * STRATA_WARP_SIZE, 1, 1},
                                         .registers_per_thread = 16,
                                         .shared_static_bytes = k->shared_bytes,
                                         .sm_version = t->gpu->sm_version,
                                         .isa = STRATA_ISA_SYNTHETIC};
    struct strata_trace *trace;
    struct strata_result own;
    strata_status st = generate_kernel(&g, &launch, k->context, &trace, err);
    if (st != STRATA_OK)
        return st;
    memset(&own, 0, sizeof own);
    st = strata_result_init(&own, strata_trace_launch(trace, 0), err);
    if (st == STRATA_OK)
        st = run_trace(t, trace, &own, err);
    if (result && st == STRATA_OK)
        *result = own;
    else
        strata_result_release(&own);
    strata_trace_close(trace);
    return st;
}

/* ---- chases (paper 002, section 4.2) ---- */

static void chase_warp(struct emitter *e)
{
    const struct kernel_target *t = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE] = {0};
    for (size_t i = 0; i < t->n_offsets; i++) {
        address[0] = array_base(0) + t->offset[i];
        emit_access(e, t->chased, 1, address);
    }
    emit(e, K_WAIT, 1);
    emit(e, K_EXIT, 1);
}

static strata_status visit(void *context, const uint64_t *offset, size_t n, uint32_t *latency,
                           struct strata_error *err)
{
    struct kernel_target *t = context;
    t->offset = offset;
    t->n_offsets = n;
    const struct kernel k = {.warp = chase_warp, .context = t, .blocks = 1, .warps = 1};
    strata_status st = kernel_run(t, &k, NULL, err);
    for (size_t i = 0; i < n && st == STRATA_OK; i++)
        latency[i] = (uint32_t)(t->time[i + 1] - t->time[i]);
    return st;
}

/* Where hits wait for translations too, pages stay within what the first TLB holds, as a person
 * would choose the arrays. */
static uint64_t reach_of(const struct strata_gpu *gpu)
{
    uint64_t reach = 128ull << 20;
    if (gpu->tlb.enabled && gpu->tlb.before_l1 && gpu->tlb.l1.size_bytes < reach)
        reach = gpu->tlb.l1.size_bytes;
    return reach;
}

static strata_status dissect_path(struct kernel_target *t, const char *path, uint32_t chased,
                                  struct strata_dissection *adaptive, struct strata_error *err)
{
    const struct strata_prober prober = {
        .context = t, .visit = visit, .reach_bytes = reach_of(t->gpu), .unit_bytes = 4};
    struct strata_dissect_options opt;
    struct strata_cache_answer *a = calloc(1, sizeof *a);
    if (!a)
        return strata_no_memory(err, NULL, "for a cache");
    strata_dissect_options_init(&opt);
    opt.seed = t->seed;
    t->chased = chased;
    strata_status st = strata_dissect_cache(&prober, &opt, a, err);
    if (st == STRATA_OK)
        st = strata_dissection_add_cache(adaptive, path, a, err);
    free(a);
    return st;
}

/* ---- the target ---- */

static void describe(const struct kernel_target *t, struct strata_probe_set *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->target, sizeof out->target, "%s:%s", t->model->name, t->gpu->name);
    snprintf(out->card, sizeof out->card, "%.*s", (int)sizeof out->card - 1, t->gpu->description);
    out->sm_version = t->gpu->sm_version;
    out->sms = t->gpu->sm.count;
    out->clock_mhz = t->gpu->sm.clock_mhz;
    out->memory_clock_mhz = t->gpu->dram.clock_mhz;
}

strata_status strata_kernel_target_measure(const struct strata_gpu *gpu, const char *model,
                                           uint64_t seed, struct strata_probe_set *out,
                                           struct strata_dissection *adaptive,
                                           struct strata_error *err)
{
    struct kernel_target t = {.gpu = gpu, .model = strata_model_find(model), .seed = seed};
    if (!t.model)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "there is no model \"%s\" to run kernels.", model);
    describe(&t, out);
    strata_status st = STRATA_OK;
    if (gpu->l1.enabled)
        st = dissect_path(&t, "l1", K_CHAIN, adaptive, err);
    if (st == STRATA_OK && gpu->readonly.cache.size_bytes)
        st = dissect_path(&t, "readonly", K_READONLY, adaptive, err);
    if (st == STRATA_OK && gpu->texture.cache.size_bytes)
        st = dissect_path(&t, "texture", K_TEXTURE, adaptive, err);
    if (st == STRATA_OK)
        st = kernel_experiments(&t, out, err);
    free(t.time);
    return st;
}
