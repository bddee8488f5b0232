/* generate.c - synthetic traces as a trace format of their own: kinds, parameters, blocks on
 * demand. */
#include "trace/generate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

static const struct generator *const generators[] = {
    &generate_column_copy, &generate_stream,       &generate_strided,   &generate_gather,
    &generate_chase,       &generate_broadcast,    &generate_stencil2d, &generate_stencil3d,
    &generate_matmul,      &generate_matmul_tiled,
};
enum { N_GENERATORS = sizeof generators / sizeof generators[0] };

const struct strata_generate_kind *const *strata_generate_kinds(size_t *n)
{
    static const struct strata_generate_kind *const kinds[] = {
        &generate_column_copy.kind,  &generate_stream.kind,    &generate_strided.kind,
        &generate_gather.kind,       &generate_chase.kind,     &generate_broadcast.kind,
        &generate_stencil2d.kind,    &generate_stencil3d.kind, &generate_matmul.kind,
        &generate_matmul_tiled.kind,
    };
    *n = sizeof kinds / sizeof kinds[0];
    return kinds;
}

/* ---- emitting ---- */

void emit(struct emitter *e, unsigned row, uint32_t mask)
{
    if (e->status == STRATA_OK)
        e->status = strata_builder_add(e->builder, e->index[row], mask, NULL, e->err);
}

void emit_access(struct emitter *e, unsigned row, uint32_t mask,
                 const uint64_t addr[STRATA_WARP_SIZE])
{
    if (e->status == STRATA_OK)
        e->status = strata_builder_add(e->builder, e->index[row], mask, mask ? addr : NULL, e->err);
}

/* ---- planning ---- */

void plan_grid(struct generate_plan *p, uint64_t blocks_x, uint64_t blocks_y, uint32_t threads_x,
               uint32_t threads_y)
{
    p->launch.grid = (struct strata_dim3){(uint32_t)blocks_x, (uint32_t)blocks_y, 1};
    p->launch.block = (struct strata_dim3){threads_x, threads_y, 1};
}

void plan_input(struct generate_plan *p, unsigned array, uint64_t bytes)
{
    p->input[p->n_inputs++] = (struct strata_event){
        .kind = STRATA_EVENT_MEMCPY_HTOD, .address = array_base(array), .bytes = bytes};
}

strata_status plan_too_large(const struct generate_plan *p, const char *what,
                             struct strata_error *err)
{
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "%s: %s; choose smaller values.",
                       p->generator->kind.name, what);
}

static const struct generator *find_generator(const char *name, struct strata_error *err)
{
    char names[256] = "";
    for (size_t i = 0; i < N_GENERATORS; i++)
        if (!strcmp(generators[i]->kind.name, name))
            return generators[i];
    for (size_t i = 0; i < N_GENERATORS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 generators[i]->kind.name);
    strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "there is no kind of trace \"%s\"; there are: %s.",
                name, names);
    return NULL;
}

/* A decimal number, with K, M or G (1000) or Ki, Mi, Gi (1024) and an optional B behind it. */
static bool parse_value(const char *text, uint64_t *out)
{
    static const char letters[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *letter = *end ? strchr(letters, *end == 'k' ? 'K' : *end) : NULL;
    uint64_t factor = 1;
    if (letter) {
        unsigned power = (unsigned)(letter - letters) + 1;
        uint64_t step = *++end == 'i' ? 1024 : 1000;
        end += *end == 'i';
        while (power--)
            factor *= step;
    }
    end += *end == 'B';
    if (errno || *end || (value && factor > UINT64_MAX / value))
        return false;
    *out = value * factor;
    return true;
}

static strata_status bad_value(const struct strata_generate_kind *kind,
                               const struct strata_generate_parameter *p, const char *text,
                               struct strata_error *err)
{
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "%s: %s=%s is not a whole number from %llu to %llu.", kind->name, p->name,
                       text, (unsigned long long)p->least, (unsigned long long)p->most);
}

