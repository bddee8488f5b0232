/* reuse_profile.c - streams of lines at four scopes, put to one of three engines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>
#include <strata/reuse.h>

#include "base/bits.h"
#include "reuse/parallel.h"
#include "reuse/queue.h"

enum {
    REPLICAS = 8, /* independent samples: their spread is the error bound */
    STREAM_BUFFER = 4096,
    PARALLEL_BUFFER = 1 << 23 /* accesses put to the parallel engine at once */
};

struct stream {
    struct reuse_stack stack[REPLICAS]; /* one, unless sampled */
    uint64_t *line;
    size_t n;
    bool ready, used;
};

struct profile {
    const struct strata_gpu *gpu;
    struct strata_reuse_options opt;
    struct strata_coalescer coalescer;
    struct residents residents;
    struct stream *stream;
    uint32_t n_streams, n_replicas, unit_shift;
    size_t buffer;
    uint64_t accesses, threshold, streams, peak_bytes;
    struct reuse_histogram histogram[REPLICAS];
    uint32_t distance[STREAM_BUFFER];
};

void strata_reuse_options_init(struct strata_reuse_options *opt)
{
    *opt = (struct strata_reuse_options){
        .scope = STRATA_REUSE_SM, .threads = 1, .sample_rate = 0.1, .seed = 1};
}

/* ---- engines ---- */

static strata_status open_stream(struct profile *p, struct stream *s, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    s->line = malloc(p->buffer * sizeof *s->line);
    s->ready = true;
    for (uint32_t k = 0; k < p->n_replicas && st == STRATA_OK; k++)
        st = reuse_stack_init(&s->stack[k], err);
    if (st == STRATA_OK && !s->line)
        st = strata_no_memory(err, NULL, "for a stream of accesses");
    return st;
}

/* The sample: lines whose hash is below a threshold, split further into replicas. */
static strata_status flush_sampled(struct profile *p, struct stream *s, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    for (size_t i = 0; i < s->n && st == STRATA_OK; i++) {
        uint64_t hash = mix64(s->line[i] + p->opt.seed * 0x9e3779b97f4a7c15ull);
        if (hash > p->threshold)
            continue;
        uint32_t k = (uint32_t)(mix64(hash) % REPLICAS), distance;
        st = reuse_stack_touch(&s->stack[k], s->line[i], &distance, err);
        if (st == STRATA_OK)
            st = reuse_histogram_add(&p->histogram[k], &distance, 1, err);
    }
    return st;
}

static strata_status flush(struct profile *p, struct stream *s, bool last, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    if (p->opt.engine == STRATA_REUSE_SAMPLED) {
        st = flush_sampled(p, s, err);
    } else if (p->opt.engine == STRATA_REUSE_PARALLEL) {
        st = reuse_parallel_run(&s->stack[0], s->line, s->n, p->opt.threads, last, &p->histogram[0],
                                err);
    } else {
        st = reuse_stack_run(&s->stack[0], s->line, s->n, p->distance, err);
        if (st == STRATA_OK)
            st = reuse_histogram_add(&p->histogram[0], p->distance, s->n, err);
    }
    p->accesses += s->n;
    s->n = 0;
    return st;
}

static strata_status put(struct profile *p, uint32_t stream, uint64_t line,
                         struct strata_error *err)
{
    struct stream *s = &p->stream[stream];
    strata_status st = s->ready ? STRATA_OK : open_stream(p, s, err);
    if (st == STRATA_OK && s->n == p->buffer)
        st = flush(p, s, false, err);
    if (st == STRATA_OK)
        s->line[s->n++] = line;
    s->used = true;
    return st;
}

static void note_peak(struct profile *p)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->n_streams; i++)
        for (uint32_t k = 0; p->stream[i].ready && k < p->n_replicas; k++)
            bytes += reuse_stack_bytes(&p->stream[i].stack[k]);
    p->peak_bytes = bytes > p->peak_bytes ? bytes : p->peak_bytes;
}

/* Ends all streams; the same ones may begin again for other threads. */
static strata_status end_streams(struct profile *p, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    note_peak(p);
    for (uint32_t i = 0; i < p->n_streams && st == STRATA_OK; i++) {
        struct stream *s = &p->stream[i];
        if (!s->used)
            continue;
        st = flush(p, s, true, err);
        for (uint32_t k = 0; k < p->n_replicas; k++)
            reuse_stack_clear(&s->stack[k]);
        s->used = false;
        p->streams++;
    }
    return st;
}

/* ---- accesses ---- */

