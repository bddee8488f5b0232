/* elf64.h - bounds-checked views of a little-endian 64-bit ELF file in memory. */
#ifndef STRATA_EMULATOR_ELF64_H
#define STRATA_EMULATOR_ELF64_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf64 {
    const uint8_t *bytes;
    size_t length;
    Elf64_Ehdr header;
    uint32_t n_sections;
};

/* False if it is not such a file or its tables lie outside it. */
bool elf64_open(struct elf64 *e, const void *bytes, size_t length);
/* False if i is out of range. */
/* The GPU architecture (90 for sm_90) of a cubin's header: the low byte of its flags, the second
 * one since CUDA 13, which counts as ABI version 8. */
static inline bool elf64_new_arch_layout(const Elf64_Ehdr *h)
{
    return h->e_ident[EI_ABIVERSION] >= 8;
}
static inline uint32_t elf64_gpu_arch(const Elf64_Ehdr *h)
{
    return elf64_new_arch_layout(h) ? h->e_flags >> 8 & 0xff : h->e_flags & 0xff;
}
bool elf64_section(const struct elf64 *e, uint32_t i, Elf64_Shdr *out);
/* NULL if the section has no bytes in the file or lies outside it. */
const uint8_t *elf64_section_bytes(const struct elf64 *e, const Elf64_Shdr *s);
/* A string of the string table in section `table`; "" if it is damaged. */
const char *elf64_string(const struct elf64 *e, uint32_t table, uint64_t offset);
const char *elf64_section_name(const struct elf64 *e, const Elf64_Shdr *s);
/* First section of a name or, with name NULL, of a type; false if none. */
bool elf64_find(const struct elf64 *e, const char *name, uint32_t type, Elf64_Shdr *out);
/* Number of symbols in a symbol table section, and one of them. */
uint64_t elf64_symbol_count(const Elf64_Shdr *table);
bool elf64_symbol(const struct elf64 *e, const Elf64_Shdr *table, uint64_t i, Elf64_Sym *out);

#endif