static strata_status set_parameter(struct generate_plan *plan, const char *word,
                                   struct strata_error *err)
{
    const struct strata_generate_kind *kind = &plan->generator->kind;
    size_t length = strcspn(word, "=");
    char names[256] = "";
    for (size_t i = 0; i < STRATA_GENERATE_MAX_PARAMETERS && kind->parameter[i].name; i++) {
        const struct strata_generate_parameter *p = &kind->parameter[i];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 p->name);
        if (strlen(p->name) != length || strncmp(p->name, word, length))
            continue;
        if (!word[length] || !parse_value(word + length + 1, &plan->value[i]) ||
            plan->value[i] < p->least || plan->value[i] > p->most)
            return bad_value(kind, p, word[length] ? word + length + 1 : "", err);
        return STRATA_OK;
    }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "%s has no parameter \"%.*s\"; it has: %s.",
                       kind->name, (int)length, word, names);
}

static strata_status make_plan(struct generate_plan *plan, const char *const *settings,
                               struct strata_error *err)
{
    const struct strata_generate_kind *kind = &plan->generator->kind;
    for (size_t i = 0; i < STRATA_GENERATE_MAX_PARAMETERS && kind->parameter[i].name; i++)
        plan->value[i] = kind->parameter[i].preset;
    for (; settings && *settings; settings++) {
        strata_status status = set_parameter(plan, *settings, err);
        if (status != STRATA_OK)
            return status;
    }
    plan->launch = (struct strata_launch){.program = kind->name,
                                          .trace = kind->name,
                                          .kernel = kind->name,
                                          .id = 1,
                                          .registers_per_thread = 16,
                                          .sm_version = 90,
                                          .isa = STRATA_ISA_SYNTHETIC};
    return plan->generator->plan(plan, err);
}

/* ---- the trace ---- */

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "to generate a trace");
}

static void generated_close(struct strata_trace *t)
{
    free(t->impl);
}

struct generated_reader {
    struct emitter emitter;
    struct strata_builder *builder;
    uint32_t *index;
    uint64_t next;
};

static strata_status declare(struct strata_code *code, const struct generate_code *row, uint64_t pc,
                             uint32_t *index, struct strata_error *err)
{
    struct strata_inst inst;
    memset(&inst, 0, sizeof inst);
    inst.pc = pc;
    inst.opcode = row->opcode;
    bool has_addresses = !strncmp(row->opcode, "LD", 2) || !strncmp(row->opcode, "ST", 2);
    strata_inst_decode_sass(&inst, has_addresses && strcmp(row->opcode, "LDC"), false);
    inst.trace_width = inst.opclass == STRATA_OP_MEM ? inst.width_bytes : 0;
    if (row->dst != NO_REGISTER)
        inst.reg[inst.n_dst++] = row->dst;
    for (unsigned k = 0; k < 3 && row->src[k] != NO_REGISTER; k++)
        inst.reg[inst.n_dst + inst.n_src++] = row->src[k];
    return strata_code_add(code, &inst, index, err);
}

static strata_status generated_reader_open(struct strata_reader *r, struct strata_error *err)
{
    const struct generate_plan *plan = r->trace->impl;
    const struct generator *g = plan->generator;
    struct generated_reader *impl = calloc(1, sizeof *impl);
    r->impl = impl;
    if (!impl || !(impl->index = calloc(g->n_code, sizeof *impl->index)))
        return no_memory(err);
    for (size_t i = 0; i < g->n_code; i++) {
        strata_status status = declare(r->code, &g->code[i], i * 16, &impl->index[i], err);
        if (status != STRATA_OK)
            return status;
    }
    return strata_builder_create(r->code, &impl->builder, err);
}

static uint32_t lanes_of_warp(const struct strata_launch *l, uint32_t warp)
{
    uint32_t left = strata_launch_threads_per_block(l) - warp * STRATA_WARP_SIZE;
    return left >= STRATA_WARP_SIZE ? 0xffffffffu : (1u << left) - 1;
}

static strata_status emit_warp(struct generated_reader *impl, const struct generate_plan *plan,
                               uint64_t block, uint32_t warp, struct strata_error *err)
{
    const struct strata_dim3 *grid = &plan->launch.grid;
    struct emitter e = {.plan = plan,
                        .builder = impl->builder,
                        .index = impl->index,
                        .block = block,
                        .warp = warp,
                        .mask = lanes_of_warp(&plan->launch, warp),
                        .at = {(uint32_t)(block % grid->x), (uint32_t)(block / grid->x % grid->y),
                               (uint32_t)(block / grid->x / grid->y)},
                        .err = err};
    e.status = strata_builder_begin_warp(impl->builder, warp, err);
    plan->generator->warp(&e);
    return e.status;
}

