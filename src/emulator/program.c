/* program.c - what a host executable says about its use of CUDA. */
#include <strata/fatbin.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/elf64.h"
#include "emulator/fatbin_private.h"

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#else
#define THIS_MACHINE 0
#endif

/* Libraries that never bring CUDA with them. */
static bool is_system_library(const char *soname)
{
    static const char *const known[] = {
        "libc.so",       "libm.so",  "libstdc++.so", "libgcc_s.so", "libdl.so",
        "libpthread.so", "librt.so", "ld-linux",     "libgomp.so",  "linux-vdso"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strncmp(soname, known[i], strlen(known[i])))
            return true;
    return false;
}

/* NVIDIA's libraries talk to the driver themselves. */
static bool is_gpu_library(const char *soname)
{
    static const char *const known[] = {"libcublas",   "libcufft", "libcurand", "libcusparse",
                                        "libcusolver", "libcudnn", "libnccl",   "libnpp",
                                        "libnvjpeg",   "libcupti"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strncmp(soname, known[i], strlen(known[i])))
            return true;
    return false;
}

static void read_needed(const struct elf64 *e, struct strata_cuda_program *p)
{
    Elf64_Shdr dynamic;
    const uint8_t *bytes =
        elf64_find(e, NULL, SHT_DYNAMIC, &dynamic) ? elf64_section_bytes(e, &dynamic) : NULL;
    if (!bytes)
        return;
    p->is_dynamic = true;
    for (uint64_t i = 0; i < dynamic.sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn d;
        memcpy(&d, bytes + i * sizeof d, sizeof d);
        if (d.d_tag != DT_NEEDED)
            continue;
        const char *soname = elf64_string(e, dynamic.sh_link, d.d_un.d_val);
        if (!strncmp(soname, "libcudart.so", 12)) {
            snprintf(p->cudart, sizeof p->cudart, "%s", soname);
            continue;
        }
        if (!strncmp(soname, "libcuda.so", 10))
            p->needs_libcuda = true;
        else if (is_gpu_library(soname))
            snprintf(p->gpu_library, sizeof p->gpu_library, "%s", soname);
        if (!is_system_library(soname))
            p->may_load_cuda = true;
    }
}

/* GPU code is registered by __cudaRegisterFatBinary: a program that holds GPU code and does not
 * import that function has the runtime inside. (Dynamic symbols survive strip.) */
static void read_symbols(const struct elf64 *e, struct strata_cuda_program *p)
{
    Elf64_Shdr s;
    bool imports = false, has_code = elf64_find(e, ".nvFatBinSegment", 0, &s);
    for (uint32_t i = 0; elf64_section(e, i, &s); i++) {
        if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM)
            continue;
        p->has_symbols |= s.sh_type == SHT_SYMTAB;
        Elf64_Sym symbol;
        for (uint64_t k = 0; elf64_symbol(e, &s, k, &symbol); k++) {
            const char *name = elf64_string(e, s.sh_link, symbol.st_name);
            if (symbol.st_shndx == SHN_UNDEF && !strncmp(name, "__cudaRegisterFatBinary", 23))
                imports = true;
            if (symbol.st_shndx == SHN_UNDEF && !strncmp(name, "dlopen", 6))
                p->may_load_cuda = true;
        }
    }
    p->static_cudart = has_code && !imports;
}

static void read_fatbins(const struct elf64 *e, struct strata_cuda_program *p)
{
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        Elf64_Shdr s;
        const uint8_t *bytes =
            elf64_find(e, sections[i], 0, &s) ? elf64_section_bytes(e, &s) : NULL;
        struct strata_fatbin *f;
        if (!bytes || strata_fatbin_parse(bytes, s.sh_size, "", &f, NULL) != STRATA_OK)
            continue;
        for (size_t k = 0; k < strata_fatbin_count(f); k++) {
            const struct strata_fatbin_entry *entry = strata_fatbin_get(f, k);
            p->n_ptx += entry->kind == STRATA_FATBIN_PTX;
            p->n_cubins += entry->kind == STRATA_FATBIN_ELF;
            p->n_lto += entry->kind == STRATA_FATBIN_LTO;
            if (entry->kind == STRATA_FATBIN_PTX && entry->arch > p->ptx_arch)
                p->ptx_arch = entry->arch;
            if (entry->kind == STRATA_FATBIN_ELF && entry->arch > p->cubin_arch)
                p->cubin_arch = entry->arch;
            if (entry->kind == STRATA_FATBIN_LTO && entry->arch > p->lto_arch)
                p->lto_arch = entry->arch;
        }
        strata_fatbin_destroy(f);
    }
}

void cuda_program_inspect_bytes(const void *bytes, size_t length, struct strata_cuda_program *out)
{
    struct elf64 e;
    if (!elf64_open(&e, bytes, length))
        return;
    out->is_elf = true;
    out->same_machine = !THIS_MACHINE || e.header.e_machine == THIS_MACHINE;
    read_needed(&e, out);
    read_symbols(&e, out);
    read_fatbins(&e, out);
}

strata_status strata_cuda_program_inspect(const char *path, struct strata_cuda_program *out,
                                          struct strata_error *err)
{
    memset(out, 0, sizeof *out);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) {
        strata_fail(err, STRATA_EIO, path, 0, 0, "the program cannot be read: %s.",
                    strerror(errno));
        if (fd >= 0)
            close(fd);
        return STRATA_EIO;
    }
    if (S_ISDIR(info.st_mode)) {
        close(fd);
        return strata_fail(err, STRATA_EIO, path, 0, 0,
                           "this is a folder; name an executable after --.");
    }
    size_t length = (size_t)info.st_size;
    void *bytes = length ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return STRATA_OK; /* nothing to see; the system will say whether it runs */
    cuda_program_inspect_bytes(bytes, length, out);
    munmap(bytes, length);
    return STRATA_OK;
}

static bool is_served(const char *soname)
{
    return !strcmp(soname, "libcudart.so.13") || !strcmp(soname, "libcudart.so.12") ||
           !strcmp(soname, "libcudart.so.11.0");
}

strata_status strata_cuda_program_check(const struct strata_cuda_program *p, const char *path,
                                        struct strata_error *err)
{
    if (!p->is_elf)
        return STRATA_OK; /* a script: what it starts is looked at when it loads the runtime */
    if (!p->same_machine)
        return strata_fail(
            err, STRATA_EUNSUPPORTED, path, 0, 0,
            "the program was built for another kind of processor; build it on this machine.");
    if (p->static_cudart && (!p->has_symbols || !p->is_dynamic))
        return strata_fail(
            err, STRATA_EUNSUPPORTED, path, 0, 0,
            "the CUDA runtime is linked into the program, and %s, so Strata cannot take its place; "
            "link it without %s, or with `nvcc -cudart shared`.",
            p->is_dynamic ? "the program's symbols were stripped" : "so is everything else",
            p->is_dynamic ? "-s" : "-static");
    if (p->cudart[0] && !is_served(p->cudart))
        return strata_fail(
            err, STRATA_EUNSUPPORTED, path, 0, 0,
            "the program needs %s; Strata stands in for libcudart.so.11.0, .12 and .13: "
            "build it with one of those versions of CUDA.",
            p->cudart);
    if (!p->n_ptx && !p->n_cubins && p->n_lto) /* what a cubin lacks is said when it loads */
        return fatbin_without_ptx(p->cubin_arch, p->lto_arch, path, err);
    return STRATA_OK;
}
