/* trace_compare.c - are two traces the same, record by record?
 *
 * usage: trace_compare A B
 * Compares events, every field of every launch, and of every executed warp instruction all that a
 * cursor delivers. Prints the number of records and exits 0, or the first difference and 1. */
#include <stdio.h>
#include <string.h>

#include <strata/trace.h>

static int differ(const char *what, uint64_t launch, uint64_t block, uint32_t warp, uint64_t place)
{
    printf("%s differs in launch %llu, thread block %llu, warp %u, instruction %llu\n", what,
           (unsigned long long)launch, (unsigned long long)block, warp, (unsigned long long)place);
    return 1;
}

static const char *inst_difference(const struct strata_inst *a, const struct strata_inst *b)
{
    if (strcmp(a->opcode, b->opcode))
        return "opcode";
    if (a->pc != b->pc || a->source_line != b->source_line)
        return "pc or line";
    if (a->imm != b->imm || a->hints != b->hints || a->opclass != b->opclass ||
        a->space != b->space)
        return "immediate, hints, class or space";
    if (a->memop != b->memop || a->width_bytes != b->width_bytes ||
        a->trace_width != b->trace_width)
        return "memory operation or width";
    if (a->n_dst != b->n_dst || a->n_src != b->n_src || memcmp(a->reg, b->reg, sizeof a->reg))
        return "registers";
    return NULL;
}

static const char *winst_difference(const struct strata_winst *a, const struct strata_winst *b)
{
    uint64_t x[STRATA_WARP_SIZE], y[STRATA_WARP_SIZE];
    if (a->mask != b->mask)
        return "mask";
    if (a->addr_kind != b->addr_kind)
        return "kind of addresses";
    strata_winst_addresses(a, x);
    strata_winst_addresses(b, y);
    if (memcmp(x, y, sizeof x))
        return "address";
    return inst_difference(a->inst, b->inst);
}

static const char *launch_difference(const struct strata_launch *a, const struct strata_launch *b)
{
    if (strcmp(a->program, b->program) || strcmp(a->trace, b->trace) ||
        strcmp(a->kernel, b->kernel))
        return "name";
    if (a->id != b->id || memcmp(&a->grid, &b->grid, sizeof a->grid) ||
        memcmp(&a->block, &b->block, sizeof a->block))
        return "id or shape";
    if (a->registers_per_thread != b->registers_per_thread ||
        a->shared_static_bytes != b->shared_static_bytes ||
        a->shared_dynamic_bytes != b->shared_dynamic_bytes)
        return "registers or shared memory";
    if (a->sm_version != b->sm_version || a->isa != b->isa || a->stream != b->stream ||
        a->shared_base != b->shared_base || a->local_base != b->local_base ||
        a->sampled_blocks != b->sampled_blocks)
        return "origin";
    return NULL;
}

struct pair {
    struct strata_reader *reader[2];
    struct strata_block *block[2];
    struct strata_cursor cursor[2];
    uint64_t launch, n;
};

static int compare_warp(struct pair *p, uint32_t warp)
{
    struct strata_winst w[2];
    uint64_t place = 0;
    for (int k = 0; k < 2; k++)
        if (strata_cursor_init(&p->cursor[k], p->block[k], warp, NULL))
            return differ("readability", p->launch, p->block[0]->index, warp, 0);
    for (;; place++, p->n++) {
        bool more[2] = {strata_cursor_next(&p->cursor[0], &w[0]),
                        strata_cursor_next(&p->cursor[1], &w[1])};
        if (more[0] != more[1])
            return differ("length", p->launch, p->block[0]->index, warp, place);
        if (!more[0])
            return 0;
        const char *what = winst_difference(&w[0], &w[1]);
        if (what)
            return differ(what, p->launch, p->block[0]->index, warp, place);
    }
}

static int compare_blocks(struct pair *p)
{
    int different = 0;
    struct strata_error err;
    while (!different) {
        strata_status status[2];
        for (int k = 0; k < 2; k++)
            status[k] = strata_reader_next(p->reader[k], &p->block[k], &err);
        if (status[0] == STRATA_END && status[1] == STRATA_END)
            return 0;
        if (status[0] || status[1] || p->block[0]->index != p->block[1]->index ||
            p->block[0]->n_warps != p->block[1]->n_warps)
            different =
                differ("list of blocks", p->launch, p->block[0] ? p->block[0]->index : 0, 0, 0);
        for (uint32_t w = 0; !different && w < p->block[0]->n_warps; w++)
            different = compare_warp(p, w);
        strata_block_destroy(p->block[0]);
        strata_block_destroy(p->block[1]);
    }
    return different;
}

static int compare_launch(struct strata_trace *const t[2], size_t i, struct pair *p)
{
    struct strata_error err;
    int different = 0;
    p->launch = i;
    for (int k = 0; k < 2; k++)
        if (strata_reader_open(t[k], i, &p->reader[k], &err)) {
            printf("launch %zu: %s\n", i, err.message);
            different = 1;
        }
    if (!different) {
        const char *what = launch_difference(strata_reader_launch(p->reader[0]),
                                             strata_reader_launch(p->reader[1]));
        different = what ? differ(what, i, 0, 0, 0) : compare_blocks(p);
    }
    strata_reader_close(p->reader[0]);
    strata_reader_close(p->reader[1]);
    p->reader[0] = p->reader[1] = NULL;
    return different;
}

static int compare_events(struct strata_trace *const t[2])
{
    size_t n = strata_trace_event_count(t[0]);
    if (n != strata_trace_event_count(t[1]) ||
        strata_trace_launch_count(t[0]) != strata_trace_launch_count(t[1]))
        return printf("the numbers of events or launches differ\n"), 1;
    for (size_t i = 0; i < n; i++) {
        const struct strata_event *a = strata_trace_event(t[0], i),
                                  *b = strata_trace_event(t[1], i);
        if (a->kind != b->kind || a->launch != b->launch || a->address != b->address ||
            a->bytes != b->bytes)
            return printf("event %zu differs\n", i), 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct strata_trace *t[2] = {NULL, NULL};
    struct strata_error err;
    struct pair p = {0};
    if (argc != 3)
        return 2;
    for (int k = 0; k < 2; k++)
        if (strata_trace_open(argv[1 + k], NULL, &t[k], &err)) {
            printf("%s: %s\n", argv[1 + k], err.message);
            strata_trace_close(t[0]);
            return 3;
        }
    int different = compare_events(t);
    for (size_t i = 0; !different && i < strata_trace_launch_count(t[0]); i++)
        different = compare_launch(t, i, &p);
    if (!different)
        printf("%zu launches, %llu records: identical\n", strata_trace_launch_count(t[0]),
               (unsigned long long)p.n);
    for (int k = 0; k < 2; k++) {
        strata_cursor_release(&p.cursor[k]);
        strata_trace_close(t[k]);
    }
    return different;
}
