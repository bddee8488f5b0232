/* sass_variables.c - where the variables of a module lie. The driver does not keep the layout of
 * the cubin's sections: every variable gets a place of its own, in the order of the symbols
 * (device/probe/place_probe.cu), which decides how many sectors a warp touches. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "sass/module.h"

static bool is_variable(const struct sass_module *m, const struct sass_symbol *s)
{
    return s->section != SASS_UNDEFINED && s->type == STT_OBJECT &&
           m->cubin.section[s->section].kind == SASS_SECTION_GLOBAL;
}

/* A section whose bytes are patched, or that is named as a whole, keeps its layout. */
static void keep_named_sections(const struct sass_module *m, bool *keeps)
{
    for (uint32_t i = 0; i < m->cubin.n_relocations; i++) {
        const struct sass_relocation *r = &m->cubin.relocation[i];
        const struct sass_symbol *s = &m->cubin.symbol[r->symbol];
        keeps[r->section] = true;
        if (s->section != SASS_UNDEFINED && s->type != STT_OBJECT)
            keeps[s->section] = true;
    }
}

static int by_section_and_value(const void *a, const void *b)
{
    const struct sass_symbol *x = *(const struct sass_symbol *const *)a,
                             *y = *(const struct sass_symbol *const *)b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* So does one in which a name has no bytes of its own, or reaches past the end. */
static bool keep_shared_sections(const struct sass_module *m, bool *keeps)
{
    uint32_t n = 0;
    const struct sass_symbol **sorted = malloc((m->cubin.n_symbols + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < m->cubin.n_symbols; i++)
        if (is_variable(m, &m->cubin.symbol[i]))
            sorted[n++] = &m->cubin.symbol[i];
    qsort(sorted, n, sizeof *sorted, by_section_and_value);
    for (uint32_t i = 0; i < n; i++) {
        const struct sass_symbol *s = sorted[i];
        bool next = i + 1 < n && sorted[i + 1]->section == s->section;
        uint64_t end = next ? sorted[i + 1]->value : m->cubin.section[s->section].size;
        if (end < s->value || s->size > end - s->value || !s->size)
            keeps[s->section] = true;
    }
    free(sorted);
    return true;
}

bool sass_sections_kept(const struct sass_module *m, bool *keeps)
{
    for (uint32_t i = 0; i < m->cubin.n_sections; i++)
        keeps[i] = m->cubin.section[i].kind != SASS_SECTION_GLOBAL;
    keep_named_sections(m, keeps);
    return keep_shared_sections(m, keeps);
}

bool sass_place_variables(struct sass_module *m, const bool *keeps)
{
    struct strata_device_memory *memory = &m->base.memory;
    m->variables = calloc(m->cubin.n_symbols + 1, sizeof *m->variables);
    if (!m->variables)
        return false;
    for (uint32_t i = 0; i < m->cubin.n_symbols; i++) {
        const struct sass_symbol *s = &m->cubin.symbol[i];
        if (!is_variable(m, s) || keeps[s->section])
            continue;
        const struct sass_section *in = &m->cubin.section[s->section];
        m->variables[i] = memory->allocate(memory->user, s->size, in->align);
        if (!m->variables[i])
            return false;
        if (in->bytes)
            memcpy(m->variables[i], in->bytes + s->value, s->size);
        else
            memset(m->variables[i], 0, s->size);
    }
    return true;
}

uint8_t *sass_variable(const struct sass_module *m, uint32_t symbol)
{
    const struct sass_symbol *s = &m->cubin.symbol[symbol];
    return m->variables[symbol] ? m->variables[symbol] : m->places[s->section].bytes + s->value;
}

void sass_release_variables(struct sass_module *m)
{
    for (uint32_t i = 0; m->variables && i < m->cubin.n_symbols; i++)
        if (m->variables[i])
            m->base.memory.release(m->base.memory.user, m->variables[i]);
    free(m->variables);
}
