/* training_data.c - the cells of the training set: sequences, profiles and labels, a file each. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/bits.h"
#include "learn/features.h"
#include "learn/sequence.h"
#include "learn/launch_profile.h"
#include "learn/set.h"
#include "learn/sim_labels.h"
#include "learn/visit_trace.h"

/* RULE is part of the provenance: a change of what a cell holds makes files of older rules again.
 */
enum {
    RULE = 8,
    LEAST_PEAKS = 2,
    MOST_PEAKS = 12,
    N_DISTANCES = 4,
    VARIANTS = 8,
    CACHES = 12,
    SIM_CACHES = 4, /* each is a run of the clocked model */
    INTERVALS = 3,
    LEAST_INTERVAL = 32
};
static const uint32_t max_distances[N_DISTANCES] = {16, 128, 1024, 4096};
enum {
    N_GRID = (MOST_PEAKS - LEAST_PEAKS + 1) * N_DISTANCES,
    N_CELLS = N_GRID + (LEARN_N_PATTERNS - LEARN_STREAM) * VARIANTS
};

void strata_learn_generate_options_init(struct strata_learn_generate_options *opt)
{
    *opt = (struct strata_learn_generate_options){
        .samples = 50, .seed = 1, .threads = 1, .timing = STRATA_LEARN_TIMING};
}

/* ---- a sample ---- */

struct cell {
    uint32_t index, pattern, peaks, max_distance;
    char name[48];
};

static void describe_cell(uint32_t index, struct cell *c)
{
    *c = (struct cell){.index = index};
    if (index < N_GRID) {
        c->peaks = LEAST_PEAKS + index / N_DISTANCES;
        c->max_distance = max_distances[index % N_DISTANCES];
        snprintf(c->name, sizeof c->name, "grid-%02u-%04u", c->peaks, c->max_distance);
    } else {
        c->pattern = LEARN_STREAM + (index - N_GRID) / VARIANTS;
        snprintf(c->name, sizeof c->name, "%s-%u", learn_pattern_name(c->pattern),
                 (index - N_GRID) % VARIANTS);
    }
}

static struct learn_random sample_random(uint64_t seed, uint32_t cell, uint32_t sample)
{
    return (struct learn_random){.seed = mix64(mix64(seed) + (uint64_t)cell * 1000003 + sample)};
}

static strata_status make_sequence(const struct cell *c, struct learn_random *r, uint64_t *line,
                                   struct strata_error *err)
{
    if (c->pattern == LEARN_PROFILE)
        return learn_sequence_make(line, LEARN_LENGTH, c->peaks, c->max_distance,
                                   1 + (uint32_t)learn_random_below(r, 4), r, err);
    learn_pattern_make(c->pattern, line, LEARN_LENGTH, r);
    return STRATA_OK;
}

/* 8 to 8192 lines: 1 to 128 KB in lines of 128 bytes, up to 256 KB in sectors of 32. */
static struct strata_learn_cache draw_cache(struct learn_random *r)
{
    uint32_t odd = learn_random_below(r, 5) == 0,
             bits = odd ? 2 + (uint32_t)learn_random_below(r, 10)
                        : 3 + (uint32_t)learn_random_below(r, 11);
    uint32_t lines = (odd ? 3u : 1u) << bits, way_bits = (uint32_t)learn_random_below(r, bits + 1);
    uint32_t ways = (odd && learn_random_below(r, 2) ? 3u : 1u) << way_bits;
    if (learn_random_below(r, 6) == 0)
        ways = lines;
    return (struct strata_learn_cache){.lines = lines, .ways = ways};
}

/* The first interval, when the cache is cold, and two others. */
static size_t draw_spans(struct learn_random *r, size_t *interval,
                         struct learn_span span[INTERVALS])
{
    *interval = learn_random_log(r, LEAST_INTERVAL, LEARN_LENGTH);
    size_t n = (LEARN_LENGTH + *interval - 1) / *interval, count = 0, which[INTERVALS] = {0};
    if (n > 1)
        which[1] = 1 + learn_random_below(r, n - 1);
    if (n > 2)
        do
            which[2] = 1 + learn_random_below(r, n - 1);
        while (which[2] == which[1]);
    if (which[2] && which[2] < which[1]) {
        size_t t = which[1];
        which[1] = which[2];
        which[2] = t;
    }
    for (size_t i = 0; i < INTERVALS && i < n; i++) {
        size_t to = (which[i] + 1) * *interval;
        span[count++] =
            (struct learn_span){which[i] * *interval, to < LEARN_LENGTH ? to : LEARN_LENGTH};
    }
    return count;
}