static strata_status put_request(struct profile *p, uint32_t stream, const struct strata_request *r,
                                 struct strata_error *err)
{
    if (p->opt.unit == STRATA_REUSE_LINE)
        return put(p, stream, r->line >> p->unit_shift, err);
    strata_status st = STRATA_OK;
    for (uint32_t m = r->sectors; m && st == STRATA_OK; m &= m - 1)
        st = put(p, stream, (r->line >> p->unit_shift) + lowest_bit32(m), err);
    return st;
}

static strata_status put_access(struct profile *p, uint32_t stream, const struct strata_winst *w,
                                uint64_t local_base, struct strata_error *err)
{
    struct strata_request request[STRATA_MAX_REQUESTS];
    unsigned n = strata_coalesce(&p->coalescer, w, local_base, request);
    strata_status st = STRATA_OK;
    for (unsigned i = 0; i < n && st == STRATA_OK; i++)
        st = put_request(p, stream, &request[i], err);
    return st;
}

/* Each lane is a stream of its own: no coalescing between threads. */
static strata_status put_lanes(struct profile *p, const struct strata_winst *w,
                               struct strata_error *err)
{
    uint64_t addr[STRATA_WARP_SIZE];
    strata_status st = STRATA_OK;
    strata_winst_addresses(w, addr);
    for (uint32_t m = w->mask; m && st == STRATA_OK; m &= m - 1) {
        uint32_t lane = lowest_bit32(m), width = w->inst->width_bytes ? w->inst->width_bytes : 1;
        uint64_t first = addr[lane] >> p->unit_shift,
                 last = (addr[lane] + width - 1) >> p->unit_shift;
        for (uint64_t at = first; at <= last && st == STRATA_OK; at++)
            st = put(p, lane, at, err);
    }
    return st;
}

static strata_status visit(void *context, uint32_t core, uint32_t warp,
                           const struct strata_winst *w, uint64_t now, struct queue_outcome *out,
                           struct strata_error *err)
{
    struct profile *p = context;
    (void)now;
    (void)out;
    return put_access(p, p->opt.scope == STRATA_REUSE_GPU ? 0 : core, w,
                      p->residents.warp[warp].local_base, err);
}

static void begin_nothing(void *context, uint32_t core, uint32_t warp)
{
    (void)context, (void)core, (void)warp;
}

/* Threads and warps are streams by themselves: one warp after another. */
static strata_status run_warps(struct profile *p, struct strata_error *err)
{
    struct residents *r = &p->residents;
    strata_status st = residents_fill(r, begin_nothing, NULL, err);
    bool any = true;
    while (st == STRATA_OK && any) {
        any = false;
        for (uint32_t i = 0; st == STRATA_OK && i < r->n_cores * r->places * r->warps_per_block;
             i++) {
            struct strata_winst w;
            if (!r->warp[i].live)
                continue;
            any = true;
            while (st == STRATA_OK && residents_next(r, i, &w))
                st = p->opt.scope == STRATA_REUSE_THREAD
                         ? put_lanes(p, &w, err)
                         : put_access(p, 0, &w, r->warp[i].local_base, err);
            if (st == STRATA_OK)
                st = end_streams(p, err);
            if (st == STRATA_OK && residents_end(r, i))
                st = residents_fill(r, begin_nothing, NULL, err);
        }
    }
    return st;
}

/* ---- results ---- */

/* Distances of a replica stand for REPLICAS / rate times as many lines. Where its lines were used
 * more or less often than the average, the difference is booked at distance 0 (SHARDS-adj). */
static double replica_ratio(const struct profile *p, uint32_t k, uint64_t size)
{
    double scale = REPLICAS / p->opt.sample_rate, expected = (double)p->accesses / scale;
    const struct reuse_histogram *h = &p->histogram[k];
    double least = ceil((double)size / scale);
    double misses = (double)reuse_histogram_misses(h, (uint64_t)least);
    double ratio = expected > 0 ? misses / expected : 0;
    return ratio > 1 ? 1 : ratio;
}

static void sampled_point(const struct profile *p, struct strata_reuse_point *point)
{
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < REPLICAS; k++) {
        double x = replica_ratio(p, k, point->size);
        sum += x;
        squares += x * x;
    }
    double mean = sum / REPLICAS, variance = (squares - sum * mean) / (REPLICAS - 1);
    point->miss_ratio = mean;
    point->bound =
        2.365 * sqrt((variance > 0 ? variance : 0) / REPLICAS); /* Student, 7 degrees, 95 % */
}

