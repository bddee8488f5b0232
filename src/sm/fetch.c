/* fetch.c - instruction lines: streamed when straight, missed when jumped to. */
#include "sm/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "sm/sm_inst.h"

/* A cache for more lines than are told apart holds all of them. */
static uint32_t limit_lines(uint64_t lines)
{
    return lines < FETCH_MAX_LINES ? (uint32_t)lines : 0;
}

void fetch_gpu_init(struct fetch_gpu *g, const struct strata_gpu *gpu)
{
    memset(g, 0, sizeof *g);
    uint32_t line_bytes = gpu->sm.fetch_line_bytes ? gpu->sm.fetch_line_bytes : 128;
    g->line_bytes = line_bytes;
    g->interval = gpu->sm.fetch_interval_cycles;
    g->far_interval = gpu->sm.fetch_far_cycles;
    g->stream_interval = gpu->sm.fetch_stream_cycles;
    g->miss = gpu->sm.fetch_miss_cycles;
    g->cold = gpu->sm.fetch_cold_cycles;
    g->ahead = gpu->sm.fetch_ahead_lines;
    g->near_lines = limit_lines(gpu->sm.fetch_near_bytes / line_bytes);
    g->middle_lines = limit_lines(gpu->sm.fetch_middle_bytes / line_bytes);
    g->ways = gpu->sm.fetch_ways;
    g->middle_jump =
        gpu->sm.fetch_middle_jump_cycles ? gpu->sm.fetch_middle_jump_cycles : g->interval;
    g->own_lines = (uint32_t)(gpu->sm.fetch_own_bytes / line_bytes);
    g->own_jump = gpu->sm.fetch_jump_cycles;
    g->schedulers = gpu->sm.schedulers;
    g->begin = gpu->launch.launch_cycles;
    g->early_lines = gpu->sm.fetch_prefetch_bytes / line_bytes;
    g->spare_lines = g->early_lines ? g->ahead : 0;
    g->early_first = gpu->sm.fetch_first_cycles ? gpu->sm.fetch_first_cycles : g->cold;
    g->early = gpu->sm.fetch_early_cycles;
    g->early_next = g->early;
    g->early_line = gpu->sm.fetch_early_line_cycles;
    /* As many lines are under way whichever side they come from. */
    bool sides = address_map_init(&g->map, gpu, NULL) == STRATA_OK && g->map.partitions == 2;
    g->stream_side =
        sides && g->cold ? g->stream_interval * gpu->l2.far_extra_cycles / 2 / g->cold : 0;
}

void fetch_gpu_controlled(struct fetch_gpu *g, const struct strata_gpu *gpu)
{
    if (gpu->sm.fetch_early_next_cycles)
        g->early_next = gpu->sm.fetch_early_next_cycles;
}

/* A cache without a size needs no order. */
static bool order_init(struct fetch_order *o, uint32_t lines, uint32_t ways)
{
    ways = ways && ways < lines ? ways : lines;
    *o = (struct fetch_order){.sets = lines ? lines / ways : 0, .ways = ways};
    if (!lines)
        return true;
    o->line = malloc((size_t)o->sets * ways * sizeof *o->line);
    o->next = calloc(o->sets, sizeof *o->next);
    if (!o->line || !o->next)
        return false;
    for (uint32_t i = 0; i < o->sets * ways; i++)
        o->line[i] = FETCH_MAX_LINES;
    return true;
}

static void order_release(struct fetch_order *o)
{
    free(o->line);
    free(o->next);
}

strata_status fetch_sm_init(struct fetch_sm *s, const struct fetch_gpu *g, struct strata_error *err)
{
    *s = (struct fetch_sm){.ahead = g->ahead,
                           .known = malloc(FETCH_MAX_LINES * sizeof *s->known),
                           .asked = malloc(FETCH_MAX_LINES * sizeof *s->asked)};
    bool kept = order_init(&s->near, g->near_lines, g->ways);
    kept = order_init(&s->middle, g->middle_lines, g->ways) && kept;
    kept = order_init(&s->own, g->own_lines * g->schedulers, g->own_lines) && kept;
    if (!s->known || !s->asked || !kept)
        return strata_no_memory(err, NULL, "for the instruction fetch of an SM");
    return STRATA_OK;
}

