/* probe_plan.c - which chases a modelled GPU runs: each path is dissected blindly first, then the
 * plain series of paper 002 are recorded around the sizes that were found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/machine.h"

enum { ELEMENT = 4, ROUNDS = 12, NOT_LRU_ROUNDS = 200, NOT_LRU_ROWS = 16000, MOST_STEPS = 160 };

struct plan {
    struct strata_model_target *t;
    struct strata_probe_set *out;
    struct strata_error *err;
    strata_status status;
};

static void out_of_memory(struct plan *p)
{
    p->status = strata_no_memory(p->err, NULL, "for a series");
}

static void start(struct plan *p, enum machine_path path)
{
    if (path == PATH_TLB || path == PATH_L2)
        machine_clear(p->t);
    else
        machine_launch(p->t);
}

static uint64_t steps_of(uint64_t array, uint64_t stride)
{
    return (array + stride - 1) / stride;
}

/* ---- chases ---- */

static void chase(struct plan *p, enum machine_path path, uint64_t array, uint64_t stride,
                  uint32_t warmup, uint64_t rows)
{
    char name[STRATA_SERIES_NAME];
    if (p->status != STRATA_OK)
        return;
    snprintf(name, sizeof name, "chase-%s-%llu-%llu%s", machine_path_name(path),
             (unsigned long long)stride, (unsigned long long)array, warmup ? "" : "-cold");
    if (strata_probe_find(p->out, name))
        return;
    struct strata_series *s = strata_probe_add(p->out, name, path == PATH_TLB ? "tlb" : "chase",
                                               machine_path_name(path), "step,index,latency");
    if (!s) {
        out_of_memory(p);
        return;
    }
    strata_series_set_parameter(s, "array_bytes", (double)array);
    strata_series_set_parameter(s, "stride_bytes", (double)stride);
    strata_series_set_parameter(s, "element_bytes", ELEMENT);
    strata_series_set_parameter(s, "warmup", warmup);
    start(p, path);
    uint64_t round = steps_of(array, stride), skip = warmup * round;
    for (uint64_t i = 0; i < skip + rows; i++) {
        uint64_t at = i % round * stride;
        uint32_t latency = machine_noise(p->t, machine_load_warm(p->t, path, at));
        double row[] = {(double)(i - skip), (double)(at / ELEMENT), latency};
        if (i >= skip && !strata_series_add_row(s, row)) {
            out_of_memory(p);
            return;
        }
    }
}

static void rounds(struct plan *p, enum machine_path path, uint64_t array, uint64_t stride,
                   uint32_t n)
{
    if (n > ROUNDS && n * steps_of(array, stride) > NOT_LRU_ROWS)
        n = ROUNDS + (uint32_t)(NOT_LRU_ROWS / steps_of(array, stride));
    chase(p, path, array, stride, 1, n * steps_of(array, stride));
}

/* ---- mean latencies ---- */

/* A step through the array that visits all of it in an order no prefetcher follows. */
static uint64_t jump(uint64_t round)
{
    uint64_t step = round * 618 / 1000 | 1;
    for (uint64_t a = round, b = step; b > 1 || a > 1;) { /* until both have no common factor */
        uint64_t t = b ? a % b : 0;
        if (!b) {
            a = round;
            b = step += 2;
            continue;
        }
        a = b;
        b = t;
    }
    return step;
}

static double mean_latency(struct plan *p, enum machine_path path, uint64_t array, uint64_t stride)
{
    uint64_t round = steps_of(array, stride), n = round * 3 > 2000 ? round * 3 : 2000;
    uint64_t step = path == PATH_L2 ? jump(round) % round : 1;
    double sum = 0;
    start(p, path);
    for (uint64_t i = 0; i < round + n; i++) {
        uint32_t latency =
            machine_noise(p->t, machine_load_warm(p->t, path, i * step % round * stride));
        sum += i >= round ? latency : 0;
    }
    return sum / (double)n;
}

static struct strata_series *averages(struct plan *p, enum machine_path path, const char *what)
{
    char name[STRATA_SERIES_NAME];
    snprintf(name, sizeof name, "average-%s-%s", machine_path_name(path), what);
    struct strata_series *s = strata_probe_add(p->out, name, "average", machine_path_name(path),
                                               "array_bytes,stride_bytes,latency");
    if (!s)
        out_of_memory(p);
    return s;
}

