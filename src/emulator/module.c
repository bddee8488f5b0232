/* module.c - the public face of modules: memory, entries, symbols. */
#include "emulator/emulator.h"

#include <stdlib.h>
#include <string.h>

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

bool emu_find_range(struct strata_module *m, uint64_t address, struct strata_memory_range *out)
{
    if (!m->memory.find) {
        *out = (struct strata_memory_range){0, UINT64_MAX};
        return true;
    }
    if (m->memory.find(m->memory.user, address, out))
        return true;
    for (size_t i = 0; i < m->n_symbols; i++) {
        uint64_t base = (uint64_t)(uintptr_t)m->symbols[i].address;
        if (address - base < m->symbols[i].bytes) {
            *out = (struct strata_memory_range){base, m->symbols[i].bytes};
            return true;
        }
    }
    if (address - (uint64_t)(uintptr_t)m->workspace < EMU_WORKSPACE_BYTES) {
        *out = (struct strata_memory_range){(uint64_t)(uintptr_t)m->workspace, EMU_WORKSPACE_BYTES};
        return true;
    }
    return false;
}

/* ---- life ---- */

bool emu_module_init(struct strata_module *m, const struct emu_executor *executor,
                     const struct strata_device_memory *memory)
{
    m->executor = executor;
    if (memory)
        m->memory = *memory;
    if (!m->memory.allocate) {
        m->memory.allocate = libc_allocate;
        m->memory.release = libc_release;
    }
    m->workspace = m->memory.allocate(m->memory.user, EMU_WORKSPACE_BYTES, 256);
    if (m->workspace)
        memset(m->workspace, 0, EMU_WORKSPACE_BYTES);
    return m->workspace;
}

void emu_module_release(struct strata_module *m)
{
    if (m->workspace)
        m->memory.release(m->memory.user, m->workspace);
    free(m->entries);
    free(m->symbols);
}

void strata_module_destroy(struct strata_module *m)
{
    if (m)
        m->executor->module_destroy(m);
}

/* ---- queries ---- */

strata_status strata_module_entry_check(struct strata_module *m, const struct strata_entry *entry,
                                        struct strata_error *err)
{
    struct strata_error local;
    size_t index = (size_t)(entry - m->entries);
    if (entry < m->entries || index >= m->n_entries)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "the entry is not one of this module");
    err = err ? err : &local;
    return m->executor->image(m, index, err) ? STRATA_OK : err->status;
}

enum strata_isa strata_module_isa(const struct strata_module *m)
{
    return m->executor->isa;
}

size_t strata_module_entry_count(const struct strata_module *m)
{
    return m->n_entries;
}
const struct strata_entry *strata_module_entry_get(const struct strata_module *m, size_t i)
{
    return i < m->n_entries ? &m->entries[i] : NULL;
}
const struct strata_entry *strata_module_entry_find(const struct strata_module *m, const char *name)
{
    for (size_t i = 0; i < m->n_entries; i++)
        if (!strcmp(m->entries[i].name, name))
            return &m->entries[i];
    return NULL;
}
uint32_t strata_module_sm(const struct strata_module *m)
{
    return m->sm;
}
size_t strata_module_symbol_count(const struct strata_module *m)
{
    return m->n_symbols;
}
const struct strata_symbol *strata_module_symbol_get(const struct strata_module *m, size_t i)
{
    return i < m->n_symbols ? &m->symbols[i] : NULL;
}
const struct strata_symbol *strata_module_symbol_find(const struct strata_module *m,
                                                      const char *name)
{
    for (size_t i = 0; i < m->n_symbols; i++)
        if (!strcmp(m->symbols[i].name, name))
            return &m->symbols[i];
    return NULL;
}
