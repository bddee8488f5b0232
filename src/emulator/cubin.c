/* cubin.c - registers and shared memory of the kernels in a cubin.
 *
 * A cubin is an ELF file for machine 190 with a section .text.<kernel> per kernel. Register counts
 * are records 0x2f of section .nv.info: u8 format 4, u8 attribute, u16 size 8, u32 symbol, u32
 * count. Before sm_90 the count is also the top byte of .text.<kernel>'s sh_info. Static shared
 * memory is the size of .nv.shared.<kernel>, which from sm_90 on includes 1 KiB that belongs to
 * the driver (the section .nv.shared.reserved.0 is there then). */
#include <strata/fatbin.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/elf64.h"
#include "emulator/little.h"

#define MACHINE_CUDA          190
#define FORMAT_SIZED_VALUE    4
#define ATTRIBUTE_REGCOUNT    0x2f
#define RESERVED_SHARED_BYTES 1024
#define TEXT_PREFIX           ".text."
#define SHARED_PREFIX         ".nv.shared."

struct kernels {
    struct strata_cubin_kernel *item;
    size_t n, cap;
};

static struct strata_cubin_kernel *find_kernel(struct kernels *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (!strcmp(k->item[i].name, name))
            return &k->item[i];
    return NULL;
}

static bool add_kernel(struct kernels *k, const char *name, uint32_t registers)
{
    if (!ARRAY_RESERVE(k->item, k->n, k->cap, 1))
        return false;
    char *copy = strdup(name);
    if (!copy)
        return false;
    k->item[k->n++] = (struct strata_cubin_kernel){copy, registers, 0};
    return true;
}

static bool add_text_sections(const struct elf64 *e, struct kernels *k)
{
    Elf64_Shdr s;
    for (uint32_t i = 0; elf64_section(e, i, &s); i++) {
        const char *name = elf64_section_name(e, &s);
        if (!strncmp(name, TEXT_PREFIX, strlen(TEXT_PREFIX)) &&
            !add_kernel(k, name + strlen(TEXT_PREFIX), s.sh_info >> 24))
            return false;
    }
    return true;
}

static void read_register_counts(const struct elf64 *e, struct kernels *k)
{
    Elf64_Shdr info, symbols;
    const uint8_t *p = elf64_find(e, ".nv.info", 0, &info) ? elf64_section_bytes(e, &info) : NULL;
    if (!p || !elf64_find(e, NULL, SHT_SYMTAB, &symbols))
        return;
    for (uint64_t at = 0; info.sh_size - at >= 4;) {
        uint32_t format = p[at], attribute = p[at + 1], size = little16(p + at + 2);
        uint64_t payload = format == FORMAT_SIZED_VALUE ? size : 0;
        if (payload > info.sh_size - at - 4)
            return;
        Elf64_Sym symbol;
        if (attribute == ATTRIBUTE_REGCOUNT && payload >= 8 &&
            elf64_symbol(e, &symbols, little32(p + at + 4), &symbol)) {
            struct strata_cubin_kernel *kernel =
                find_kernel(k, elf64_string(e, symbols.sh_link, symbol.st_name));
            if (kernel)
                kernel->registers = little32(p + at + 8);
        }
        at += 4 + payload;
    }
}

static void read_shared_sizes(const struct elf64 *e, struct kernels *k)
{
    Elf64_Shdr s;
    bool reserved = elf64_find(e, ".nv.shared.reserved.0", 0, &s);
    for (uint32_t i = 0; elf64_section(e, i, &s); i++) {
        const char *name = elf64_section_name(e, &s);
        if (strncmp(name, SHARED_PREFIX, strlen(SHARED_PREFIX)))
            continue;
        struct strata_cubin_kernel *kernel = find_kernel(k, name + strlen(SHARED_PREFIX));
        uint64_t bytes = s.sh_size;
        if (reserved && bytes >= RESERVED_SHARED_BYTES)
            bytes -= RESERVED_SHARED_BYTES;
        if (kernel && bytes <= UINT32_MAX)
            kernel->shared_static_bytes = (uint32_t)bytes;
    }
}

strata_status strata_cubin_kernels(const void *bytes, size_t length, const char *name,
                                   struct strata_cubin_kernel **out, size_t *n,
                                   struct strata_error *err)
{
    struct elf64 e;
    struct kernels k = {0};
    *out = NULL;
    *n = 0;
    if (!elf64_open(&e, bytes, length) || e.header.e_machine != MACHINE_CUDA)
        return strata_fail(
            err, STRATA_EFORMAT, name, 0, 0,
            "the machine code in the fatbin is not a cubin: it is damaged or newer than this "
            "build of Strata.");
    if (!add_text_sections(&e, &k)) {
        strata_cubin_kernels_free(k.item, k.n);
        return strata_no_memory(err, name, "for the kernels of a cubin");
    }
    read_register_counts(&e, &k);
    read_shared_sizes(&e, &k);
    *out = k.item;
    *n = k.n;
    return STRATA_OK;
}

void strata_cubin_kernels_free(struct strata_cubin_kernel *kernels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(kernels[i].name);
    free(kernels);
}
