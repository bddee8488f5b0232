/* sass_module.c - from a cubin to a module: sections are placed, symbols get addresses, relocations
 * are applied. */
#include "sass/module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sass.h>

#include "base/array.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a cubin");
}

/* ---- sections ---- */

static uint32_t shared_reserved(uint32_t arch)
{
    return arch >= 90 ? EMU_SHARED_RESERVED_BYTES : 0;
}

static bool place_section(struct sass_module *m, uint32_t index, bool kept, uint64_t *next_code)
{
    const struct sass_section *s = &m->cubin.section[index];
    struct sass_place *p = &m->places[index];
    struct strata_device_memory *memory = &m->base.memory;
    bool device =
        s->kind == SASS_SECTION_GLOBAL || (s->kind == SASS_SECTION_CONSTANT && s->bank == 3);
    if (s->kind == SASS_SECTION_SHARED) {
        p->address = shared_reserved(m->cubin.arch);
        return true;
    }
    if (s->kind == SASS_SECTION_OTHER || !s->size)
        return true;
    p->is_device = device;
    if (!kept)
        return true;
    p->bytes = device ? memory->allocate(memory->user, s->size, s->align > 256 ? s->align : 256)
                      : malloc(s->size);
    if (!p->bytes)
        return false;
    if (s->bytes)
        memcpy(p->bytes, s->bytes, s->size);
    else
        memset(p->bytes, 0, s->size);
    p->address = (uint64_t)(uintptr_t)p->bytes;
    if (s->kind == SASS_SECTION_CODE) {
        p->address = *next_code;
        *next_code += (s->size + 0xfff) & ~0xfffull;
    }
    return true;
}

static bool place_sections(struct sass_module *m)
{
    uint64_t next_code = SASS_CODE_BASE;
    m->places = calloc(m->cubin.n_sections + 1, sizeof *m->places);
    bool *kept = calloc(m->cubin.n_sections + 1, sizeof *kept);
    bool ok = m->places && kept && sass_sections_kept(m, kept);
    for (uint32_t i = 0; ok && i < m->cubin.n_sections; i++)
        ok = place_section(m, i, kept[i], &next_code);
    ok = ok && sass_place_variables(m, kept);
    free(kept);
    return ok;
}

/* ---- symbols and relocations ---- */

/* Bit of st_other that nvcc sets for __managed__ variables. */
#define SYMBOL_IS_MANAGED 0x04

static unsigned syscall_number(const char *name)
{
    static const char *const names[SASS_N_SYSCALLS] = {[SASS_CALL_VPRINTF] = "vprintf",
                                                       [SASS_CALL_MALLOC] = "malloc",
                                                       [SASS_CALL_FREE] = "free",
                                                       [SASS_CALL_ASSERTFAIL] = "__assertfail"};
    for (unsigned i = 1; i < SASS_N_SYSCALLS; i++)
        if (!strcmp(name, names[i]))
            return i;
    return SASS_CALL_NONE;
}

bool sass_symbol_is_foreign(const struct sass_symbol *s)
{
    return s->section == SASS_UNDEFINED && s->type == STT_FUNC &&
           syscall_number(s->name) == SASS_CALL_NONE;
}

static uint64_t symbol_address(const struct sass_module *m, uint32_t symbol)
{
    const struct sass_symbol *s = &m->cubin.symbol[symbol];
    if (m->variables[symbol])
        return (uint64_t)(uintptr_t)m->variables[symbol];
    if (s->section == SASS_UNDEFINED)
        return SASS_SYSCALL_BASE + syscall_number(s->name) * SASS_INST_BYTES;
    return m->places[s->section].address + s->value;
}

static strata_status relocate(struct sass_module *m, struct strata_error *err)
{
    for (uint32_t i = 0; i < m->cubin.n_relocations; i++) {
        const struct sass_relocation *r = &m->cubin.relocation[i];
        struct sass_place *p = &m->places[r->section];
        uint64_t size = m->cubin.section[r->section].size;
        if (!p->bytes)
            continue; /* debug information and the like */
        const struct sass_symbol *s = &m->cubin.symbol[r->symbol];
        if (r->offset > size ||
            !sass_relocation_apply(r, p->bytes + r->offset, size - r->offset,
                                   p->address + r->offset, symbol_address(m, r->symbol)))
            return strata_fail(err, STRATA_EUNSUPPORTED, m->name, 0, 0,
                               "a relocation of type %u for \"%s\" in section %s is not known; "
                               "run the PTX instead (--code ptx)",
                               r->type, s->name, m->cubin.section[r->section].name);
    }
    return STRATA_OK;
}

static bool add_symbols(struct sass_module *m)
{
    struct strata_module *base = &m->base;
    for (uint32_t i = 0; i < m->cubin.n_symbols; i++) {
        const struct sass_symbol *s = &m->cubin.symbol[i];
        if (s->section == SASS_UNDEFINED || s->type != STT_OBJECT ||
            !m->places[s->section].is_device)
            continue;
        if (!ARRAY_RESERVE(base->symbols, base->n_symbols, base->cap_symbols, 1))
            return false;
        base->symbols[base->n_symbols++] = (struct strata_symbol){
            .name = s->name,
            .address = sass_variable(m, i),
            .bytes = s->size,
            .is_const = m->cubin.section[s->section].kind == SASS_SECTION_CONSTANT,
            .is_managed = (s->other & SYMBOL_IS_MANAGED) != 0};
    }
    return true;
}

/* ---- entries ---- */

