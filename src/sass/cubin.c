/* cubin.c - sections, symbols, relocations and functions of a cubin. */
#include "sass/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/elf64.h"
#include "emulator/inlined.h"
#include "sass/cubin_parts.h"

#define MACHINE_CUDA   190
#define FLAG_ARCH_A    0x800 /* before: code of one architecture only */
#define OTHER_ENTRY    0x10  /* st_other of kernels */
#define MAX_SECTIONS   (1u << 20)
#define MAX_SYMBOLS    (1u << 24)
#define RESERVED_BYTES 1024 /* of shared memory, the driver's, from sm_90 on */

static strata_status no_memory(const char *name, struct strata_error *err)
{
    return strata_no_memory(err, name, "for the tables of a cubin");
}

static strata_status damaged(const char *name, const char *what, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EFORMAT, name, 0, 0,
        "the cubin is damaged or newer than this build of Strata: %s lies outside the "
        "file.",
        what);
}

static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static void classify(struct sass_section *s)
{
    if (starts_with(s->name, ".text.")) {
        s->kind = SASS_SECTION_CODE;
    } else if (starts_with(s->name, ".nv.constant")) {
        s->kind = SASS_SECTION_CONSTANT;
        s->bank = (uint8_t)strtoul(s->name + strlen(".nv.constant"), NULL, 10);
    } else if (!strcmp(s->name, ".nv.global") || starts_with(s->name, ".nv.global.")) {
        s->kind = SASS_SECTION_GLOBAL;
    } else if (starts_with(s->name, ".nv.shared.")) {
        s->kind = SASS_SECTION_SHARED;
    } else if (starts_with(s->name, ".nv.local.")) {
        s->kind = SASS_SECTION_LOCAL;
    }
}

static strata_status read_sections(struct sass_cubin *c, const struct elf64 *e, const char *name,
                                   struct strata_error *err)
{
    if (e->n_sections > MAX_SECTIONS)
        return damaged(name, "its list of sections", err);
    c->section = calloc(e->n_sections ? e->n_sections : 1, sizeof *c->section);
    if (!c->section)
        return no_memory(name, err);
    c->n_sections = e->n_sections;
    for (uint32_t i = 0; i < e->n_sections; i++) {
        Elf64_Shdr h;
        struct sass_section *s = &c->section[i];
        if (!elf64_section(e, i, &h))
            return damaged(name, "a section header", err);
        *s = (struct sass_section){.name = elf64_section_name(e, &h),
                                   .size = h.sh_size,
                                   .align = h.sh_addralign,
                                   .elf_index = i,
                                   .info = h.sh_info,
                                   .kernel = SASS_NO_KERNEL};
        classify(s);
        s->bytes = elf64_section_bytes(e, &h);
        if (h.sh_type != SHT_NOBITS && h.sh_size && !s->bytes)
            return damaged(name, s->name, err);
    }
    return STRATA_OK;
}

static strata_status read_symbols(struct sass_cubin *c, const struct elf64 *e, const char *name,
                                  struct strata_error *err)
{
    Elf64_Shdr table;
    if (!elf64_find(e, NULL, SHT_SYMTAB, &table))
        return STRATA_OK;
    uint64_t n = elf64_symbol_count(&table);
    if (n > MAX_SYMBOLS || !elf64_section_bytes(e, &table))
        return damaged(name, "its table of symbols", err);
    c->symbol = calloc(n ? n : 1, sizeof *c->symbol);
    if (!c->symbol)
        return no_memory(name, err);
    c->n_symbols = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++) {
        Elf64_Sym s;
        if (!elf64_symbol(e, &table, i, &s))
            return damaged(name, "a symbol", err);
        c->symbol[i] = (struct sass_symbol){
            .name = elf64_string(e, table.sh_link, s.st_name),
            .value = s.st_value,
            .size = s.st_size,
            .section = s.st_shndx && s.st_shndx < c->n_sections ? s.st_shndx : SASS_UNDEFINED,
            .type = ELF64_ST_TYPE(s.st_info),
            .binding = ELF64_ST_BIND(s.st_info),
            .other = s.st_other};
    }
    return STRATA_OK;
}