static void fill_curve(const struct profile *p, struct strata_reuse_profile *out, uint64_t longest)
{
    for (uint64_t size = 1; out->n_points < STRATA_REUSE_MAX_POINTS; size *= 2) {
        struct strata_reuse_point *point = &out->point[out->n_points++];
        point->size = size;
        if (p->n_replicas > 1)
            sampled_point(p, point);
        else if (p->accesses)
            point->miss_ratio =
                (double)reuse_histogram_misses(&p->histogram[0], size) / (double)p->accesses;
        if (size > longest)
            break;
    }
}

static void fill_profile(const struct profile *p, struct strata_reuse_profile *out)
{
    double scale = p->n_replicas > 1 ? REPLICAS / p->opt.sample_rate : 1;
    uint64_t longest = 0;
    memset(out, 0, sizeof *out);
    out->accesses = p->accesses;
    out->streams = p->streams;
    out->peak_bytes = p->peak_bytes;
    for (uint32_t k = 0; k < p->n_replicas; k++) {
        const struct reuse_histogram *h = &p->histogram[k];
        out->cold += (double)h->cold * scale / p->n_replicas;
        for (size_t d = 0; d < h->n; d++) {
            uint64_t real = (uint64_t)((double)d * scale);
            uint32_t b = real ? log2_floor(real) + 1 : 0;
            out->bucket[b].count += (double)h->count[d] * scale / p->n_replicas;
            if (h->count[d]) {
                longest = real > longest ? real : longest;
                out->n_buckets = b + 1 > out->n_buckets ? b + 1 : out->n_buckets;
            }
        }
    }
    for (uint32_t b = 0; b < out->n_buckets; b++) {
        out->bucket[b].from = b ? (uint64_t)1 << (b - 1) : 0;
        out->bucket[b].to = b ? ((uint64_t)1 << b) - 1 : 0;
    }
    fill_curve(p, out, longest);
}

static void release(struct profile *p)
{
    for (uint32_t i = 0; p->stream && i < p->n_streams; i++) {
        for (uint32_t k = 0; k < REPLICAS; k++)
            reuse_stack_release(&p->stream[i].stack[k]);
        free(p->stream[i].line);
    }
    for (uint32_t k = 0; k < REPLICAS; k++)
        reuse_histogram_release(&p->histogram[k]);
    free(p->stream);
    residents_release(&p->residents);
    free(p);
}

static strata_status prepare(struct profile *p, const struct strata_gpu *gpu,
                             struct strata_reader *reader, struct strata_error *err)
{
    struct residents_options placing = {.loads_only = p->opt.loads_only};
    bool line = p->opt.unit == STRATA_REUSE_LINE;
    if (!(p->opt.sample_rate > 0 && p->opt.sample_rate <= 1))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "A sampling rate of %g makes no sense; give one above 0 and up to 1.",
                           p->opt.sample_rate);
    strata_coalescer_init(&p->coalescer, gpu, strata_reader_launch(reader));
    p->unit_shift = line ? p->coalescer.line_shift : p->coalescer.sector_shift;
    p->threshold = p->opt.sample_rate >= 1
                       ? UINT64_MAX
                       : (uint64_t)(p->opt.sample_rate * 18446744073709551615.0);
    p->n_replicas = p->opt.engine == STRATA_REUSE_SAMPLED ? REPLICAS : 1;
    p->buffer = p->opt.engine == STRATA_REUSE_PARALLEL && p->opt.scope == STRATA_REUSE_GPU
                    ? PARALLEL_BUFFER
                    : STREAM_BUFFER;
    p->n_streams = p->opt.scope == STRATA_REUSE_SM       ? gpu->sm.count
                   : p->opt.scope == STRATA_REUSE_THREAD ? STRATA_WARP_SIZE
                                                         : 1;
    p->stream = calloc(p->n_streams, sizeof *p->stream);
    if (!p->stream)
        return strata_no_memory(err, NULL, "for the streams of accesses");
    return residents_init(&p->residents, gpu, reader, &placing, err);
}

strata_status strata_reuse_profile(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_reuse_options *opt,
                                   struct strata_reuse_profile *out, struct strata_error *err)
{
    struct profile *p = calloc(1, sizeof *p);
    if (!p)
        return strata_no_memory(err, NULL, "for a reuse profile");
    p->gpu = gpu;
    p->opt = *opt;
    strata_status st = prepare(p, gpu, reader, err);
    if (st == STRATA_OK)
        st = opt->scope <= STRATA_REUSE_WARP ? run_warps(p, err)
                                             : queue_run(&p->residents, visit, p, err);
    if (st == STRATA_OK)
        st = end_streams(p, err);
    if (st == STRATA_OK)
        fill_profile(p, out);
    release(p);
    return st;
}