void fetch_sm_release(struct fetch_sm *s)
{
    free(s->known);
    free(s->asked);
    order_release(&s->near);
    order_release(&s->middle);
    order_release(&s->own);
    memset(s, 0, sizeof *s);
}

/* Code has a few dozen lines as a rule: the tables, of 200 KB an SM, are cleared as far as it goes.
 */
static void know_lines(struct fetch_sm *s, uint32_t n)
{
    uint32_t to = n < FETCH_MAX_LINES ? n : FETCH_MAX_LINES, from = s->n_known;
    if (to <= from)
        return;
    memset(&s->known[from], 0, (to - from) * sizeof *s->known); /* FETCH_NEVER */
    s->n_known = to;
}

/* Puts a line into a set; the one that has to go for it, or FETCH_MAX_LINES. */
static uint32_t replace_oldest(struct fetch_order *o, uint32_t set, uint32_t line)
{
    uint32_t *place = &o->line[set * o->ways + o->next[set]], gone = *place;
    *place = line;
    o->next[set] = o->next[set] + 1 < o->ways ? o->next[set] + 1 : 0;
    return gone;
}

static uint32_t put_line(struct fetch_order *o, uint32_t line)
{
    return o->sets ? replace_oldest(o, line % o->sets, line) : FETCH_MAX_LINES;
}

/* Tables of SMs lie a power of two apart and push each other out of the machine's cache: what is
 * asked most needs one line of them. */
static void set_ready(struct fetch_sm *s, uint32_t line, uint64_t ready)
{
    s->known[line].ready = ready;
    if (line >= s->ahead)
        s->known[line - s->ahead].has_next = ready != 0;
}

/* Lines that this SM brings into the L2 are told once, so the list never overflows. */
static void ask(struct fetch_sm *s, uint32_t line, uint64_t at, uint32_t jump)
{
    if (s->known[line].ready)
        return;
    set_ready(s, line, at ? at : 1);
    s->known[line].jump = jump;
    uint32_t gone = put_line(&s->near, line);
    if (gone != FETCH_MAX_LINES)
        set_ready(s, gone, 0);
    if (s->known[line].place == FETCH_MIDDLE)
        return;
    if (s->known[line].place == FETCH_NEVER)
        s->asked[s->n_asked++] = line;
    s->known[line].place = FETCH_MIDDLE;
    gone = put_line(&s->middle, line);
    if (gone != FETCH_MAX_LINES)
        s->known[gone].place = FETCH_FAR;
}

void fetch_publish(struct fetch_gpu *g, struct fetch_sm *s)
{
    for (uint32_t i = 0; i < s->n_asked; i++) {
        uint32_t line = s->asked[i];
        if (!g->first[line] || g->first[line] > s->known[line].ready)
            g->first[line] = s->known[line].ready;
    }
    s->n_asked = 0;
}

/* A line that the launch brings in; `known`: it is there already. */
static uint32_t early_cycles(const struct fetch_gpu *g, const struct fetch_sm *s, uint32_t line,
                             bool known, uint64_t t)
{
    uint32_t early = s->has_jumped ? g->early_next : g->early;
    if (!line)
        return known && g->miss < g->early_first ? g->miss : g->early_first;
    uint64_t there = g->begin + (uint64_t)(line * g->early_line);
    return known || there <= t + early ? early : (uint32_t)(there - t);
}

/* From a jump to a line until it is there. */
static uint32_t jump_cycles(const struct fetch_gpu *g, const struct fetch_sm *s, uint32_t line,
                            uint64_t t)
{
    if (s->known[line].place == FETCH_MIDDLE)
        return g->middle_jump;
    if (s->known[line].place == FETCH_FAR)
        return g->miss;
    bool known = g->first[line] && g->first[line] <= t;
    if (line < g->early_lines)
        return early_cycles(g, s, line, known, t);
    return known ? g->miss : g->cold;
}

/* A line that no SM has fetched before, behind another. */
static uint32_t stream_cycles(const struct fetch_gpu *g, const struct fetch_sm *s, uint32_t line)
{
    if (!g->stream_side)
        return g->stream_interval;
    bool near = address_map_home(&g->map, (uint64_t)line * g->line_bytes) == s->side;
    return near ? g->stream_interval - g->stream_side : g->stream_interval + g->stream_side;
}