static strata_status label_sample(const struct learn_stream *s, const struct learn_span *span,
                                  size_t n_spans, size_t interval,
                                  const struct strata_learn_timing *timing, struct learn_random *r,
                                  struct strata_learn_sample *out, struct strata_error *err)
{
    struct strata_learn_counts *counts = calloc((s->n + interval - 1) / interval, sizeof *counts);
    strata_status st = counts && ARRAY_RESERVE(out->row, 0, out->cap_rows, CACHES * n_spans)
                           ? STRATA_OK
                           : strata_no_memory(err, NULL, "for labels");
    for (int k = 0; k < CACHES && st == STRATA_OK; k++) {
        struct strata_learn_cache cache = draw_cache(r);
        st = learn_label(s, &cache, timing, interval, counts, err);
        for (size_t i = 0; i < n_spans && st == STRATA_OK; i++) {
            const struct strata_learn_counts *c = &counts[span[i].from / interval];
            out->row[out->n_rows++] = (struct strata_learn_row){.interval = (uint32_t)i,
                                                                .cache = cache,
                                                                .misses = (uint32_t)c->misses,
                                                                .merges = (uint32_t)c->merges};
        }
    }
    free(counts);
    return st;
}

/* The clocked model as the source of labels (paper 003, section IV-C): a kernel of one block whose
 * warps visit the sequence in turn, each with a few loads under way, and for that trace the profile
 * and labels that a launch of a program would get. */
static strata_status profile_visit(const struct strata_learn_generate_options *opt,
                                   const char *path, struct learn_random *r,
                                   struct strata_learn_sample *out, struct strata_error *err)
{
    struct strata_learn_cache cache[SIM_CACHES];
    struct strata_learn_profile_options profile;
    struct learn_sm_streams sms = {0};
    struct strata_trace *trace = NULL;
    struct strata_reader *reader = NULL;
    strata_learn_profile_options_init(&profile);
    for (int k = 0; k < SIM_CACHES; k++)
        cache[k] = draw_cache(r);
    profile.label = cache;
    profile.n_labels = SIM_CACHES;
    profile.labels_by_sim = true;
    strata_status st = strata_trace_open(path, NULL, &trace, err);
    if (st == STRATA_OK)
        st = strata_reader_open(trace, 0, &reader, err);
    if (st == STRATA_OK)
        st = learn_launch_streams(opt->sim, reader, &profile, &sms, err);
    if (st == STRATA_OK)
        st = learn_profile_streams(&sms, &profile, out, err);
    if (st == STRATA_OK)
        st = learn_label_by_sim(opt->sim, reader, &profile, out, err);
    learn_streams_release(&sms);
    if (reader)
        strata_reader_close(reader);
    if (trace)
        strata_trace_close(trace);
    return st;
}

static strata_status label_by_sim(const struct cell *c, const uint64_t *line,
                                  const struct strata_learn_generate_options *opt,
                                  const char *folder, struct learn_random *r,
                                  struct strata_learn_sample *out, struct strata_error *err)
{
    struct learn_visit visit = {.warps = 1u << learn_random_below(r, 6)};
    char *path = NULL;
    visit.loads_under_way = 1u << learn_random_below(r, 4);
    if (asprintf(&path, "%s/.%s.strata", folder, c->name) < 0)
        return strata_no_memory(err, NULL, "for training data");
    strata_status st = learn_visit_write(c->name, line, LEARN_LENGTH, &visit, path, err);
    if (st == STRATA_OK)
        st = profile_visit(opt, path, r, out, err);
    remove(path);
    free(path);
    return st;
}

static strata_status make_sample(const char *folder, const struct cell *c, uint32_t sample,
                                 const struct strata_learn_generate_options *opt, uint64_t *line,
                                 struct strata_learn_set *set, struct strata_error *err)
{
    struct learn_random r = sample_random(opt->seed, c->index, sample);
    struct learn_stream s = {0};
    struct learn_span span[INTERVALS];
    size_t interval, n_spans;
    char name[64];
    snprintf(name, sizeof name, "%s/%u", c->name, sample);
    struct strata_learn_sample *out = learn_set_add(set, name);
    if (!out || !ARRAY_RESERVE(out->interval, 0, out->cap_intervals, INTERVALS))
        return strata_no_memory(err, NULL, "for training data");
    strata_status st = make_sequence(c, &r, line, err);
    if (st == STRATA_OK && opt->sim)
        return label_by_sim(c, line, opt, folder, &r, out, err);
    n_spans = draw_spans(&r, &interval, span);
    if (st == STRATA_OK)
        st = learn_stream_make(&s, line, LEARN_LENGTH, err);
    if (st == STRATA_OK)
        st = learn_profile(&s, span, n_spans, opt->timing.latency_cycles, out->interval, err);
    out->n_intervals = n_spans;
    if (st == STRATA_OK)
        st = label_sample(&s, span, n_spans, interval, &opt->timing, &r, out, err);
    learn_stream_release(&s);
    return st;
}

/* ---- a cell ---- */

static char *cell_provenance(const struct cell *c, const struct strata_learn_generate_options *opt)
{
    char *text = NULL;
    if (asprintf(&text,
                 "{\"cell\": \"%s\", \"rule\": %d, \"samples\": %u, \"seed\": %llu, \"length\": "
                 "%d, \"latency_cycles\": %u, "
                 "\"mshrs\": %u%s%s%s}",
                 c->name, RULE, opt->samples, (unsigned long long)opt->seed, LEARN_LENGTH,
                 opt->timing.latency_cycles, opt->timing.mshrs, opt->sim ? ", \"sim\": \"" : "",
                 opt->sim ? opt->sim->name : "", opt->sim ? "\"" : "") < 0)
        return NULL;
    return text;
}