static double average(struct plan *p, enum machine_path path, struct strata_series *s,
                      uint64_t array, uint64_t stride)
{
    double row[] = {(double)array, (double)stride, mean_latency(p, path, array, stride)};
    if (!strata_series_add_row(s, row))
        out_of_memory(p);
    return row[2];
}

/* Latency against stride for two array sizes (Saavedra 1992), and against size at one stride (Wong
 * 2010). */
static void older_methods(struct plan *p, enum machine_path path,
                          const struct strata_cache_answer *a)
{
    struct strata_series *s = averages(p, path, "stride");
    for (uint64_t times = 1; s && times <= 4; times += 3)
        for (uint64_t stride = ELEMENT; stride <= times * a->size_bytes / 2; stride *= 2)
            average(p, path, s, times * a->size_bytes, stride);
    if (p->status != STRATA_OK || !(s = averages(p, path, "size")))
        return;
    uint64_t step = a->sector_bytes,
             most = a->size_bytes + (uint64_t)(a->n_sets + 2) * a->line_bytes;
    for (uint64_t array = a->size_bytes - 2 * step; array <= most && p->status == STRATA_OK;
         array += step)
        average(p, path, s, array, 8);
}

/* ---- the mapping of addresses to sets (paper 000, figure 5) ---- */

static bool sets_rows(struct plan *p, struct strata_series *s, uint64_t lines, uint64_t line_bytes,
                      uint64_t probe)
{
    machine_launch(p->t);
    for (uint64_t i = 0; i < lines; i++)
        machine_load_warm(p->t, PATH_L1, i * line_bytes);
    machine_load_warm(p->t, PATH_L1, probe * line_bytes);
    for (uint64_t i = 0; i < lines; i++) {
        double row[] = {(double)probe, (double)i,
                        machine_noise(p->t, machine_load_warm(p->t, PATH_L1, i * line_bytes))};
        if (!strata_series_add_row(s, row))
            return false;
    }
    return true;
}

static void sets_benchmark(struct plan *p, const struct strata_cache_answer *a)
{
    uint64_t lines = a->size_bytes / a->line_bytes;
    if (p->status != STRATA_OK || lines > 2048)
        return;
    struct strata_series *s =
        strata_probe_add(p->out, "sets-l1", "sets", "l1", "probe,index,latency");
    bool ok = s != NULL;
    if (ok) {
        strata_series_set_parameter(s, "array_bytes", (double)a->size_bytes);
        strata_series_set_parameter(s, "line_bytes", a->line_bytes);
    }
    for (uint32_t again = 0; ok && again < (a->is_lru ? 1 : 12);
         again++) { /* other victims each time, if not LRU */
        for (uint64_t i = 0; ok && i < 2 * a->n_sets; i++)
            ok = sets_rows(p, s, lines, a->line_bytes, lines + i);
        for (uint64_t bit = 1; ok && bit < (4ull << 20) / a->line_bytes;
             bit *= 2) /* single address bits */
            ok = bit < lines || sets_rows(p, s, lines, a->line_bytes, bit);
    }
    if (!ok)
        out_of_memory(p);
}

/* ---- paths ---- */

static void data_path(struct plan *p, enum machine_path path, const struct strata_cache_answer *a)
{
    uint64_t size = a->size_bytes, sector = a->sector_bytes;
    uint32_t per_line = a->line_bytes / a->sector_bytes, steps = (a->n_sets + 1) * per_line + 1;
    chase(p, path, size < 65536 ? size : 65536, ELEMENT, 0,
          (size < 65536 ? size : 65536) / ELEMENT);
    rounds(p, path, size, ELEMENT, 2);
    rounds(p, path, size + ELEMENT, ELEMENT, 4);
    for (uint32_t k = 0; k <= steps && k <= MOST_STEPS; k++)
        rounds(p, path, size + k * sector, sector, a->is_lru ? ROUNDS : NOT_LRU_ROUNDS);
    chase(p, path, size + a->line_bytes, a->line_bytes, 0,
          400 * steps_of(size + a->line_bytes, a->line_bytes));
    if (p->status == STRATA_OK && steps <= MOST_STEPS)
        older_methods(p, path, a);
}

