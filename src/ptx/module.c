/* module.c - the public face of modules: creation, entries, symbols. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

/* ---- memory of the C library ---- */

static void *libc_allocate(void *user, uint64_t bytes, uint64_t align_bytes)
{
    (void)user;
    if (align_bytes < 64)
        align_bytes = 64;
    return aligned_alloc(align_bytes, round_up(bytes, align_bytes));
}

static void libc_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

bool ptx_find_range(struct strata_ptx_module *m, uint64_t address, struct strata_ptx_range *out)
{
    if (!m->memory.find) {
        *out = (struct strata_ptx_range){0, UINT64_MAX};
        return true;
    }
    if (m->memory.find(m->memory.user, address, out))
        return true;
    for (size_t i = 0; i < m->n_symbols; i++) {
        uint64_t base = (uint64_t)(uintptr_t)m->symbols[i].address;
        if (address - base < m->symbols[i].bytes) {
            *out = (struct strata_ptx_range){base, m->symbols[i].bytes};
            return true;
        }
    }
    if (address - (uint64_t)(uintptr_t)m->workspace < PTX_WORKSPACE_BYTES) {
        *out = (struct strata_ptx_range){(uint64_t)(uintptr_t)m->workspace, PTX_WORKSPACE_BYTES};
        return true;
    }
    return false;
}

/* ---- entries ---- */

static bool describe_params(struct strata_ptx_module *m, struct ptx_function *f,
                            struct strata_ptx_entry *entry)
{
    for (const struct ptx_var *v = f->params; v; v = v->next)
        entry->n_params++;
    struct strata_ptx_param *params =
        ptx_pool_allocate(&m->ast.pool, (entry->n_params + 1) * sizeof *params);
    if (!params)
        return false;
    entry->params = params;
    entry->param_bytes = f->param_bytes;
    for (const struct ptx_var *v = f->params; v; v = v->next)
        *params++ = (struct strata_ptx_param){m->ast.names.text[v->name], (uint32_t)v->offset,
                                              (uint32_t)v->bytes, v->align};
    return true;
}

static strata_status add_entry(struct strata_ptx_module *m, struct ptx_function *f,
                               struct strata_error *err)
{
    struct strata_ptx_entry *entry = &m->entries[m->n_entries];
    struct ptx_image *image = &m->images[m->n_entries];
    memset(entry, 0, sizeof *entry);
    memset(image, 0, sizeof *image);
    m->n_entries++; /* so that a failure releases it */
    if (!describe_params(m, f, entry))
        return strata_fail(err, STRATA_ENOMEM, f->unit->name, 0, 0, "out of memory while decoding");
    strata_status status = ptx_decode(m, f, image, err);
    if (status != STRATA_OK)
        return status;
    entry->name = m->ast.names.text[f->name];
    entry->source = f->unit->name;
    entry->shared_static_bytes = image->shared_bytes;
    entry->uses_dynamic_shared = image->uses_dynamic_shared;
    entry->local_bytes = f->local_bytes;
    entry->registers_estimate = image->registers_estimate;
    entry->max_threads = f->max_threads;
    memcpy(entry->required_threads, f->required_threads, sizeof entry->required_threads);
    entry->min_blocks_per_sm = f->min_blocks;
    entry->instructions = image->n_ops;
    return STRATA_OK;
}

static strata_status add_entries(struct strata_ptx_module *m, struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_functions; i++)
        n += m->functions[i]->is_entry && m->functions[i]->has_body;
    m->entries = calloc(n + 1, sizeof *m->entries);
    m->images = calloc(n + 1, sizeof *m->images);
    if (!m->entries || !m->images)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "out of memory while decoding PTX");
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

static strata_status load(struct strata_ptx_module *m, const struct strata_ptx_source *sources,
                          size_t n, struct strata_error *err)
{
    for (size_t i = 0; i < n; i++) {
        strata_status status = ptx_parse(&m->ast, &sources[i], err);
        if (status != STRATA_OK)
            return status;
    }
    m->workspace = m->memory.allocate(m->memory.user, PTX_WORKSPACE_BYTES, 256);
    if (!m->workspace)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "no device memory for a module");
    memset(m->workspace, 0, PTX_WORKSPACE_BYTES);
    strata_status status = ptx_link(m, err);
    return status == STRATA_OK ? add_entries(m, err) : status;
}

strata_status strata_ptx_module_create(const struct strata_ptx_source *sources, size_t n_sources,
                                       const struct strata_ptx_memory *memory,
                                       struct strata_ptx_module **out, struct strata_error *err)
{
    struct strata_ptx_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "out of memory while loading PTX");
    if (memory)
        m->memory = *memory;
    if (!m->memory.allocate) {
        m->memory.allocate = libc_allocate;
        m->memory.release = libc_release;
    }
    strata_status status = load(m, sources, n_sources, err);
    if (status != STRATA_OK) {
        strata_ptx_module_destroy(m);
        return status;
    }
    *out = m;
    return STRATA_OK;
}

void strata_ptx_module_destroy(struct strata_ptx_module *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_entries; i++)
        ptx_image_release(&m->images[i]);
    for (size_t i = 0; i < m->n_symbols; i++)
        m->memory.release(m->memory.user, m->symbols[i].address);
    if (m->workspace)
        m->memory.release(m->memory.user, m->workspace);
    free(m->entries);
    free(m->images);
    free(m->symbols);
    free(m->functions);
    ptx_ast_release(&m->ast);
    free(m);
}

/* ---- queries ---- */

size_t strata_ptx_entry_count(const struct strata_ptx_module *m)
{
    return m->n_entries;
}
const struct strata_ptx_entry *strata_ptx_entry_get(const struct strata_ptx_module *m, size_t i)
{
    return i < m->n_entries ? &m->entries[i] : NULL;
}
const struct strata_ptx_entry *strata_ptx_entry_find(const struct strata_ptx_module *m,
                                                     const char *name)
{
    for (size_t i = 0; i < m->n_entries; i++)
        if (!strcmp(m->entries[i].name, name))
            return &m->entries[i];
    return NULL;
}
uint32_t strata_ptx_module_sm(const struct strata_ptx_module *m)
{
    return m->ast.units ? m->ast.units->sm : 0;
}
size_t strata_ptx_symbol_count(const struct strata_ptx_module *m)
{
    return m->n_symbols;
}
const struct strata_ptx_symbol *strata_ptx_symbol_get(const struct strata_ptx_module *m, size_t i)
{
    return i < m->n_symbols ? &m->symbols[i] : NULL;
}
const struct strata_ptx_symbol *strata_ptx_symbol_find(const struct strata_ptx_module *m,
                                                       const char *name)
{
    for (size_t i = 0; i < m->n_symbols; i++)
        if (!strcmp(m->symbols[i].name, name))
            return &m->symbols[i];
    return NULL;
}
