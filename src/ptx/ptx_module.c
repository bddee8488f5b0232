/* ptx_module.c - the modules from PTX: creation and entries. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/warp.h"

/* ---- entries ---- */

static bool describe_params(struct ptx_module *m, struct ptx_function *f,
                            struct strata_entry *entry)
{
    for (const struct ptx_var *v = f->params; v; v = v->next)
        entry->n_params++;
    struct strata_param *params =
        ptx_pool_allocate(&m->ast.pool, (entry->n_params + 1) * sizeof *params);
    if (!params)
        return false;
    entry->params = params;
    entry->param_bytes = f->param_bytes;
    for (const struct ptx_var *v = f->params; v; v = v->next)
        *params++ = (struct strata_param){m->ast.names.text[v->name], (uint32_t)v->offset,
                                          (uint32_t)v->bytes, v->align};
    return true;
}

/* Lines of inlined functions are those of their calls, so that nearly all are of one file. */
static const char *main_source_file(const struct ptx_function *f)
{
    const struct ptx_source_file *best = NULL;
    size_t most = 0;
    for (const struct ptx_source_file *file = f->unit->files; file; file = file->next) {
        size_t n = 0;
        for (size_t i = 0; i < f->n_ops; i++)
            n += f->ops[i].source_line && f->ops[i].source_file == file->number;
        if (n > most) {
            most = n;
            best = file;
        }
    }
    return best ? best->path : NULL;
}

static strata_status add_entry(struct ptx_module *m, struct ptx_function *f,
                               struct strata_error *err)
{
    struct strata_entry *entry = &m->base.entries[m->base.n_entries];
    struct ptx_image *image = &m->images[m->base.n_entries];
    memset(entry, 0, sizeof *entry);
    memset(image, 0, sizeof *image);
    m->base.n_entries++; /* so that a failure releases it */
    entry->source_file = main_source_file(f);
    if (!describe_params(m, f, entry))
        return strata_no_memory(err, f->unit->name, "to decode");
    strata_status status = ptx_decode(m, f, image, err);
    if (status != STRATA_OK)
        return status;
    entry->name = m->ast.names.text[f->name];
    entry->source = f->unit->name;
    entry->shared_static_bytes = image->base.shared_bytes - image->shared_reserved_bytes;
    entry->uses_dynamic_shared = image->uses_dynamic_shared;
    entry->local_bytes = f->local_bytes;
    entry->registers = image->registers_estimate;
    entry->max_threads = f->max_threads;
    memcpy(entry->required_threads, f->required_threads, sizeof entry->required_threads);
    memcpy(entry->required_cluster, f->required_cluster, sizeof entry->required_cluster);
    entry->min_blocks_per_sm = f->min_blocks;
    entry->instructions = image->n_ops;
    return STRATA_OK;
}

static strata_status add_entries(struct ptx_module *m, struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_functions; i++)
        n += m->functions[i]->is_entry && m->functions[i]->has_body;
    m->base.entries = calloc(n + 1, sizeof *m->base.entries);
    m->images = calloc(n + 1, sizeof *m->images);
    if (!m->base.entries || !m->images)
        return strata_no_memory(err, NULL, "to decode PTX");
    for (size_t i = 0; i < m->n_functions; i++) {
        struct ptx_function *f = m->functions[i];
        if (!f->is_entry || !f->has_body || f->same != f)
            continue;
        strata_status status = add_entry(m, f, err);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

/* ---- creation ---- */

static strata_status load(struct ptx_module *m, const struct strata_ptx_source *sources, size_t n,
                          const struct strata_device_memory *memory, struct strata_error *err)
{
    for (size_t i = 0; i < n; i++) {
        strata_status status = ptx_parse(&m->ast, &sources[i], err);
        if (status != STRATA_OK)
            return status;
    }
    if (!emu_module_init(&m->base, &ptx_executor, memory))
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "no device memory for a module");
    m->base.sm = m->ast.units ? m->ast.units->sm : 0;
    strata_status status = ptx_link(m, err);
    return status == STRATA_OK ? add_entries(m, err) : status;
}

strata_status strata_ptx_module_create(const struct strata_ptx_source *sources, size_t n_sources,
                                       const struct strata_device_memory *memory,
                                       struct strata_module **out, struct strata_error *err)
{
    return strata_ptx_module_create_beside(sources, n_sources, NULL, memory, out, err);
}

strata_status strata_ptx_module_create_beside(const struct strata_ptx_source *sources,
                                              size_t n_sources, const struct strata_module *beside,
                                              const struct strata_device_memory *memory,
                                              struct strata_module **out, struct strata_error *err)
{
    struct ptx_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return strata_no_memory(err, NULL, "to load PTX");
    m->base.executor = &ptx_executor;
    m->beside = beside;
    strata_status status = load(m, sources, n_sources, memory, err);
    if (status != STRATA_OK) {
        ptx_module_destroy(&m->base);
        return status;
    }
    *out = &m->base;
    return STRATA_OK;
}

void ptx_module_destroy(struct strata_module *base)
{
    struct ptx_module *m = (struct ptx_module *)base;
    for (size_t i = 0; i < m->base.n_entries; i++)
        ptx_image_release(&m->images[i]);
    free(m->images);
    free(m->functions);
    ptx_ast_release(&m->ast);
    for (size_t i = 0; i < base->n_symbols; i++)
        base->memory.release(base->memory.user, base->symbols[i].address);
    emu_module_release(base);
    free(m);
}

struct emu_image *ptx_module_image(struct strata_module *base, size_t entry,
                                   struct strata_error *err)
{
    (void)err;
    return &((struct ptx_module *)base)->images[entry].base;
}
