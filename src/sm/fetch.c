/* fetch.c - instruction lines: streamed when straight, missed when jumped to. */
#include "sm/fetch.h"

#include <stdlib.h>
#include <string.h>

void fetch_gpu_init(struct fetch_gpu *g, const struct strata_gpu *gpu)
{
    memset(g, 0, sizeof *g);
    g->interval = gpu->sm.fetch_interval_cycles;
    g->miss = gpu->sm.fetch_miss_cycles;
    g->cold = gpu->sm.fetch_cold_cycles;
    g->ahead = gpu->sm.fetch_ahead_lines;
}

strata_status fetch_sm_init(struct fetch_sm *s, struct strata_error *err)
{
    s->n_asked = 0;
    s->ready = calloc(FETCH_MAX_LINES, sizeof *s->ready);
    s->asked = calloc(FETCH_MAX_LINES, sizeof *s->asked);
    if (!s->ready || !s->asked)
        return strata_no_memory(err, NULL, "for the instruction fetch of an SM");
    return STRATA_OK;
}

void fetch_sm_release(struct fetch_sm *s)
{
    free(s->ready);
    free(s->asked);
    memset(s, 0, sizeof *s);
}

/* Each line is asked for once, so the list never overflows. */
static void ask(struct fetch_sm *s, uint32_t line, uint64_t at)
{
    if (s->ready[line])
        return;
    s->ready[line] = at ? at : 1;
    s->asked[s->n_asked++] = line;
}

void fetch_publish(struct fetch_gpu *g, struct fetch_sm *s)
{
    for (uint32_t i = 0; i < s->n_asked; i++) {
        uint32_t line = s->asked[i];
        if (!g->first[line] || g->first[line] > s->ready[line])
            g->first[line] = s->ready[line];
    }
    s->n_asked = 0;
}

uint64_t fetch_line(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t line, uint64_t t)
{
    if (!g->cold && !g->miss && !g->interval)
        return t;
    line %= FETCH_MAX_LINES;
    if (s->ready[line] && s->ready[line] <= t && s->ready[(line + g->ahead) % FETCH_MAX_LINES])
        return t;
    if (!s->ready[line]) {
        bool known = g->first[line] && g->first[line] <= t;
        ask(s, line, t + (known ? g->miss : g->cold));
    }
    uint64_t base = s->ready[line] > t ? s->ready[line] : t;
    for (uint32_t k = 1; k <= g->ahead; k++) {
        uint32_t next = (line + k) % FETCH_MAX_LINES;
        if (s->ready[next]) {
            base = s->ready[next] > base ? s->ready[next] : base;
            continue;
        }
        base += g->interval;
        ask(s, next, base);
    }
    return s->ready[line] > t ? s->ready[line] : t;
}
