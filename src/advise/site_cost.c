/* site_cost.c - what each instruction of a launch costs, by one pass of the reuse model's caches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sites.h>

enum { SECTOR_BYTES = 32, SECTORS_A_PASS = 4 };

static bool make_room(struct strata_sites *s, uint32_t index)
{
    if (index < s->cap)
        return true;
    size_t cap = ((size_t)index + 1) * 2; /* a text trace tells its instructions as they come */
    struct strata_site *grown = realloc(s->site, cap * sizeof *grown);
    s->out_of_memory |= !grown;
    if (!grown)
        return false;
    memset(grown + s->cap, 0, (cap - s->cap) * sizeof *grown);
    s->site = grown;
    s->cap = cap;
    return true;
}

static bool is_atomic(const struct strata_inst *i)
{
    return i->memop == STRATA_MEM_ATOMIC || i->memop == STRATA_MEM_REDUCTION;
}

static uint64_t least_sectors(const struct strata_site_access *a)
{
    uint64_t bytes = (uint64_t)a->lanes * a->inst->width_bytes;
    uint64_t least = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return least < a->sectors ? least : a->sectors; /* lanes may share what they read */
}

static void on_access(void *context, const struct strata_site_access *a)
{
    struct strata_sites *s = context;
    if (!make_room(s, a->inst_index))
        return;
    if (a->inst_index >= s->n)
        s->n = (size_t)a->inst_index + 1;
    struct strata_site *x = &s->site[a->inst_index];
    x->inst = a->inst;
    x->index = a->inst_index;
    x->executions++;
    x->lanes += a->lanes;
    x->sectors += a->sectors;
    x->ideal_sectors += least_sectors(a);
    x->load_sectors += a->inst->memop != STRATA_MEM_STORE ? a->sectors : 0;
    x->written_sectors += a->inst->memop == STRATA_MEM_STORE || is_atomic(a->inst) ? a->sectors : 0;
    x->atomics += is_atomic(a->inst) ? a->lanes : 0;
    x->l1_hits += a->l1_hits;
    x->l2_reads += a->l2_reads;
    x->l2_hits += a->l2_hits;
    x->dram_reads += a->dram_reads;
    x->bank_conflicts += a->bank_conflicts;
}

static void drop_unused(struct strata_sites *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->site[i].inst)
            s->site[kept++] = s->site[i];
    s->n = kept;
}

strata_status strata_sites_collect(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   uint64_t seed, struct strata_sites *out,
                                   struct strata_error *err)
{
    const struct strata_launch *launch = strata_reader_launch(reader);
    const struct strata_site_sink sink = {out, on_access};
    const struct strata_model_options opt = {.seed = seed, .threads = 1, .sites = &sink};
    struct strata_result unused = {0};
    memset(out, 0, sizeof *out);
    strata_status status = strata_result_init(&unused, launch, err);
    if (status == STRATA_OK)
        status = strata_model_find("reuse")->run(gpu, reader, &opt, &unused, err);
    strata_result_release(&unused);
    if (status == STRATA_OK && out->out_of_memory)
        status = strata_no_memory(err, launch->trace, "for the launch's instructions");
    drop_unused(out);
    return status;
}

/* ---- waits ---- */

struct waits {
    uint64_t *cycles; /* by instruction */
    uint32_t n;
    uint64_t all;
    bool out_of_memory;
};

static void on_wait(void *context, uint32_t inst_index, uint64_t cycles)
{
    struct waits *w = context;
    w->all += cycles;
    if (inst_index == STRATA_WAIT_NOBODY)
        return;
    if (inst_index >= w->n) {
        uint32_t n = (inst_index + 1) * 2; /* a text trace tells its instructions as they come */
        uint64_t *grown = realloc(w->cycles, n * sizeof *grown);
        w->out_of_memory |= !grown;
        if (!grown)
            return;
        memset(grown + w->n, 0, (n - w->n) * sizeof *grown);
        w->cycles = grown;
        w->n = n;
    }
    w->cycles[inst_index] += cycles;
}

static struct strata_site *site_at(struct strata_sites *s, uint64_t pc)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->site[i].inst->pc == pc)
            return &s->site[i];
    return NULL;
}

/* A site of its own for an instruction that accesses no memory. */
static struct strata_site *add_site(struct strata_sites *s, const struct strata_code *code,
                                    uint64_t pc)
{
    for (uint32_t i = 0; i < strata_code_count(code); i++) {
        if (strata_code_get(code, i)->pc != pc)
            continue;
        if (!make_room(s, (uint32_t)s->n))
            return NULL;
        s->site[s->n] = (struct strata_site){.inst = strata_code_get(code, i), .index = i};
        return &s->site[s->n++];
    }
    return NULL;
}

/* The two passes may have met the instructions in different orders: they are told by address. */
static void note_waits(struct strata_sites *s, const struct waits *w,
                       const struct strata_code *timed, const struct strata_code *code)
{
    s->warp_cycles = w->all;
    for (uint32_t i = 0; i < w->n && i < strata_code_count(timed); i++) {
        if (!w->cycles[i])
            continue;
        uint64_t pc = strata_code_get(timed, i)->pc;
        struct strata_site *x = site_at(s, pc);
        if (!x && w->cycles[i] >= w->all / 100)
            x = add_site(s, code, pc);
        if (x)
            x->waited_cycles += w->cycles[i];
    }
}