/* One page more at a time until the second TLB misses everywhere. */
static void tlb_path(struct plan *p, const struct strata_cache_answer *a)
{
    uint64_t page = a->line_bytes, first = a->size_bytes / page;
    uint32_t after = 0;
    for (uint64_t n = first - 1; n <= first + 2; n++)
        rounds(p, PATH_TLB, n * page, page, NOT_LRU_ROUNDS);
    chase(p, PATH_TLB, (first + 1) * page, page, 0, 1500 * (first + 1));
    double reach = mean_latency(p, PATH_TLB, 8 * first * page, page), top = 0;
    for (uint64_t n = first + 3; n < 16 * first && after < 4 && p->status == STRATA_OK; n++) {
        rounds(p, PATH_TLB, n * page, page, 4 * ROUNDS);
        top = mean_latency(p, PATH_TLB, n * page, page);
        after += top >= 0.995 * reach;
    }
}

static void l2_path(struct plan *p)
{
    struct strata_series *s = averages(p, PATH_L2, "size");
    double dram = p->t->gpu.l2.hit_cycles + p->t->gpu.dram.access_cycles;
    uint32_t done = 0, sector = p->t->gpu.l2.cache.sector_bytes,
             stride = p->t->gpu.l2.cache.line_bytes;
    for (uint64_t array = 65536; s && p->status == STRATA_OK && done < 2 && array <= 512ull << 20;
         array += array / 8 / stride * stride)
        done += average(p, PATH_L2, s, array, stride) > 0.9 * dram;
    if (p->status == STRATA_OK)
        chase(p, PATH_L2, 16384, sector, 0, 16384 / sector);
}

static strata_status one_path(struct plan *p, enum machine_path path,
                              struct strata_dissection *adaptive)
{
    static const char *const section[] = {"l1", "readonly", "texture", "tlb.l1"};
    struct strata_prober prober;
    struct strata_dissect_options opt;
    struct strata_cache_answer *a = calloc(1, sizeof *a);
    if (!a)
        out_of_memory(p);
    strata_dissect_options_init(&opt);
    opt.seed = p->t->opt.seed;
    if (a && strata_model_target_prober(p->t, machine_path_name(path), &prober)) {
        p->status = strata_dissect_cache(&prober, &opt, a, p->err);
        if (p->status == STRATA_OK)
            p->status = strata_dissection_add_cache(adaptive, section[path], a, p->err);
        if (p->status == STRATA_OK && a->size.known) {
            if (path == PATH_TLB)
                tlb_path(p, a);
            else
                data_path(p, path, a);
            if (path == PATH_L1)
                sets_benchmark(p, a);
        }
    }
    free(a);
    return p->status;
}

strata_status strata_model_target_measure(struct strata_model_target *t,
                                          struct strata_probe_set *out,
                                          struct strata_dissection *adaptive,
                                          struct strata_error *err)
{
    struct plan p = {.t = t, .out = out, .err = err, .status = STRATA_OK};
    memset(out, 0, sizeof *out);
    snprintf(out->target, sizeof out->target, "model:%s", t->gpu.name);
    snprintf(out->card, sizeof out->card, "%.*s", (int)sizeof out->card - 1, t->gpu.description);
    out->sm_version = t->gpu.sm_version;
    out->sms = t->gpu.sm.count;
    out->clock_mhz = t->gpu.sm.clock_mhz;
    out->memory_clock_mhz = t->gpu.dram.clock_mhz;
    for (int path = PATH_L1; path <= PATH_TLB && p.status == STRATA_OK; path++)
        one_path(&p, (enum machine_path)path, adaptive);
    if (p.status == STRATA_OK && t->has_l2)
        l2_path(&p);
    strata_status (*const experiment[])(struct strata_model_target *, struct strata_probe_set *,
                                        struct strata_error *) = {
        experiment_mshr,     experiment_coalesce, experiment_l2_write,
        experiment_spectrum, experiment_shared,   experiment_throughput};
    for (size_t i = 0; i < sizeof experiment / sizeof experiment[0] && p.status == STRATA_OK; i++)
        p.status = experiment[i](t, out, err);
    return p.status;
}