/* When a line of straight code is there, the one before it at `before`. Only what the launch brings
 * in by itself comes the first time as fast as from the middle cache; what another SM has asked for
 * comes with that SM's. */
static uint64_t next_at(const struct fetch_gpu *g, const struct fetch_sm *s, uint32_t line,
                        uint64_t before)
{
    if (s->known[line].place == FETCH_FAR)
        return before + g->far_interval;
    if (s->known[line].place == FETCH_MIDDLE || line < g->early_lines || !g->stream_interval)
        return before + g->interval;
    uint64_t alone = before + stream_cycles(g, s, line), after = before + g->far_interval;
    if (!g->first[line] || g->first[line] >= alone)
        return alone;
    return g->first[line] > after ? g->first[line] : after;
}

/* The line is there, and those behind it are there or on their way. */
static bool is_streamed(const struct fetch_gpu *g, const struct fetch_sm *s, uint32_t line,
                        uint64_t t)
{
    const struct fetch_known *k = &s->known[line];
    return k->ready && k->ready <= t &&
           (k->has_next || s->known[(line + g->ahead) % FETCH_MAX_LINES].ready);
}

uint64_t fetch_line(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t line, uint64_t t)
{
    if (!g->cold && !g->miss && !g->interval)
        return t;
    line %= FETCH_MAX_LINES;
    if (line + g->ahead >= s->n_known)
        know_lines(s, line + g->ahead + 1);
    if (is_streamed(g, s, line, t))
        return t;
    if (!s->known[line].ready) {
        uint32_t jump = jump_cycles(g, s, line, t);
        s->has_jumped |= line && line < g->early_lines && s->known[line].place == FETCH_NEVER;
        ask(s, line, t + jump, jump);
    }
    uint64_t there = s->known[line].ready > t ? s->known[line].ready : t, base = there;
    for (uint32_t k = 1; k <= g->ahead; k++) {
        uint32_t next = (line + k) % FETCH_MAX_LINES;
        if (s->known[next].ready) {
            base = s->known[next].ready > base ? s->known[next].ready : base;
            continue;
        }
        base = next_at(g, s, next, base);
        ask(s, next, base, jump_cycles(g, s, next, t));
    }
    return there;
}

/* What is asked for behind other lines comes at once where a jump leaves them out. */
static void hasten(struct fetch_sm *s, uint32_t line, uint64_t t)
{
    const struct fetch_known *k = &s->known[line];
    if (k->ready > t + k->jump)
        set_ready(s, line, t + k->jump);
}

/* The scheduler has the line by itself from now on, instead of the one that came first. */
static void keep_own(struct fetch_sm *s, uint32_t scheduler, uint32_t line)
{
    uint16_t bit = (uint16_t)(1u << scheduler);
    uint32_t gone = replace_oldest(&s->own, scheduler, line);
    if (gone != FETCH_MAX_LINES)
        s->known[gone].own &= (uint16_t)~bit;
    s->known[line].own |= bit;
}

static uint64_t own_line(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t scheduler,
                         uint32_t from, uint32_t line, uint64_t t)
{
    bool is_jump = from != UINT32_MAX && line != from + 1;
    line %= FETCH_MAX_LINES;
    if (line + g->ahead >= s->n_known)
        know_lines(s, line + g->ahead + 1);
    const struct fetch_known *k = &s->known[line];
    bool own = k->own >> scheduler & 1;
    if (own && (!k->ready || is_streamed(g, s, line, t)))
        return t;
    if (is_jump)
        hasten(s, line, t);
    uint64_t there = fetch_line(g, s, line, t);
    if (own || !g->own_lines)
        return there;
    keep_own(s, scheduler, line);
    return is_jump && there < t + g->own_jump ? t + g->own_jump : there;
}

uint64_t fetch_next(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t scheduler,
                    uint32_t from, uint32_t line, uint64_t t)
{
    uint64_t there = own_line(g, s, scheduler, from, line, t);
    if (from != UINT32_MAX || s->apart <= 0)
        return there;
    if (!s->began)
        s->began = there;
    uint64_t turn = s->began + (uint64_t)(scheduler * s->apart);
    return there > turn ? there : turn;
}

void fetch_note_unrun_lines(struct fetch_gpu *g, const struct sm_inst *inst, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;)
        if (fetch_comes_unrun(g, g->used, inst[i].fetch_line))
            fetch_note(g, inst[i].fetch_line);
}
