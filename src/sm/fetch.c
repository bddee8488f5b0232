/* fetch.c - instruction lines: streamed when straight, missed when jumped to. */
#include "sm/fetch.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_LINES = 8 };

void fetch_gpu_init(struct fetch_gpu *g, const struct strata_gpu *gpu)
{
    memset(g, 0, sizeof *g);
    g->interval = gpu->sm.fetch_interval_cycles;
    g->miss = gpu->sm.fetch_miss_cycles;
    g->cold = gpu->sm.fetch_cold_cycles;
}

strata_status fetch_sm_init(struct fetch_sm *s, struct strata_error *err)
{
    s->n_lines = 0;
    s->ready = calloc(FETCH_MAX_LINES, sizeof *s->ready);
    if (!s->ready)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the instruction fetch of an SM.");
    return STRATA_OK;
}

void fetch_sm_release(struct fetch_sm *s)
{
    free(s->ready);
    memset(s, 0, sizeof *s);
}

static void ask(struct fetch_gpu *g, struct fetch_sm *s, uint32_t line, uint64_t at)
{
    if (s->ready[line])
        return;
    s->ready[line] = at ? at : 1;
    if (!g->first[line])
        g->first[line] = s->ready[line];
}

uint64_t fetch_line(struct fetch_gpu *g, struct fetch_sm *s, uint32_t line, uint64_t t)
{
    if (!g->cold && !g->miss && !g->interval)
        return t;
    line %= FETCH_MAX_LINES;
    if (s->ready[line] && s->ready[line] <= t && s->ready[(line + STREAM_LINES) % FETCH_MAX_LINES])
        return t;
    if (!s->ready[line]) {
        bool known = g->first[line] && g->first[line] <= t;
        ask(g, s, line, t + (known ? g->miss : g->cold));
    }
    uint64_t base = s->ready[line] > t ? s->ready[line] : t;
    for (uint32_t k = 1; k <= STREAM_LINES; k++) {
        uint32_t next = (line + k) % FETCH_MAX_LINES;
        if (s->ready[next]) {
            base = s->ready[next] > base ? s->ready[next] : base;
            continue;
        }
        base += g->interval;
        ask(g, s, next, base);
    }
    return s->ready[line] > t ? s->ready[line] : t;
}
