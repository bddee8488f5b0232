/* listing.c - the functions of all cubins in a file, and their text. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <strata/fatbin.h>
#include <strata/sass.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "emulator/elf64.h"
#include "emulator/little.h"
#include "sass/cubin.h"
#include "sass/registers.h"

#define MACHINE_CUDA     190
#define MOST_FILE_BYTES  ((size_t)4 << 30)
#define MOST_CUBIN_BYTES (UINT64_C(1) << 30)

struct part {
    struct sass_cubin cubin;
    char *bytes; /* unpacked from a fatbin; NULL: inside the file */
};

struct strata_sass {
    char *name, *file_bytes;
    struct part *part;
    size_t n_parts, parts_cap;
    struct strata_sass_function *function;
    uint32_t *part_of, *kernel_of; /* of each function */
    size_t n_functions;
    bool has_ptx;
};

static strata_status no_memory(const struct strata_sass *s, struct strata_error *err)
{
    return strata_no_memory(err, s->name, "for its machine code");
}

static strata_status add_cubin(struct strata_sass *s, const void *bytes, size_t length, char *owned,
                               char suffix, struct strata_error *err)
{
    if (!ARRAY_RESERVE(s->part, s->n_parts, s->parts_cap, 1)) {
        free(owned);
        return no_memory(s, err);
    }
    struct part *p = &s->part[s->n_parts];
    p->bytes = owned;
    strata_status st = sass_cubin_open(&p->cubin, bytes, length, s->name, err);
    if (st != STRATA_OK) {
        free(owned);
        return st;
    }
    if (suffix)
        p->cubin.arch_suffix = suffix;
    s->n_parts++;
    return STRATA_OK;
}

static strata_status add_entry(struct strata_sass *s, const struct strata_fatbin_entry *entry,
                               struct strata_error *err)
{
    char *elf;
    size_t length;
    if (entry->kind == STRATA_FATBIN_PTX)
        s->has_ptx = true;
    if (entry->kind != STRATA_FATBIN_ELF)
        return STRATA_OK;
    if (entry->unpacked_bytes > MOST_CUBIN_BYTES)
        return strata_fail(err, STRATA_EFORMAT, s->name, 0, 0,
                           "a cubin in it claims more than 1 GiB: the file is damaged.");
    strata_status st = strata_fatbin_extract(entry, s->name, &elf, &length, err);
    return st == STRATA_OK ? add_cubin(s, elf, length, elf, entry->arch_suffix, err) : st;
}

static strata_status add_fatbins(struct strata_sass *s, const void *bytes, size_t length,
                                 struct strata_error *err)
{
    struct strata_fatbin *f;
    strata_status st = strata_fatbin_parse(bytes, length, s->name, &f, err);
    if (st != STRATA_OK)
        return st;
    for (size_t i = 0; st == STRATA_OK && i < strata_fatbin_count(f); i++)
        st = add_entry(s, strata_fatbin_get(f, i), err);
    strata_fatbin_destroy(f);
    return st;
}

static strata_status add_program(struct strata_sass *s, const struct elf64 *e,
                                 struct strata_error *err)
{
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
    strata_status st = STRATA_OK;
    for (size_t i = 0; st == STRATA_OK && i < sizeof sections / sizeof *sections; i++) {
        Elf64_Shdr h;
        const uint8_t *bytes =
            elf64_find(e, sections[i], 0, &h) ? elf64_section_bytes(e, &h) : NULL;
        if (bytes && h.sh_size)
            st = add_fatbins(s, bytes, h.sh_size, err);
    }
    return st;
}

static strata_status add_all(struct strata_sass *s, const uint8_t *bytes, size_t length,
                             struct strata_error *err)
{
    struct elf64 e;
    if (elf64_open(&e, bytes, length))
        return e.header.e_machine == MACHINE_CUDA ? add_cubin(s, bytes, length, NULL, 0, err)
                                                  : add_program(s, &e, err);
    if (length >= 4 && little32(bytes) == STRATA_FATBIN_MAGIC)
        return add_fatbins(s, bytes, length, err);
    if (length >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG))
        return strata_fail(err, STRATA_EFORMAT, s->name, 0, 0,
                           "the ELF file is damaged: its tables lie outside it, or it is not of 64 "
                           "bits; copy or build it again.");
    return strata_fail(err, STRATA_EFORMAT, s->name, 0, 0,
                       "this is neither a cubin nor a fatbin nor an ELF executable, object or "
                       "library.");
}

static void fill_function(struct strata_sass *s, size_t n, uint32_t part, uint32_t kernel)
{
    const struct sass_cubin *c = &s->part[part].cubin;
    const struct sass_kernel *k = &c->kernel[kernel];
    uint64_t bytes = c->section[k->section].bytes ? c->section[k->section].size : 0;
    s->part_of[n] = part;
    s->kernel_of[n] = kernel;
    s->function[n] = (struct strata_sass_function){
        .name = k->name,
        .is_kernel = k->is_entry,
        .arch = c->arch,
        .arch_suffix = c->arch_suffix,
        .registers = k->registers,
        .shared_static_bytes = k->shared_static_bytes,
        .local_bytes = k->min_stack_bytes > k->frame_bytes ? k->min_stack_bytes : k->frame_bytes,
        .param_bytes = k->param_bytes,
        .instructions = (uint32_t)(bytes / SASS_INST_BYTES)};
}

