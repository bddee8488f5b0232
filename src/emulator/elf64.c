/* elf64.c - bounds-checked views of an ELF file. */
#include "emulator/elf64.h"

#include <string.h>

static bool inside(const struct elf64 *e, uint64_t offset, uint64_t bytes)
{
    return offset <= e->length && bytes <= e->length - offset;
}

bool elf64_open(struct elf64 *e, const void *bytes, size_t length)
{
    memset(e, 0, sizeof *e);
    e->bytes = bytes;
    e->length = length;
    if (length < sizeof e->header || memcmp(bytes, ELFMAG, SELFMAG))
        return false;
    memcpy(&e->header, bytes, sizeof e->header);
    if (e->header.e_ident[EI_CLASS] != ELFCLASS64 || e->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    e->n_sections = e->header.e_shnum;
    if (!e->n_sections)
        return true;
    return e->header.e_shentsize == sizeof(Elf64_Shdr) &&
           inside(e, e->header.e_shoff, (uint64_t)e->n_sections * sizeof(Elf64_Shdr));
}

bool elf64_section(const struct elf64 *e, uint32_t i, Elf64_Shdr *out)
{
    if (i >= e->n_sections)
        return false;
    memcpy(out, e->bytes + e->header.e_shoff + (uint64_t)i * sizeof *out, sizeof *out);
    return true;
}

const uint8_t *elf64_section_bytes(const struct elf64 *e, const Elf64_Shdr *s)
{
    if (s->sh_type == SHT_NOBITS || !inside(e, s->sh_offset, s->sh_size))
        return NULL;
    return e->bytes + s->sh_offset;
}

const char *elf64_string(const struct elf64 *e, uint32_t table, uint64_t offset)
{
    Elf64_Shdr s;
    if (!elf64_section(e, table, &s))
        return "";
    const uint8_t *bytes = elf64_section_bytes(e, &s);
    if (!bytes || offset >= s.sh_size || !memchr(bytes + offset, 0, s.sh_size - offset))
        return "";
    return (const char *)bytes + offset;
}

const char *elf64_section_name(const struct elf64 *e, const Elf64_Shdr *s)
{
    return elf64_string(e, e->header.e_shstrndx, s->sh_name);
}

bool elf64_find(const struct elf64 *e, const char *name, uint32_t type, Elf64_Shdr *out)
{
    for (uint32_t i = 0; elf64_section(e, i, out); i++)
        if (name ? !strcmp(elf64_section_name(e, out), name) : out->sh_type == type)
            return true;
    return false;
}

uint64_t elf64_symbol_count(const Elf64_Shdr *table)
{
    return table->sh_size / sizeof(Elf64_Sym);
}

bool elf64_symbol(const struct elf64 *e, const Elf64_Shdr *table, uint64_t i, Elf64_Sym *out)
{
    const uint8_t *bytes = elf64_section_bytes(e, table);
    if (!bytes || i >= elf64_symbol_count(table))
        return false;
    memcpy(out, bytes + i * sizeof *out, sizeof *out);
    return true;
}