static bool describe_params(const struct sass_kernel *k, struct strata_entry *entry)
{
    struct strata_param *params = calloc(k->n_params + 1, sizeof *params);
    if (!params)
        return false;
    for (uint32_t i = 0; i < k->n_params; i++)
        if (k->param[i].ordinal < k->n_params)
            params[k->param[i].ordinal] = (struct strata_param){.name = "",
                                                                .offset_bytes = k->param[i].offset,
                                                                .size_bytes = k->param[i].bytes,
                                                                .align_bytes = 1};
    entry->params = params;
    entry->n_params = k->n_params;
    entry->param_bytes = k->param_bytes;
    return true;
}

static bool add_entry(struct sass_module *m, uint32_t kernel)
{
    const struct sass_kernel *k = &m->cubin.kernel[kernel];
    size_t n = m->base.n_entries++;
    struct strata_entry *entry = &m->base.entries[n];
    struct sass_image *image = &m->images[n];
    m->kernel_of_entry[n] = kernel;
    entry->name = k->name;
    entry->source = m->name;
    entry->registers = k->registers;
    entry->registers_are_exact = k->registers != 0;
    entry->shared_static_bytes = k->shared_static_bytes;
    entry->uses_dynamic_shared = true; /* a cubin does not say */
    entry->local_bytes = k->frame_bytes;
    entry->max_threads = k->max_threads[0] * (k->max_threads[1] ? k->max_threads[1] : 1) *
                         (k->max_threads[2] ? k->max_threads[2] : 1);
    memcpy(entry->required_threads, k->required_threads, sizeof entry->required_threads);
    memcpy(entry->required_cluster, k->cluster, sizeof entry->required_cluster);
    entry->instructions = (uint32_t)(m->cubin.section[k->section].size / SASS_INST_BYTES);
    image->kernel = k;
    image->source_file = sass_main_file(m, k);
    if (image->source_file != SASS_UNDEFINED)
        entry->source_file = m->cubin.file[image->source_file];
    image->base.name = k->name;
    image->base.file = m->name;
    image->base.shared_bytes = shared_reserved(m->cubin.arch) + k->shared_static_bytes;
    image->param_base = k->param_base;
    return describe_params(k, entry);
}

static bool add_entries(struct sass_module *m)
{
    uint32_t n = m->cubin.n_kernels;
    m->base.entries = calloc(n + 1, sizeof *m->base.entries);
    m->images = calloc(n + 1, sizeof *m->images);
    m->kernel_of_entry = calloc(n + 1, sizeof *m->kernel_of_entry);
    bool ok = m->base.entries && m->images && m->kernel_of_entry;
    for (uint32_t i = 0; ok && i < n; i++)
        if (m->cubin.kernel[i].is_entry)
            ok = add_entry(m, i);
    return ok;
}

/* ---- life ---- */

static strata_status load(struct sass_module *m, const struct strata_device_memory *memory,
                          size_t length, struct strata_error *err)
{
    strata_status status = sass_cubin_open(&m->cubin, m->file, length, m->name, err);
    if (status != STRATA_OK)
        return status;
    m->base.sm = m->cubin.arch;
    if (m->cubin.arch < 75 || m->cubin.arch >= 100)
        return strata_fail(err, STRATA_EUNSUPPORTED, m->name, 0, 0,
                           "machine code for sm_%u cannot be executed; sm_75 to sm_90 can",
                           m->cubin.arch);
    if (!m->cubin.is_linked)
        return strata_fail(err, STRATA_EUNSUPPORTED, m->name, 0, 0,
                           "the cubin is not linked; link it with nvcc -dlink");
    if (!emu_module_init(&m->base, &sass_executor, memory) || !place_sections(m) ||
        !add_symbols(m) || !add_entries(m))
        return no_memory(err);
    return relocate(m, err);
}

strata_status strata_sass_module_create(const void *cubin, size_t length, const char *name,
                                        const struct strata_device_memory *memory,
                                        struct strata_module **out, struct strata_error *err)
{
    struct sass_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return no_memory(err);
    m->base.executor = &sass_executor;
    m->name = strdup(name);
    m->file = malloc(length + 1);
    strata_status status = m->name && m->file ? STRATA_OK : no_memory(err);
    if (status == STRATA_OK) {
        memcpy(m->file, cubin, length);
        status = load(m, memory, length, err);
    }
    if (status != STRATA_OK) {
        sass_module_destroy(&m->base);
        return status;
    }
    *out = &m->base;
    return STRATA_OK;
}

void sass_module_destroy(struct strata_module *base)
{
    struct sass_module *m = (struct sass_module *)base;
    for (size_t i = 0; i < base->n_entries; i++) {
        sass_image_release(&m->images[i]);
        free((void *)(uintptr_t)base->entries[i].params);
    }
    for (uint32_t i = 0; m->places && i < m->cubin.n_sections; i++)
        if (m->places[i].is_device && m->places[i].bytes)
            base->memory.release(base->memory.user, m->places[i].bytes);
        else
            free(m->places[i].bytes);
    sass_release_variables(m);
    sass_pool_release(m->pool);
    free(m->places);
    free(m->images);
    free(m->kernel_of_entry);
    for (uint32_t i = 0; m->inlined && i < m->cubin.n_inlined; i++)
        free(m->inlined[i]);
    free(m->inlined);
    sass_cubin_release(&m->cubin);
    free(m->file);
    free(m->name);
    emu_module_release(base);
    free(m);
}