static strata_status list_functions(struct strata_sass *s, struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_parts; i++)
        n += s->part[i].cubin.n_kernels;
    if (!n)
        return strata_fail(err, STRATA_EUNSUPPORTED, s->name, 0, 0,
                           s->has_ptx ? "there is only PTX in it, no machine code; compile with "
                                        "-gencode arch=compute_90,code=sm_90, for example."
                                      : "there is no GPU code in it.");
    s->function = calloc(n, sizeof *s->function);
    s->part_of = calloc(n, sizeof *s->part_of);
    s->kernel_of = calloc(n, sizeof *s->kernel_of);
    if (!s->function || !s->part_of || !s->kernel_of)
        return no_memory(s, err);
    for (uint32_t i = 0; i < s->n_parts; i++)
        for (uint32_t k = 0; k < s->part[i].cubin.n_kernels; k++)
            fill_function(s, s->n_functions++, i, k);
    return STRATA_OK;
}

strata_status strata_sass_read(const void *bytes, size_t length, const char *name,
                               struct strata_sass **out, struct strata_error *err)
{
    *out = NULL;
    struct strata_sass *s = calloc(1, sizeof *s);
    if (!s || !(s->name = strdup(name))) {
        free(s);
        return strata_no_memory(err, name, "to read it");
    }
    strata_status st = add_all(s, bytes, length, err);
    if (st == STRATA_OK)
        st = list_functions(s, err);
    if (st != STRATA_OK)
        strata_sass_close(s);
    else
        *out = s;
    return st;
}

strata_status strata_sass_open(const char *path, struct strata_sass **out, struct strata_error *err)
{
    char *bytes;
    size_t length;
    *out = NULL;
    strata_status st = strata_file_read(path, MOST_FILE_BYTES, &bytes, &length, err);
    if (st != STRATA_OK)
        return st;
    st = strata_sass_read(bytes, length, path, out, err);
    if (st != STRATA_OK)
        free(bytes);
    else
        (*out)->file_bytes = bytes;
    return st;
}

void strata_sass_close(struct strata_sass *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_parts; i++) {
        sass_cubin_release(&s->part[i].cubin);
        free(s->part[i].bytes);
    }
    free(s->part);
    free(s->function);
    free(s->part_of);
    free(s->kernel_of);
    free(s->file_bytes);
    free(s->name);
    free(s);
}

size_t strata_sass_count(const struct strata_sass *s)
{
    return s->n_functions;
}

const struct strata_sass_function *strata_sass_get(const struct strata_sass *s, size_t i)
{
    return &s->function[i];
}

static void fill_line(const struct sass_cubin *c, const struct sass_kernel *k,
                      const struct sass_inst *i, uint16_t live, struct strata_sass_line *out)
{
    const struct sass_line *line = sass_kernel_line(k, i->address);
    *out = (struct strata_sass_line){.address = i->address,
                                     .encoding = {i->low, i->high},
                                     .known = i->op != SASS_UNKNOWN,
                                     .stall = i->control.stall,
                                     .yield = i->control.yield,
                                     .write_barrier = i->control.write_barrier,
                                     .read_barrier = i->control.read_barrier,
                                     .wait_mask = i->control.wait_mask,
                                     .reuse = i->control.reuse,
                                     .live = live,
                                     .file = line ? c->file[line->file] : NULL,
                                     .line = line ? line->line : 0};
    sass_print(i, out->text, sizeof out->text);
}

/* Moves the lines, and behind them where inlined code stands, into one piece of memory. */
static struct strata_sass_line *with_places(const struct sass_cubin *c, const struct sass_kernel *k,
                                            struct strata_sass_line *lines, size_t n)
{
    struct strata_text places = {0};
    size_t *at = calloc(n + 1, sizeof *at), bytes = n * sizeof *lines;
    uint32_t before = 0;
    for (size_t i = 0; at && i < n; i++) {
        const struct sass_line *line = sass_kernel_line(k, lines[i].address);
        char *text = line && line->inlined ? sass_line_inlined(c, line) : NULL;
        at[i] = i && text && line->inlined == before ? at[i - 1] : places.length + 1;
        if (text && at[i] > places.length)
            strata_text_put_bytes(&places, text, strlen(text) + 1);
        at[i] = text ? at[i] : 0;
        before = text ? line->inlined : 0;
        free(text);
    }
    struct strata_sass_line *all = at ? realloc(lines, bytes + places.length + 1) : NULL;
    if (all && places.length)
        memcpy((char *)all + bytes, places.data, places.length);
    for (size_t i = 0; all && i < n; i++)
        all[i].inlined = at[i] ? (char *)all + bytes + at[i] - 1 : NULL;
    bool ok = all && !places.out_of_memory;
    strata_text_release(&places);
    free(at);
    if (!ok)
        free(all ? all : lines);
    return ok ? all : NULL;
}

strata_status strata_sass_listing(const struct strata_sass *s, size_t i,
                                  struct strata_sass_line **out, struct strata_error *err)
{
    const struct sass_cubin *c = &s->part[s->part_of[i]].cubin;
    const struct sass_kernel *k = &c->kernel[s->kernel_of[i]];
    const uint8_t *bytes = c->section[k->section].bytes;
    size_t n = s->function[i].instructions, room = n ? n : 1;
    struct sass_inst *code = malloc(room * sizeof *code);
    uint16_t *live = calloc(room, sizeof *live);
    struct strata_sass_line *lines = calloc(room, sizeof *lines);
    *out = NULL;
    for (size_t a = 0; code && a < n; a++)
        sass_decode(little64(bytes + a * SASS_INST_BYTES),
                    little64(bytes + a * SASS_INST_BYTES + 8), a * SASS_INST_BYTES, c->arch,
                    &code[a]);
    bool ok = code && live && lines && sass_live_registers(code, n, live);
    for (size_t a = 0; ok && a < n; a++)
        fill_line(c, k, &code[a], live[a], &lines[a]);
    free(code);
    free(live);
    if (!ok)
        free(lines);
    *out = ok ? with_places(c, k, lines, n) : NULL;
    return *out ? STRATA_OK : no_memory(s, err);
}