static strata_status generated_reader_next(struct strata_reader *r, struct strata_block **out,
                                           struct strata_error *err)
{
    struct generated_reader *impl = r->impl;
    const struct generate_plan *plan = r->trace->impl;
    if (impl->next >= strata_launch_blocks(&plan->launch))
        return STRATA_END;
    uint32_t n_warps = strata_launch_warps_per_block(&plan->launch);
    strata_status status = strata_builder_begin_block(impl->builder, impl->next, n_warps, err);
    for (uint32_t warp = 0; status == STRATA_OK && warp < n_warps; warp++)
        status = emit_warp(impl, plan, impl->next, warp, err);
    if (status == STRATA_OK)
        status = strata_builder_end_block(impl->builder, out, err);
    impl->next++;
    return status;
}

static strata_status generated_reader_seek(struct strata_reader *r, uint64_t block_index,
                                           struct strata_error *err)
{
    struct generated_reader *impl = r->impl;
    (void)err;
    if (block_index >= strata_launch_blocks(&r->launch))
        return STRATA_END;
    impl->next = block_index;
    return STRATA_OK;
}

static void generated_reader_close(struct strata_reader *r)
{
    struct generated_reader *impl = r->impl;
    if (!impl)
        return;
    strata_builder_destroy(impl->builder);
    free(impl->index);
    free(impl);
}

static const struct strata_trace_format generated_format = {
    .name = "generated",
    .summary = "made by a generator",
    .close = generated_close,
    .reader_open = generated_reader_open,
    .reader_next = generated_reader_next,
    .reader_seek = generated_reader_seek,
    .reader_close = generated_reader_close,
};

static strata_status fill_trace(struct strata_trace *t, const struct generate_plan *plan,
                                struct strata_error *err)
{
    strata_status status = trace_add_launch(t, &plan->launch, err);
    for (size_t i = 0; status == STRATA_OK && i < plan->n_inputs; i++)
        status = trace_add_event(t, &plan->input[i], err);
    struct strata_event launch = {.kind = STRATA_EVENT_LAUNCH, .launch = 0};
    return status == STRATA_OK ? trace_add_event(t, &launch, err) : status;
}

/* A trace with an empty plan; NULL: no memory. */
static struct strata_trace *new_trace(const struct generator *g)
{
    struct strata_trace *t = calloc(1, sizeof *t);
    struct generate_plan *plan = calloc(1, sizeof *plan);
    if (!t || !plan || !(t->path = strdup(g->kind.name))) {
        free(t);
        free(plan);
        return NULL;
    }
    t->format = &generated_format;
    t->impl = plan;
    plan->generator = g;
    strata_trace_options_init(&t->options);
    return t;
}

static strata_status finish_trace(struct strata_trace *t, strata_status status,
                                  struct strata_trace **out, struct strata_error *err)
{
    if (status == STRATA_OK)
        status = fill_trace(t, t->impl, err);
    if (status == STRATA_OK)
        *out = t;
    else
        strata_trace_close(t);
    return status;
}

strata_status generate_kernel(const struct generator *g, const struct strata_launch *launch,
                              void *context, struct strata_trace **out, struct strata_error *err)
{
    struct strata_trace *t = new_trace(g);
    *out = NULL;
    if (!t)
        return no_memory(err);
    struct generate_plan *plan = t->impl;
    plan->launch = *launch;
    plan->context = context;
    return finish_trace(t, STRATA_OK, out, err);
}

strata_status strata_generate(const char *kind, const char *const *settings,
                              struct strata_trace **out, struct strata_error *err)
{
    struct strata_error local;
    *out = NULL;
    if (!err)
        err = &local;
    const struct generator *generator = find_generator(kind, err);
    if (!generator)
        return STRATA_EUSAGE;
    struct strata_trace *t = new_trace(generator);
    if (!t)
        return no_memory(err);
    return finish_trace(t, make_plan(t->impl, settings, err), out, err);
}
