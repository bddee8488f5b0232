/* redirect.c - see redirect.h. */
#include "preload/redirect.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/elf64.h"

/* An absolute jump: as many bytes as every function of a runtime has. */
#if defined __aarch64__
#define JUMP_BYTES 16
static void write_jump(uint8_t *at, const void *target)
{
    static const uint32_t code[2] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
    uint64_t address = (uint64_t)(uintptr_t)target;
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &address, sizeof address);
}
#elif defined __x86_64__
#define JUMP_BYTES 14
static void write_jump(uint8_t *at, const void *target)
{
    static const uint8_t code[6] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */
    uint64_t address = (uint64_t)(uintptr_t)target;
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &address, sizeof address);
}
#else
#define JUMP_BYTES 0
static void write_jump(uint8_t *at, const void *target)
{
    (void)at, (void)target;
}
#endif

struct image {
    struct elf64 elf;
    Elf64_Shdr symbols;
    uintptr_t base; /* what symbol values are relative to */
};

static bool is_function(const Elf64_Sym *s)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_value;
}

/* Calls `visit` for each function the file defines. */
static void each_function(const struct image *m,
                          void (*visit)(const struct image *, const char *, const Elf64_Sym *,
                                        void *),
                          void *data)
{
    Elf64_Sym s;
    for (uint64_t k = 0; elf64_symbol(&m->elf, &m->symbols, k, &s); k++)
        if (is_function(&s))
            visit(m, elf64_string(&m->elf, m->symbols.sh_link, s.st_name), &s, data);
}

/* ---- which runtime it is ---- */

struct traits {
    bool registers, has_12, has_11;
};

static void see_trait(const struct image *m, const char *name, const Elf64_Sym *s, void *data)
{
    struct traits *t = data;
    (void)m, (void)s;
    t->registers |= !strcmp(name, "__cudaRegisterFatBinary");
    t->has_12 |= !strcmp(name, "cudaGetDeviceProperties_v2"); /* in 12 alone */
    t->has_11 |= !strcmp(name, "cudaBindTexture");            /* gone since 12 */
}

static const char *runtime_for(const struct traits *t)
{
    return t->has_12 ? "libcudart.so.12" : t->has_11 ? "libcudart.so.11.0" : "libcudart.so.13";
}

/* ---- writing the jumps ---- */

struct patch {
    void *runtime;
    uintptr_t first, last; /* span of the functions */
    bool write;
};

static void see_patch(const struct image *m, const char *name, const Elf64_Sym *s, void *data)
{
    struct patch *p = data;
    if ((strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6)) || s->st_size < JUMP_BYTES)
        return;
    void *target = dlsym(p->runtime, name);
    if (!target)
        return;
    uintptr_t at = m->base + s->st_value;
    if (p->write)
        write_jump((uint8_t *)at, target);
    if (!p->first || at < p->first)
        p->first = at;
    if (at + JUMP_BYTES > p->last)
        p->last = at + JUMP_BYTES;
}

static bool patch_functions(const struct image *m, void *runtime)
{
    struct patch p = {.runtime = runtime};
    each_function(m, see_patch, &p);
    if (!p.first || !JUMP_BYTES)
        return false;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = p.first & ~(page - 1);
    if (mprotect((void *)start, p.last - start, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    p.write = true;
    each_function(m, see_patch, &p);
    mprotect((void *)start, p.last - start, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)p.first, (char *)p.last);
    return true;
}

/* nvcc's constructor of each translation unit with GPU code */
static void register_again(const struct image *m, const char *name, const Elf64_Sym *s, void *data)
{
    (void)data;
    if (strstr(name, "__sti____cudaRegisterAll"))
        ((void (*)(void))(m->base + s->st_value))();
}

static void redirect(const struct image *m, bool constructors_ran)
{
    struct traits t = {0};
    each_function(m, see_trait, &t);
    if (!t.registers)
        return;
    void *runtime = preload_open_ours(runtime_for(&t));
    if (runtime && patch_functions(m, runtime) && constructors_ran)
        each_function(m, register_again, NULL);
}

/* Only files with GPU code and a symbol table are looked at more closely. */
static bool find_symbols(struct image *m)
{
    Elf64_Shdr s;
    if (!elf64_find(&m->elf, ".nvFatBinSegment", 0, &s))
        return false;
    for (uint32_t i = 0; elf64_section(&m->elf, i, &s); i++)
        if (s.sh_type == SHT_SYMTAB) {
            m->symbols = s;
            return true;
        }
    return false;
}

void redirect_runtime(const char *path, uintptr_t base, bool constructors_ran)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    size_t length = fstat(fd, &info) ? 0 : (size_t)info.st_size;
    void *bytes = length ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return;
    struct image m = {.base = base};
    if (elf64_open(&m.elf, bytes, length) && find_symbols(&m))
        redirect(&m, constructors_ran);
    munmap(bytes, length);
}