/* How many relocations a section holds; 0 if it is none. */
static uint64_t relocations_in(const Elf64_Shdr *h)
{
    if (h->sh_type == SHT_RELA)
        return h->sh_size / sizeof(Elf64_Rela);
    return h->sh_type == SHT_REL ? h->sh_size / sizeof(Elf64_Rel) : 0;
}

static void read_relocation(const Elf64_Shdr *h, const uint8_t *bytes, uint64_t i,
                            struct sass_relocation *r)
{
    Elf64_Rela rela = {0};
    if (h->sh_type == SHT_RELA)
        memcpy(&rela, bytes + i * sizeof(Elf64_Rela), sizeof(Elf64_Rela));
    else
        memcpy(&rela, bytes + i * sizeof(Elf64_Rel), sizeof(Elf64_Rel));
    *r = (struct sass_relocation){.section = h->sh_info,
                                  .symbol = (uint32_t)ELF64_R_SYM(rela.r_info),
                                  .offset = rela.r_offset,
                                  .type = (uint32_t)ELF64_R_TYPE(rela.r_info),
                                  .addend = rela.r_addend};
}

static strata_status read_relocations(struct sass_cubin *c, const struct elf64 *e, const char *name,
                                      struct strata_error *err)
{
    Elf64_Shdr h;
    uint64_t n = 0;
    for (uint32_t i = 0; elf64_section(e, i, &h); i++)
        n += elf64_section_bytes(e, &h) ? relocations_in(&h) : 0;
    if (n > MAX_SYMBOLS)
        return damaged(name, "its list of relocations", err);
    c->relocation = calloc(n ? n : 1, sizeof *c->relocation);
    if (!c->relocation)
        return no_memory(name, err);
    for (uint32_t i = 0; elf64_section(e, i, &h); i++) {
        const uint8_t *bytes = elf64_section_bytes(e, &h);
        for (uint64_t k = 0; bytes && k < relocations_in(&h); k++) {
            struct sass_relocation *r = &c->relocation[c->n_relocations];
            read_relocation(&h, bytes, k, r);
            if (r->section >= c->n_sections || r->symbol >= c->n_symbols ||
                r->offset >= c->section[r->section].size)
                return damaged(name, "the place of a relocation", err);
            c->n_relocations++;
        }
    }
    return STRATA_OK;
}

static bool is_entry(const struct sass_cubin *c, uint32_t section, const char *name)
{
    for (uint32_t i = 0; i < c->n_symbols; i++)
        if (c->symbol[i].section == section && c->symbol[i].type == STT_FUNC &&
            !strcmp(c->symbol[i].name, name))
            return c->symbol[i].other & OTHER_ENTRY;
    return false;
}

static strata_status find_kernels(struct sass_cubin *c, const char *name, struct strata_error *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_sections; i++)
        n += c->section[i].kind == SASS_SECTION_CODE;
    c->kernel = calloc(n ? n : 1, sizeof *c->kernel);
    if (!c->kernel)
        return no_memory(name, err);
    for (uint32_t i = 0; i < c->n_sections; i++) {
        if (c->section[i].kind != SASS_SECTION_CODE)
            continue;
        c->section[i].kernel = c->n_kernels;
        const char *function = c->section[i].name + strlen(".text.");
        c->kernel[c->n_kernels++] = (struct sass_kernel){.name = function,
                                                         .is_entry = is_entry(c, i, function),
                                                         .section = i,
                                                         .registers = c->section[i].info >> 24,
                                                         .constant0 = SASS_UNDEFINED,
                                                         .constant2 = SASS_UNDEFINED};
    }
    return STRATA_OK;
}

struct sass_kernel *sass_find_kernel(struct sass_cubin *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_kernels; i++)
        if (!strcmp(c->kernel[i].name, name))
            return &c->kernel[i];
    return NULL;
}

