/* strata/sass.h - the machine code in a file, as text with what the assembler wrote beside it, and
 * modules that run it.
 *
 * A file is a cubin, a fatbin, or an executable, object or library with fatbins inside. All input
 * is untrusted. Objects are read-only after creation and may be shared between threads. */
#ifndef STRATA_SASS_H
#define STRATA_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/emulator.h>
#include <strata/status.h>

#define STRATA_SASS_NO_BARRIER 7
#define STRATA_SASS_TEXT_BYTES 256

struct strata_sass; /* opaque */

struct strata_sass_function {
    const char *name;   /* as in the symbol table: mangled */
    bool is_kernel;     /* false: a function that kernels call */
    uint32_t arch;      /* 90 for sm_90 */
    char arch_suffix;   /* 'a', 'f' or 0 */
    uint32_t registers; /* per thread, as the cubin says */
    uint32_t shared_static_bytes, local_bytes, param_bytes;
    uint32_t instructions;
};

struct strata_sass_line {
    uint64_t address;
    uint64_t encoding[2];  /* low and high half */
    bool known;            /* false: no row of the decoder's tables fits */
    uint8_t stall;         /* cycles before the warp's next instruction */
    uint8_t yield;         /* 1: the scheduler may prefer another warp */
    uint8_t write_barrier; /* 0..5, or STRATA_SASS_NO_BARRIER */
    uint8_t read_barrier;
    uint8_t wait_mask; /* bit i: waits for barrier i */
    uint8_t reuse;     /* bits 0..2: operands a, b, c stay in the operand cache */
    uint16_t live;     /* registers in use */
    const char *file;  /* of the source; NULL if not known */
    uint32_t line;
    const char *inlined;               /* as in strata/trace.h; in the same memory as the lines */
    char text[STRATA_SASS_TEXT_BYTES]; /* as NVIDIA's disassembler prints it */
};

/* Reads the file at `path`. A file without machine code is refused (STRATA_EUNSUPPORTED) with what
 * there is instead. */
strata_status strata_sass_open(const char *path, struct strata_sass **out,
                               struct strata_error *err);
/* The same from memory, which must outlive the object; `name` is for messages. */
strata_status strata_sass_read(const void *bytes, size_t length, const char *name,
                               struct strata_sass **out, struct strata_error *err);
void strata_sass_close(struct strata_sass *s); /* NULL is allowed */

size_t strata_sass_count(const struct strata_sass *s);
const struct strata_sass_function *strata_sass_get(const struct strata_sass *s, size_t i);
/* Decodes function i: fresh memory of `instructions` elements, which the caller frees. Costs about
 * a microsecond and 400 bytes an instruction. */
strata_status strata_sass_listing(const struct strata_sass *s, size_t i,
                                  struct strata_sass_line **out, struct strata_error *err);

/* ---- modules ---- */

/* A module is made of one cubin. Creating it places its variables in memory and applies its
 * relocations; the instructions of a kernel are made ready when it is first asked about or run.
 * What can be done with the module is in <strata/emulator.h>. `name` is for messages; neither it
 * nor the bytes are needed afterwards. `memory` is copied; NULL: the C library without checks.
 * STRATA_EFORMAT: not a cubin; STRATA_EUNSUPPORTED: one that is not linked, or of an architecture
 * whose code is not known. */
strata_status strata_sass_module_create(const void *cubin, size_t length, const char *name,
                                        const struct strata_device_memory *memory,
                                        struct strata_module **out, struct strata_error *err);

#endif
