/* program_schedule.c - times of operations: a host that issues, streams that wait, launches that
 * share the GPU.
 *
 * Launches run as a fluid: each has a rate, 1 when it has what it would have alone. Rates change
 * when one begins or ends; between two such times everything moves on evenly. */
#include "application/program_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Copies on the device and fills share one. */
enum engine { ENGINE_TO = 0, ENGINE_FROM, ENGINE_ON };

/* ---- the heap of operations that may begin ---- */

static bool earlier(const struct schedule *s, uint32_t a, uint32_t b)
{
    return s->op[a].ready_us != s->op[b].ready_us ? s->op[a].ready_us < s->op[b].ready_us : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

static void ready_push(struct schedule *s, uint32_t i)
{
    uint32_t at = s->n_ready++;
    s->ready[at] = i;
    for (; at && earlier(s, s->ready[at], s->ready[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&s->ready[at], &s->ready[(at - 1) / 2]);
}

static uint32_t ready_pop(struct schedule *s)
{
    uint32_t top = s->ready[0];
    s->ready[0] = s->ready[--s->n_ready];
    for (uint32_t at = 0;;) {
        uint32_t least = at, left = 2 * at + 1, right = left + 1;
        if (left < s->n_ready && earlier(s, s->ready[left], s->ready[least]))
            least = left;
        if (right < s->n_ready && earlier(s, s->ready[right], s->ready[least]))
            least = right;
        if (least == at)
            return top;
        swap(&s->ready[at], &s->ready[least]);
        at = least;
    }
}

/* ---- waiting ---- */

/* Copies to and from the host run on an engine of their own; the others are done as by kernels. */
static double gap_of(const struct schedule *s, const struct operation_edge *e,
                     const struct strata_span *to)
{
    if (s->op[e->from].span->host_copy != to->host_copy)
        return s->gpu->between.engine_gap_us;
    switch (e->kind) {
    case STRATA_EDGE_GRAPH:
        return s->gpu->between.graph_gap_us;
    case STRATA_EDGE_DEPENDENT:
        return s->gpu->between.dependent_gap_us;
    default:
        return e->crosses ? s->gpu->between.event_gap_us : s->gpu->between.stream_gap_us;
    }
}

/* Everything it waits for has ended, and the host has issued it. */
static void becomes_ready(struct schedule *s, uint32_t i)
{
    struct operation *op = &s->op[i];
    double last_end = -1;
    op->ready_us = op->span->issued_us;
    for (uint32_t k = op->first_edge; k < op->first_edge + op->n_edges; k++) {
        const struct operation_edge *e = &s->edge[k];
        if (e->kind == STRATA_EDGE_HOST)
            continue;
        const struct strata_span *from = s->op[e->from].span;
        /* A copy's reading half takes no time: the gap comes before the writing. */
        double gap =
            from->alone_us > 0 || from->kind == STRATA_EVENT_LAUNCH ? gap_of(s, e, op->span) : 0;
        double at = from->end_us + gap;
        op->ready_us = at > op->ready_us ? at : op->ready_us;
        last_end = from->end_us > last_end ? from->end_us : last_end;
    }
    op->span->gap_us = last_end >= 0 ? op->ready_us - last_end : 0;
    ready_push(s, i);
}

/* The host goes on until it has to wait. */
static void host_issues(struct schedule *s)
{
    while (s->next_issue < s->n) {
        struct operation *op = &s->op[s->next_issue];
        if (op->host_waits)
            return;
        const struct operation *before = s->next_issue ? op - 1 : NULL;
        if (before && before->host_stays && !before->ended)
            return;
        if (before && before->host_stays && before->span->end_us > s->host_us)
            s->host_us = before->span->end_us;
        for (uint32_t k = op->first_edge; k < op->first_edge + op->n_edges; k++)
            if (s->edge[k].kind == STRATA_EDGE_HOST) {
                double at = s->op[s->edge[k].from].span->end_us + s->gpu->between.host_wait_us;
                s->host_us = at > s->host_us ? at : s->host_us;
            }
        s->host_us += op->issue_us;
        op->span->issued_us = s->host_us;
        op->issued = true;
        if (!op->waits)
            becomes_ready(s, s->next_issue);
        s->next_issue++;
    }
}

static void has_ended(struct schedule *s, uint32_t i)
{
    struct operation *op = &s->op[i];
    op->ended = true;
    for (uint32_t k = s->first_after[i]; k < s->first_after[i + 1]; k++) {
        uint32_t target = s->after[k] >> 1;
        struct operation *next = &s->op[target];
        if (s->after[k] & 1)
            next->host_waits--;
        else if (!--next->waits && next->issued)
            becomes_ready(s, target);
    }
    host_issues(s);
}

/* ---- sharing the GPU ---- */

/* Earlier launches have their SMs; what is left goes to the next. Beyond what issue, L2 and DRAM
 * give, all are slowed alike. */
static void set_rates(struct schedule *s)
{
    double left = 1, issue = 0, l2 = 0, dram = 0;
    for (uint32_t k = 0; k < s->n_running; k++) {
        struct operation *op = &s->op[s->running[k]];
        const struct strata_span *p = op->span;
        double got = p->sm_share < left ? p->sm_share : left;
        op->rate = p->sm_share > 0 ? got / p->sm_share : 1;
        left -= got;
        issue += op->rate * p->issue;
        l2 += op->rate * p->l2;
        dram += op->rate * p->dram;
    }
    double most = issue > l2 ? issue : l2;
    most = dram > most ? dram : most;
    for (uint32_t k = 0; most > 1 && k < s->n_running; k++)
        s->op[s->running[k]].rate /= most;
}

static strata_status note_use(struct schedule *s, struct strata_error *err)
{
    struct strata_timeline *t = s->out;
    struct strata_use u = {.at_us = s->now_us, .running = s->n_running};
    for (uint32_t k = 0; k < s->n_running; k++) {
        const struct operation *op = &s->op[s->running[k]];
        u.sms += op->rate * op->span->sm_share;
        u.l2 += op->rate * op->span->l2;
        u.dram += op->rate * op->span->dram;
    }
    if (t->n_uses && t->use[t->n_uses - 1].at_us == s->now_us)
        t->n_uses--;
    if (!ARRAY_RESERVE(t->use, t->n_uses, t->cap_uses, 1))
        return strata_no_memory(err, NULL, "for the timeline");
    t->use[t->n_uses++] = u;
    return STRATA_OK;
}

static enum engine engine_of(const struct strata_span *p)
{
    return p->kind == STRATA_EVENT_MEMCPY_HTOD   ? ENGINE_TO
           : p->kind == STRATA_EVENT_MEMCPY_DTOH ? ENGINE_FROM
                                                 : ENGINE_ON;
}

/* A copy takes its turn on its engine and does not slow launches down. */
static void begin_copy(struct schedule *s, uint32_t i)
{
    struct strata_span *p = s->op[i].span;
    double *engine = &s->engine_us[engine_of(p)];
    p->start_us = s->now_us > *engine || !(p->alone_us > 0) ? s->now_us : *engine;
    p->end_us = p->start_us + p->alone_us;
    if (p->alone_us > 0)
        *engine = p->end_us;
}

static strata_status begin(struct schedule *s, uint32_t i, struct strata_error *err)
{
    struct operation *op = &s->op[i];
    op->started = true;
    if (op->span->kind != STRATA_EVENT_LAUNCH) {
        begin_copy(s, i);
        has_ended(s, i); /* what waits for it knows the time already */
        return STRATA_OK;
    }
    op->span->start_us = s->now_us;
    s->running[s->n_running++] = i;
    set_rates(s);
    return note_use(s, err);
}

/* The launch that ends first, and when; n_running if there is none. */
static uint32_t next_end(const struct schedule *s, double *at)
{
    uint32_t first = s->n_running;
    for (uint32_t k = 0; k < s->n_running; k++) {
        const struct operation *op = &s->op[s->running[k]];
        if (!(op->rate > 0))
            continue;
        double end = s->now_us + op->left_us / op->rate;
        if (first == s->n_running || end < *at) {
            first = k;
            *at = end;
        }
    }
    return first;
}

static void move_on(struct schedule *s, double to)
{
    double passed = to - s->now_us;
    for (uint32_t k = 0; k < s->n_running; k++) {
        struct operation *op = &s->op[s->running[k]];
        op->left_us -= passed * op->rate;
        if (s->n_running > 1)
            op->span->overlap_us += passed;
    }
    s->now_us = to;
}

static strata_status end_launch(struct schedule *s, uint32_t k, struct strata_error *err)
{
    uint32_t i = s->running[k];
    memmove(&s->running[k], &s->running[k + 1], (s->n_running - k - 1) * sizeof *s->running);
    s->n_running--;
    s->op[i].span->end_us = s->now_us;
    set_rates(s);
    strata_status status = note_use(s, err);
    has_ended(s, i);
    return status;
}

strata_status schedule_run(struct schedule *s, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    host_issues(s);
    while (status == STRATA_OK && (s->n_ready || s->n_running)) {
        double end = 0, ready = s->n_ready ? s->op[s->ready[0]].ready_us : 0;
        uint32_t k = next_end(s, &end);
        if (k == s->n_running || (s->n_ready && ready < end)) {
            if (ready > s->now_us)
                move_on(s, ready);
            status = begin(s, ready_pop(s), err);
        } else {
            move_on(s, end);
            status = end_launch(s, k, err);
        }
    }
    return status;
}
