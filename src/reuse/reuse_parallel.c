/* reuse_parallel.c - pieces of a sequence of accesses on several threads. */
#include "reuse/parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 4096 };

struct piece {
    struct reuse_stack own, *stack; /* own is unused where stack is that of the past */
    const uint64_t *line;
    size_t n;
    uint64_t *first; /* lines this piece saw for the first time, in order */
    size_t n_first, cap_first;
    bool keep_first;
    struct reuse_histogram histogram;
    struct strata_error err;
    strata_status status;
};

static bool note_first(struct piece *p, uint64_t line)
{
    if (p->n_first == p->cap_first) {
        size_t cap = p->cap_first ? p->cap_first * 2 : 65536;
        uint64_t *larger = realloc(p->first, cap * sizeof *larger);
        if (!larger)
            return false;
        p->first = larger;
        p->cap_first = cap;
    }
    p->first[p->n_first++] = line;
    return true;
}

/* Cold accesses of a piece that began from nothing are not decided here. */
static strata_status set_aside_first(struct piece *p, const uint64_t *line, uint32_t *distance,
                                     size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        if (distance[i] != REUSE_COLD)
            distance[kept++] = distance[i];
        else if (!note_first(p, line[i]))
            return strata_no_memory(&p->err, NULL, "for the lines of a piece");
    }
    *n = kept;
    return STRATA_OK;
}

static void *run_piece(void *context)
{
    struct piece *p = context;
    uint32_t distance[BUFFER];
    for (size_t at = 0; at < p->n && p->status == STRATA_OK; at += BUFFER) {
        size_t n = p->n - at < BUFFER ? p->n - at : BUFFER;
        p->status = reuse_stack_run(p->stack, p->line + at, n, distance, &p->err);
        if (p->status == STRATA_OK && p->keep_first)
            p->status = set_aside_first(p, p->line + at, distance, &n);
        if (p->status == STRATA_OK)
            p->status = reuse_histogram_add(&p->histogram, distance, n, &p->err);
    }
    return NULL;
}

/* What a piece left open, against the stack of everything before it. */
static strata_status settle(struct reuse_stack *s, struct piece *p, bool last,
                            struct reuse_histogram *h, struct strata_error *err)
{
    uint32_t distance[BUFFER], mark = 0;
    strata_status st = STRATA_OK;
    /* Slots of lines the piece has seen are to lie above a mark that no renumbering moves. */
    if (!last) {
        st = reuse_stack_reserve(s, p->n_first, err);
        mark = s->cursor;
    }
    for (size_t at = 0; at < p->n_first && st == STRATA_OK; at += BUFFER) {
        size_t n = p->n_first - at < BUFFER ? p->n_first - at : BUFFER;
        st = reuse_stack_run(s, p->first + at, n, distance, err);
        if (st == STRATA_OK)
            st = reuse_histogram_add(h, distance, n, err);
    }
    if (st == STRATA_OK && !last)
        st = reuse_stack_append(s, mark, p->stack, err);
    return st;
}

static strata_status collect(struct reuse_stack *s, struct piece *piece, uint32_t n, bool last,
                             struct reuse_histogram *h, struct strata_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        struct piece *p = &piece[i];
        if (p->status != STRATA_OK) {
            if (err)
                *err = p->err;
            return p->status;
        }
        strata_status st = reuse_histogram_merge(h, &p->histogram, err);
        if (st == STRATA_OK && p->keep_first)
            st = settle(s, p, last && i + 1 == n, h, err);
        if (st != STRATA_OK)
            return st;
    }
    return STRATA_OK;
}

strata_status reuse_parallel_run(struct reuse_stack *s, const uint64_t *line, size_t n,
                                 uint32_t threads, bool last, struct reuse_histogram *h,
                                 struct strata_error *err)
{
    struct piece piece[REUSE_MAX_THREADS];
    pthread_t thread[REUSE_MAX_THREADS];
    bool started[REUSE_MAX_THREADS] = {false};
    strata_status st = STRATA_OK;
    if (threads > REUSE_MAX_THREADS)
        threads = REUSE_MAX_THREADS;
    if (!threads || n < (size_t)threads * BUFFER)
        threads = 1;
    memset(piece, 0, threads * sizeof *piece);
    for (uint32_t i = 0; i < threads; i++) {
        size_t from = n * i / threads, to = n * (i + 1) / threads;
        piece[i].line = line + from;
        piece[i].n = to - from;
        piece[i].keep_first = i > 0;
        piece[i].stack = i ? &piece[i].own : s;
        if (i && st == STRATA_OK)
            st = reuse_stack_init(&piece[i].own, err);
    }
    for (uint32_t i = 1; i < threads && st == STRATA_OK; i++)
        started[i] = !pthread_create(&thread[i], NULL, run_piece, &piece[i]);
    for (uint32_t i = 0; i < threads && st == STRATA_OK; i++)
        if (!started[i])
            run_piece(&piece[i]);
    for (uint32_t i = 1; i < threads; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
    if (st == STRATA_OK)
        st = collect(s, piece, threads, last, h, err);
    for (uint32_t i = 0; i < threads; i++) {
        reuse_stack_release(&piece[i].own);
        reuse_histogram_release(&piece[i].histogram);
        free(piece[i].first);
    }
    return st;
}