strata_status strata_sites_add_waits(const struct strata_gpu *gpu, struct strata_reader *reader,
                                     const struct strata_code *code, uint64_t seed,
                                     struct strata_sites *s, struct strata_error *err)
{
    struct waits w = {0};
    const struct strata_launch *launch = strata_reader_launch(reader);
    const struct strata_wait_sink sink = {&w, on_wait};
    const struct strata_model_options opt = {.seed = seed, .threads = 1, .waits = &sink};
    struct strata_result unused = {0};
    strata_status status = strata_result_init(&unused, launch, err);
    if (status == STRATA_OK)
        status = strata_model_find("flow")->run(gpu, reader, &opt, &unused, err);
    strata_result_release(&unused);
    if (status == STRATA_OK)
        note_waits(s, &w, strata_reader_code(reader), code);
    if (status == STRATA_OK && (w.out_of_memory || s->out_of_memory))
        status = strata_no_memory(err, launch->trace, "for the launch's instructions");
    free(w.cycles);
    return status;
}

void strata_sites_release(struct strata_sites *s)
{
    free(s->site);
    memset(s, 0, sizeof *s);
}

uint64_t strata_site_beyond(const struct strata_site *x)
{
    return x->sectors - x->ideal_sectors;
}

uint64_t strata_site_cost(const struct strata_site *x)
{
    uint64_t outward = x->inst->space == STRATA_SPACE_SHARED ? 0 : x->atomics;
    return x->l2_reads + x->written_sectors + x->dram_reads + outward +
           SECTORS_A_PASS * x->bank_conflicts;
}

static const char *kind_without_memory(const struct strata_inst *i)
{
    return i->opclass == STRATA_OP_BARRIER || i->opclass == STRATA_OP_MBARRIER ? "barrier"
           : i->opclass == STRATA_OP_MEMBAR                                    ? "fence"
           : i->opclass == STRATA_OP_ASYNC_WAIT                                ? "wait for copies"
                                                                               : "arithmetic";
}

const char *strata_site_kind(const struct strata_site *x, char *out, size_t size)
{
    if (x->inst->space == STRATA_SPACE_NONE) {
        snprintf(out, size, "%s", kind_without_memory(x->inst));
        return out;
    }
    static const char *const spaces[STRATA_N_SPACE] = {"other",  "global",   "local",
                                                       "shared", "constant", "texture"};
    static const char *const operations[STRATA_N_MEMOP] = {
        "access", "load", "store", "atomic", "reduction", "copy to shared", "prefetch"};
    snprintf(out, size, "%s %s", x->inst->space < STRATA_N_SPACE ? spaces[x->inst->space] : "other",
             x->inst->memop < STRATA_N_MEMOP ? operations[x->inst->memop] : "access");
    return out;
}

/* ---- lines ---- */

static bool is_same_line(const struct strata_site *a, const struct strata_site *b)
{
    return a->inst->source_line == b->inst->source_line && a->inst->space == b->inst->space &&
           a->inst->memop == b->inst->memop;
}

static void merge(struct strata_site *into, struct strata_site *x)
{
    if (strata_site_cost(x) > strata_site_cost(into)) {
        into->inst = x->inst;
        into->index = x->index;
    }
    into->executions += x->executions;
    into->lanes += x->lanes;
    into->sectors += x->sectors;
    into->ideal_sectors += x->ideal_sectors;
    into->load_sectors += x->load_sectors;
    into->written_sectors += x->written_sectors;
    into->atomics += x->atomics;
    into->l1_hits += x->l1_hits;
    into->l2_reads += x->l2_reads;
    into->l2_hits += x->l2_hits;
    into->dram_reads += x->dram_reads;
    into->bank_conflicts += x->bank_conflicts;
    into->waited_cycles += x->waited_cycles;
    x->inst = NULL;
}

void strata_sites_merge_lines(struct strata_sites *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = i + 1; s->site[i].inst && k < s->n; k++)
            if (s->site[k].inst && is_same_line(&s->site[i], &s->site[k]))
                merge(&s->site[i], &s->site[k]);
    drop_unused(s);
}

static int by_cost(const void *a, const void *b)
{
    const struct strata_site *x = a, *y = b;
    const uint64_t left[] = {strata_site_cost(x), strata_site_beyond(x), x->sectors,
                             x->waited_cycles},
                   right[] = {strata_site_cost(y), strata_site_beyond(y), y->sectors,
                              y->waited_cycles};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? 1 : -1;
    return x->inst->pc < y->inst->pc ? -1 : x->inst->pc > y->inst->pc;
}

static int by_waits(const void *a, const void *b)
{
    const struct strata_site *x = a, *y = b;
    if (x->waited_cycles != y->waited_cycles)
        return x->waited_cycles < y->waited_cycles ? 1 : -1;
    return by_cost(a, b);
}

void strata_sites_sort_by_waits(struct strata_sites *s)
{
    if (s->n)
        qsort(s->site, s->n, sizeof *s->site, by_waits);
}

void strata_sites_sort(struct strata_sites *s)
{
    if (s->n)
        qsort(s->site, s->n, sizeof *s->site, by_cost);
}

bool strata_sites_have_lines(const struct strata_sites *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->site[i].inst->source_line)
            return true;
    return false;
}