/* Sections that are named after a kernel: its constants and its shared memory. */
static void attach_section(struct sass_cubin *c, uint32_t i, bool driver_reserves)
{
    struct sass_section *s = &c->section[i];
    const char *at = NULL;
    if (s->kind == SASS_SECTION_CONSTANT)
        at = strchr(s->name + strlen(".nv.constant"), '.');
    else if (s->kind == SASS_SECTION_SHARED)
        at = s->name + strlen(".nv.shared.") - 1;
    struct sass_kernel *k = at ? sass_find_kernel(c, at + 1) : NULL;
    if (!k)
        return;
    s->kernel = (uint32_t)(k - c->kernel);
    if (s->kind == SASS_SECTION_SHARED) {
        uint64_t bytes = s->size;
        if (driver_reserves && bytes >= RESERVED_BYTES)
            bytes -= RESERVED_BYTES;
        k->shared_static_bytes = bytes <= UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    } else if (s->bank == 0) {
        k->constant0 = i;
    } else if (s->bank == 2) {
        k->constant2 = i;
    }
}

static void attach_sections(struct sass_cubin *c)
{
    bool driver_reserves = false;
    for (uint32_t i = 0; i < c->n_sections; i++)
        driver_reserves |= !strcmp(c->section[i].name, ".nv.shared.reserved.0");
    for (uint32_t i = 0; i < c->n_sections; i++)
        attach_section(c, i, driver_reserves);
}

static void read_arch(struct sass_cubin *c, const struct elf64 *e)
{
    c->arch = elf64_gpu_arch(&e->header);
    if (!elf64_new_arch_layout(&e->header) && e->header.e_flags & FLAG_ARCH_A)
        c->arch_suffix = 'a';
    c->is_linked = e->header.e_type == ET_EXEC;
}

static strata_status open_parts(struct sass_cubin *c, const struct elf64 *e, const char *name,
                                struct strata_error *err)
{
    strata_status st = read_sections(c, e, name, err);
    if (st == STRATA_OK)
        st = read_symbols(c, e, name, err);
    if (st == STRATA_OK)
        st = read_relocations(c, e, name, err);
    if (st == STRATA_OK)
        st = find_kernels(c, name, err);
    if (st != STRATA_OK)
        return st;
    attach_sections(c);
    if (!sass_read_info(c) || !sass_read_lines(c))
        return no_memory(name, err);
    return STRATA_OK;
}

strata_status sass_cubin_open(struct sass_cubin *c, const void *bytes, size_t length,
                              const char *name, struct strata_error *err)
{
    struct elf64 e;
    *c = (struct sass_cubin){0};
    if (!elf64_open(&e, bytes, length) || e.header.e_machine != MACHINE_CUDA)
        return strata_fail(err, STRATA_EFORMAT, name, 0, 0,
                           "this is not a cubin: it is no ELF file for NVIDIA's GPUs.");
    read_arch(c, &e);
    strata_status st = open_parts(c, &e, name, err);
    if (st != STRATA_OK)
        sass_cubin_release(c);
    return st;
}

void sass_cubin_release(struct sass_cubin *c)
{
    for (uint32_t i = 0; i < c->n_kernels; i++) {
        free(c->kernel[i].param);
        free(c->kernel[i].exit_offset);
        free(c->kernel[i].syscall_offset);
        free(c->kernel[i].line);
    }
    for (uint32_t i = 0; i < c->n_files; i++)
        free(c->file[i]);
    free(c->file);
    free(c->inlined);
    free(c->kernel);
    free(c->relocation);
    free(c->symbol);
    free(c->section);
    *c = (struct sass_cubin){0};
}

const struct sass_kernel *sass_cubin_find(const struct sass_cubin *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_kernels; i++)
        if (!strcmp(c->kernel[i].name, name))
            return &c->kernel[i];
    return NULL;
}

const struct sass_line *sass_kernel_line(const struct sass_kernel *k, uint64_t address)
{
    uint32_t low = 0, high = k->n_lines;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->line[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &k->line[low - 1] : NULL;
}

char *sass_line_inlined(const struct sass_cubin *c, const struct sass_line *line)
{
    struct emu_place place[EMU_INLINED_DEPTH];
    size_t n = 0;
    for (uint32_t at = line->inlined; at && n < EMU_INLINED_DEPTH; at = c->inlined[at - 1].outer) {
        const struct sass_inlined *x = &c->inlined[at - 1];
        place[n++] = (struct emu_place){c->file[x->file], x->line};
    }
    return emu_inlined_text(place, n);
}