static bool is_there(const char *path, const char *provenance)
{
    struct strata_learn_set set = {0};
    bool good =
        strata_learn_set_load(path, &set, NULL) == STRATA_OK && !strcmp(set.provenance, provenance);
    strata_learn_set_release(&set);
    return good;
}

static strata_status make_cell(const char *folder, const struct cell *c,
                               const struct strata_learn_generate_options *opt, bool *kept,
                               struct strata_error *err)
{
    struct strata_learn_set set = {.provenance = cell_provenance(c, opt)};
    uint64_t *line = malloc(LEARN_LENGTH * sizeof *line);
    char *path = NULL;
    strata_status st = STRATA_OK;
    if (!line || !set.provenance || asprintf(&path, "%s/%s.learn", folder, c->name) < 0)
        st = strata_no_memory(err, NULL, "for training data");
    *kept = st == STRATA_OK && is_there(path, set.provenance);
    for (uint32_t i = 0; i < opt->samples && st == STRATA_OK && !*kept; i++)
        st = make_sample(folder, c, i, opt, line, &set, err);
    if (st == STRATA_OK && !*kept)
        st = strata_learn_set_save(&set, path, err);
    strata_learn_set_release(&set);
    free(path);
    free(line);
    return st;
}

/* ---- all of them ---- */

struct generation {
    const char *folder;
    const struct strata_learn_generate_options *opt;
    pthread_mutex_t lock; /* guards what follows */
    uint32_t next, n_cells;
    size_t n_done, n_kept;
    strata_status status;
    struct strata_error err;
};

static void *work(void *context)
{
    struct generation *g = context;
    pthread_mutex_lock(&g->lock);
    while (g->next < g->n_cells && g->status == STRATA_OK) {
        struct cell c;
        struct strata_error err;
        bool kept = false;
        describe_cell(g->next++, &c);
        pthread_mutex_unlock(&g->lock);
        strata_status st = make_cell(g->folder, &c, g->opt, &kept, &err);
        pthread_mutex_lock(&g->lock);
        if (st != STRATA_OK && g->status == STRATA_OK) {
            g->status = st;
            g->err = err;
        }
        g->n_done++;
        g->n_kept += kept;
        if (g->opt->progress)
            g->opt->progress(g->opt->progress_context, g->n_done, g->n_cells);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

strata_status strata_learn_generate(const char *folder,
                                    const struct strata_learn_generate_options *opt, size_t *n_made,
                                    size_t *n_kept, struct strata_error *err)
{
    enum { MOST_THREADS = 64 };
    struct generation g = {.folder = folder,
                           .opt = opt,
                           .lock = PTHREAD_MUTEX_INITIALIZER,
                           .n_cells = opt->grid_only ? N_GRID : N_CELLS};
    pthread_t thread[MOST_THREADS];
    uint32_t n = 0;
    if (opt->samples < 1 || opt->samples > 1000)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "A cell has 1 to 1000 samples, not %u.",
                           opt->samples);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return strata_fail(err, STRATA_EIO, folder, 0, 0, "the folder cannot be made: %s.",
                           strerror(errno));
    for (; n + 1 < opt->threads && n < MOST_THREADS; n++)
        if (pthread_create(&thread[n], NULL, work, &g))
            break;
    work(&g);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    if (g.status != STRATA_OK && err)
        *err = g.err;
    *n_kept = g.n_kept;
    *n_made = g.n_done - g.n_kept;
    return g.status;
}

/* ---- as a trace ---- */

static strata_status find_cell(uint32_t peaks, uint32_t max_distance, struct cell *c,
                               struct strata_error *err)
{
    for (uint32_t i = 0; i < N_GRID; i++) {
        describe_cell(i, c);
        if (c->peaks == peaks && c->max_distance == max_distance)
            return STRATA_OK;
    }
    return strata_fail(
        err, STRATA_EUSAGE, NULL, 0, 0,
        "The grid has no cell %u,%u; N goes from 2 to 12, and MaxRD is 16, 128, 1024 or 4096.",
        peaks, max_distance);
}

strata_status strata_learn_write_trace(uint32_t peaks, uint32_t max_distance, uint32_t sample,
                                       uint64_t seed, const char *path, struct strata_error *err)
{
    struct cell c;
    uint64_t *line = malloc(LEARN_LENGTH * sizeof *line);
    strata_status st = find_cell(peaks, max_distance, &c, err);
    struct learn_random r = sample_random(seed, c.index, sample);
    if (st == STRATA_OK && !line)
        st = strata_no_memory(err, NULL, "for a sequence");
    if (st == STRATA_OK)
        st = make_sequence(&c, &r, line, err);
    if (st == STRATA_OK)
        st = learn_visit_write(c.name, line, LEARN_LENGTH,
                               &(struct learn_visit){.warps = 1, .loads_under_way = 1}, path, err);
    free(line);
    return st;
}
