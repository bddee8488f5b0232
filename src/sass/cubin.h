/* cubin.h - a cubin taken apart: functions with their code, what .nv.info says of the kernels,
 * constant banks, global memory with initial values, relocations and source lines.
 *
 * Nothing here is placed in memory: an executor gives every symbol an address and then applies
 * the relocations (sass_relocation_apply) to its copies of code and banks. All input is untrusted;
 * what lies outside the file is refused with a sentence. The cubin's bytes must outlive the
 * struct, except strings of symbols, which point into them as well. */
#ifndef STRATA_SASS_CUBIN_H
#define STRATA_SASS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

enum sass_section_kind {
    SASS_SECTION_OTHER,
    SASS_SECTION_CODE,     /* .text.<function> */
    SASS_SECTION_CONSTANT, /* .nv.constant<bank>[.<kernel>] */
    SASS_SECTION_GLOBAL,   /* .nv.global, .nv.global.init */
    SASS_SECTION_SHARED,   /* .nv.shared.<kernel> */
    SASS_SECTION_LOCAL
};

struct sass_section {
    const char *name;
    const uint8_t *bytes; /* NULL: all zero (.nv.global, .nv.shared) */
    uint64_t size;
    uint64_t align;
    uint8_t kind;       /* enum sass_section_kind */
    uint8_t bank;       /* SASS_SECTION_CONSTANT */
    uint32_t elf_index; /* number of the section in the ELF file */
    uint32_t info;      /* sh_info: code before sm_90 has its registers in the top byte */
    uint32_t kernel;    /* of which function it is a part, or SASS_NO_KERNEL */
};

struct sass_symbol {
    const char *name;
    uint64_t value; /* offset in its section */
    uint64_t size;
    uint32_t section; /* index into sections, or SASS_UNDEFINED: vprintf, malloc, other modules' */
    uint8_t type;     /* STT_... of elf.h */
    uint8_t binding;  /* STB_... of elf.h */
    uint8_t other;    /* st_other: visibility and CUDA's own bits */
};

struct sass_relocation {
    uint32_t section; /* index into sections: where it applies */
    uint32_t symbol;  /* index into symbols */
    uint64_t offset;  /* in that section */
    uint32_t type;    /* R_CUDA_... */
    int64_t addend;
};

struct sass_param {
    uint32_t ordinal, offset, bytes; /* offset from the first parameter */
};

/* Source line of the instructions from address on, till the next entry of the same function. */
struct sass_line {
    uint64_t address;
    uint32_t file; /* index into files */
    uint32_t line;
    uint32_t inlined; /* place of code inlined there: its number in the cubin's list, from 1 on */
};

/* Where inlined code stands, and by which other place it came into the line. */
struct sass_inlined {
    uint32_t file, line;
    uint32_t outer; /* number of a place before this one; 0: the line itself */
};

#define SASS_NO_KERNEL UINT32_MAX
#define SASS_UNDEFINED UINT32_MAX

struct sass_kernel {
    const char *name;
    bool is_entry;    /* a kernel; false: a device function with a section of its own */
    uint32_t section; /* its code */
    uint32_t registers;
    uint32_t shared_static_bytes; /* without what the driver reserves */
    uint32_t frame_bytes;         /* local memory of its own frame */
    uint32_t min_stack_bytes;     /* local memory with everything it calls, as far as known */
    uint32_t barriers;
    uint32_t param_base;  /* offset of the parameters in constant bank 0 */
    uint32_t param_bytes; /* size of all parameters */
    struct sass_param *param;
    uint32_t n_params;
    uint32_t constant0; /* section of bank 0's image, or SASS_UNDEFINED */
    uint32_t constant2; /* section of bank 2's image (compiler's constants), or SASS_UNDEFINED */
    uint32_t max_threads[3]; /* .maxntid; 0 if not given */
    uint32_t required_threads[3];
    uint32_t cluster[3];                    /* required cluster dimensions, 0 if not given */
    uint64_t *exit_offset, *syscall_offset; /* addresses of EXIT, and of calls into the system */
    uint32_t n_exits, n_syscalls;
    struct sass_line *line; /* by rising address */
    uint32_t n_lines;
};

struct sass_cubin {
    uint32_t arch;    /* 90 */
    char arch_suffix; /* 'a', 'f' or 0 */
    bool is_linked;   /* false: relocatable (nvcc -dc) */
    struct sass_section *section;
    struct sass_symbol *symbol;
    struct sass_relocation *relocation;
    struct sass_kernel *kernel; /* in the file's order */
    char **file;                /* of the source lines */
    struct sass_inlined *inlined;
    uint32_t n_sections, n_symbols, n_relocations, n_kernels, n_files, n_inlined;
};

/* `name` is for messages. On success free with sass_cubin_release. */
strata_status sass_cubin_open(struct sass_cubin *c, const void *bytes, size_t length,
                              const char *name, struct strata_error *err);
void sass_cubin_release(struct sass_cubin *c);
/* The kernel or function of a name; NULL if there is none. */
const struct sass_kernel *sass_cubin_find(const struct sass_cubin *c, const char *name);
/* The line of an instruction; NULL if it is not known. */
const struct sass_line *sass_kernel_line(const struct sass_kernel *k, uint64_t address);
/* The places of its inlined code in one text (strata_inst has it), fresh memory; NULL: it is not
 * inlined, or there is no memory, which loses no more than these words. */
char *sass_line_inlined(const struct sass_cubin *c, const struct sass_line *line);

/* Writes `target` (address of the symbol, without the addend) into `where`, which has `space`
 * bytes from the relocation's offset on. `place` is the address of that offset itself, for the
 * relative kinds. False: the type is not known, or it does not fit. */
bool sass_relocation_apply(const struct sass_relocation *r, uint8_t *where, uint64_t space,
                           uint64_t place, uint64_t target);

#endif
