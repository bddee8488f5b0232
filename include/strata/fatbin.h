/* strata/fatbin.h - what a CUDA executable carries for the GPU: fatbin containers, the PTX and
 * cubins inside, and the executable around them.
 *
 * All input is untrusted: nothing is read outside the given bytes, and sizes are bounded. Objects
 * are read-only after creation and may be shared between threads. */
#ifndef STRATA_FATBIN_H
#define STRATA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#define STRATA_FATBIN_MAGIC   0xBA55ED50u /* first word of a container */
#define STRATA_FATBIN_WRAPPER 0x466243b1u /* first word of the struct that points to one */

enum strata_fatbin_kind { STRATA_FATBIN_PTX = 1, STRATA_FATBIN_ELF = 2, STRATA_FATBIN_LTO = 8 };
enum strata_fatbin_packing { STRATA_PACKED_NOT = 0, STRATA_PACKED_LZ4, STRATA_PACKED_ZSTD };

struct strata_fatbin_entry {
    uint32_t kind;    /* enum strata_fatbin_kind; others occur and are kept */
    uint32_t packing; /* enum strata_fatbin_packing */
    uint32_t arch;    /* 75 for sm_75 or compute_75 */
    char arch_suffix; /* 'a' or 'f' for code of one architecture or family only, else 0 */
    uint64_t flags;
    uint16_t version_major, version_minor; /* PTX: of the language */
    const uint8_t *payload;                /* stored bytes, inside the container */
    uint64_t stored_bytes;
    uint64_t unpacked_bytes; /* 0: not packed */
    const char *source_name; /* not NUL-terminated; NULL if absent */
    uint32_t source_name_bytes;
};

struct strata_fatbin; /* opaque; refers to the container's bytes, which must outlive it */

/* `name` is for messages. Several containers may lie back to back (a section .nv_fatbin): all are
 * read. */
strata_status strata_fatbin_parse(const void *bytes, size_t length, const char *name,
                                  struct strata_fatbin **out, struct strata_error *err);
void strata_fatbin_destroy(struct strata_fatbin *f); /* NULL is allowed */
size_t strata_fatbin_count(const struct strata_fatbin *f);
const struct strata_fatbin_entry *strata_fatbin_get(const struct strata_fatbin *f, size_t i);

/* Unpacks an entry into fresh memory with a NUL after the last byte; *length leaves that NUL out,
 * and for PTX everything from the first NUL. The caller frees *out. */
strata_status strata_fatbin_extract(const struct strata_fatbin_entry *entry, const char *name,
                                    char **out, size_t *length, struct strata_error *err);

/* The PTX to run: highest architecture, general before architecture-specific code. If there is
 * none, STRATA_EUNSUPPORTED says what is there instead and which compiler flag mends it. */
strata_status strata_fatbin_choose_ptx(const struct strata_fatbin *f, const char *name,
                                       const struct strata_fatbin_entry **out,
                                       struct strata_error *err);
/* The cubin whose resource figures fit a device of `sm_version` best: the same, else the highest
 * below, else the lowest above. NULL if there is none. */
const struct strata_fatbin_entry *strata_fatbin_choose_cubin(const struct strata_fatbin *f,
                                                             uint32_t sm_version);

/* ---- cubins ---- */

struct strata_cubin_kernel {
    char *name;
    uint32_t registers;           /* per thread; 0 if the cubin does not say */
    uint32_t shared_static_bytes; /* without what the driver reserves */
};
/* Kernels of a cubin (an ELF file for the GPU). Free with strata_cubin_kernels_free. */
strata_status strata_cubin_kernels(const void *elf, size_t length, const char *name,
                                   struct strata_cubin_kernel **out, size_t *n,
                                   struct strata_error *err);
void strata_cubin_kernels_free(struct strata_cubin_kernel *kernels, size_t n);

/* ---- executables ---- */

/* What a host executable or shared object says about its use of CUDA. */
struct strata_cuda_program {
    bool is_elf;          /* false: a script, or something the system may still run */
    bool is_dynamic;      /* has a dynamic section */
    bool same_machine;    /* built for the machine this runs on */
    char cudart[64];      /* "libcudart.so.13": the runtime it needs, "" if none directly */
    bool static_cudart;   /* the runtime is inside the executable */
    bool has_symbols;     /* a symbol table that names it */
    bool needs_libcuda;   /* links the driver library itself */
    char gpu_library[64]; /* "libcublas.so.13": one of NVIDIA's that need a GPU, "" if none */
    bool may_load_cuda; /* loads libraries at run time, or needs ones beyond the C and C++ libraries
                         */
    uint32_t n_ptx, n_cubins, n_lto;         /* entries in its fatbins */
    uint32_t ptx_arch, cubin_arch, lto_arch; /* the highest of each, 0 if none */
};
strata_status strata_cuda_program_inspect(const char *path, struct strata_cuda_program *out,
                                          struct strata_error *err);
/* STRATA_OK if `strata trace` can serve it as far as the file tells; else one sentence with the
 * remedy (STRATA_EUNSUPPORTED). */
strata_status strata_cuda_program_check(const struct strata_cuda_program *p, const char *path,
                                        struct strata_error *err);

#endif
