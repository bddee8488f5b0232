/* driver_image.c - from the bytes a program hands over to code that can be run: fatbins and their
 * wrappers, cubins, PTX. Machine code for the device's architecture runs where there is some, else
 * PTX, as with NVIDIA's driver; --code forces one. Where an instruction of a kernel's machine code
 * cannot be executed that kernel's PTX runs, and the user is told. A cubin beside the PTX tells the
 * compiler's register counts. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/ptx.h>
#include <strata/sass.h>

#include "base/array.h"
#include "cuda/module.h"
#include "emulator/elf64.h"

#define MAX_UNITS       1024
#define MAX_IMAGE_BYTES ((size_t)4 << 30)

/* What nvcc puts around a container. */
struct wrapper {
    uint32_t magic, version;
    const void *container;
    /* version 2: containers of the separately compiled units, NULL at the end */
    const void *const *units;
};

static uint32_t first_word(const void *image)
{
    uint32_t word;
    memcpy(&word, image, sizeof word);
    return word;
}

static bool is_elf(const void *image)
{
    return !memcmp(image, ELFMAG, SELFMAG);
}

static size_t elf_bytes(const void *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    size_t sections = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
    size_t programs = h.e_phoff + (size_t)h.e_phnum * h.e_phentsize;
    return sections > programs ? sections : programs;
}

static size_t container_bytes(const void *container)
{
    uint16_t header;
    uint64_t body;
    memcpy(&header, (const uint8_t *)container + 6, sizeof header);
    memcpy(&body, (const uint8_t *)container + 8, sizeof body);
    return header + body;
}

/* A damaged header may claim any length: not more is believed than is mapped there. */
static bool is_mapped(const void *at, size_t bytes)
{
    unsigned char resident[256];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)at & ~(page - 1), end = (uintptr_t)at + bytes;
    if (bytes > MAX_IMAGE_BYTES)
        return false;
    for (; from < end; from += sizeof resident * page) {
        size_t part = end - from < sizeof resident * page ? end - from : sizeof resident * page;
        if (mincore((void *)from, part, resident))
            return false;
    }
    return true;
}

size_t image_bytes(const void *image)
{
    const char *text = image;
    size_t bytes = is_elf(image)                              ? elf_bytes(image)
                   : first_word(image) == STRATA_FATBIN_MAGIC ? container_bytes(image)
                                                              : 0;
    if (bytes)
        return is_mapped(image, bytes) ? bytes : 0;
    if (first_word(image) == STRATA_FATBIN_WRAPPER)
        return sizeof(struct wrapper);
    /* PTX begins with a comment, a directive or white space. */
    return strchr("/. \t\r\n", text[0]) && text[0] ? strlen(text) + 1 : 0;
}

/* ---- PTX that was handed over for a cubin ---- */

struct offered {
    void *cubin;
    size_t cubin_bytes;
    char *ptx;
    size_t ptx_bytes;
};
static struct offered *offers;
static size_t n_offers, cap_offers;

static void *duplicate(const void *bytes, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, bytes, n);
        copy[n] = 0;
    }
    return copy;
}

bool image_offer(const void *cubin, size_t cubin_bytes, const char *ptx, size_t ptx_bytes)
{
    struct offered o = {duplicate(cubin, cubin_bytes), cubin_bytes, duplicate(ptx, ptx_bytes),
                        ptx_bytes};
    if (!o.cubin || !o.ptx || !ARRAY_RESERVE(offers, n_offers, cap_offers, 1)) {
        free(o.cubin);
        free(o.ptx);
        return false;
    }
    offers[n_offers++] = o;
    return true;
}

static const struct offered *offer_for(const void *cubin, size_t bytes)
{
    for (size_t i = n_offers; i-- > 0;)
        if (offers[i].cubin_bytes >= bytes && !memcmp(offers[i].cubin, cubin, bytes))
            return &offers[i];
    return NULL;
}

/* ---- collecting the PTX ---- */

struct sources {
    struct strata_ptx_source item[MAX_UNITS];
    size_t n;
    char *cubin; /* machine code for the device, NULL: none */
    size_t cubin_bytes;
    struct strata_error first; /* why a container gave none */
    CUresult status;           /* what the driver would say then */
};

/* Messages about the PTX give its lines, which are not the source's: say so. */
static const char *ptx_name(void)
{
    static char name[128];
    snprintf(name, sizeof name, "PTX of %s", program_name());
    return name;
}

static void note(struct sources *s, CUresult status, const struct strata_error *err)
{
    if (s->first.message[0])
        return;
    s->first = *err;
    s->status = status;
}

static void take_text(struct sources *s, char *text, size_t length)
{
    if (s->n < MAX_UNITS)
        s->item[s->n++] = (struct strata_ptx_source){text, length, ptx_name()};
    else
        free(text);
}

static void read_resources(struct CUmod_st *m, const void *elf, size_t bytes)
{
    struct strata_cubin_kernel *kernels = NULL;
    size_t n = 0;
    if (m->cubin || strata_cubin_kernels(elf, bytes, program_name(), &kernels, &n, NULL))
        return;
    m->cubin = kernels;
    m->n_cubin = n;
}

/* Machine code runs on devices of the same major version from its own minor version on. */
static bool runs_on_device(uint32_t arch)
{
    return arch / 10 == device.sm_version / 10 && arch <= device.sm_version;
}

static void keep_cubin(struct sources *s, const void *elf, size_t bytes)
{
    if (s->cubin)
        return;
    s->cubin = duplicate(elf, bytes);
    s->cubin_bytes = s->cubin ? bytes : 0;
}

static uint32_t elf_arch(const void *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    return elf64_gpu_arch(&h);
}

static void take_cubin(struct CUmod_st *m, struct sources *s, const void *elf, size_t bytes)
{
    struct strata_error err;
    struct strata_cubin_kernel *kernels = NULL;
    size_t n = 0;
    if (strata_cubin_kernels(elf, bytes, program_name(), &kernels, &n, &err) != STRATA_OK) {
        note(s, CUDA_ERROR_INVALID_IMAGE, &err);
        return;
    }
    strata_cubin_kernels_free(kernels, n);
    read_resources(m, elf, bytes);
    if (runs_on_device(elf_arch(elf)))
        keep_cubin(s, elf, bytes);
    const struct offered *o = offer_for(elf, bytes);
    char *text = o ? duplicate(o->ptx, o->ptx_bytes) : NULL;
    if (text) {
        take_text(s, text, o->ptx_bytes);
        return;
    }
    strata_fail(
        &err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
        "the program loads machine code for sm_%u without PTX, which an sm_%u does not run; "
        "choose another device (--gpu), or keep the PTX (nvcc: code=compute_NN; Triton: "
        "import strata.triton).",
        elf_arch(elf), device.sm_version);
    note(s, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
}

static void take_container(struct CUmod_st *m, struct sources *s, const void *container)
{
    struct strata_fatbin *f;
    struct strata_error err;
    const struct strata_fatbin_entry *entry;
    char *text;
    size_t length;
    if (strata_fatbin_parse(container, container_bytes(container), program_name(), &f, &err)) {
        note(s, CUDA_ERROR_INVALID_IMAGE, &err);
        return;
    }
    entry = strata_fatbin_choose_cubin(f, device.sm_version);
    if (entry && !strata_fatbin_extract(entry, program_name(), &text, &length, NULL)) {
        read_resources(m, text, length);
        if (runs_on_device(entry->arch))
            keep_cubin(s, text, length);
        free(text);
    }
    if (!strata_fatbin_count(f))
        ; /* the device linker's container may be empty */
    else if (strata_fatbin_choose_ptx(f, program_name(), &entry, &err))
        note(s, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    else if (strata_fatbin_extract(entry, program_name(), &text, &length, &err))
        note(s, CUDA_ERROR_INVALID_IMAGE, &err);
    else
        take_text(s, text, length);
    strata_fatbin_destroy(f);
}

/* With separate compilation the first container is the device linker's and holds machine code
 * only; the PTX is in the units. */
static void take_wrapper(struct CUmod_st *m, struct sources *s, const struct wrapper *w)
{
    if (w->container)
        take_container(m, s, w->container);
    if (w->version >= 2 && w->units)
        for (const void *const *u = w->units; *u; u++)
            take_container(m, s, *u);
}

static void collect(struct CUmod_st *m, struct sources *s)
{
    struct strata_error err;
    if (is_elf(m->image))
        take_cubin(m, s, m->image, elf_bytes(m->image));
    else if (first_word(m->image) == STRATA_FATBIN_MAGIC)
        take_container(m, s, m->image);
    else if (first_word(m->image) == STRATA_FATBIN_WRAPPER)
        take_wrapper(m, s, m->image);
    else if (image_bytes(m->image)) {
        char *text = strdup(m->image);
        if (text)
            take_text(s, text, strlen(text));
    } else {
        strata_fail(&err, STRATA_EFORMAT, program_name(), 0, 0,
                    "the program loads something that is no fatbin, cubin or PTX.");
        note(s, CUDA_ERROR_INVALID_IMAGE, &err);
    }
}

/* ---- loading ---- */

/* The program may ask for the words; the user is told them where it is Strata that cannot. */
static CUresult fail(struct CUmod_st *m, CUresult status, const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    free(m->log);
    m->log = strdup(text);
    m->failed = status;
    if (err->status == STRATA_EUNSUPPORTED || m->is_library) {
        driver_complain("%s", text);
        driver_report("refused");
    }
    return status;
}

/* An instruction that Strata does not know cannot be told from one that does not exist. */
static CUresult status_for(const struct strata_error *err)
{
    return err->status == STRATA_ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX;
}

/* A text for a newer architecture than the device's cannot be compiled for it. Fatbins are chosen
 * from by other rules, and whatever PTX they hold is run. */
static bool too_new(const struct CUmod_st *m)
{
    return !is_elf(m->image) && first_word(m->image) != STRATA_FATBIN_MAGIC &&
           first_word(m->image) != STRATA_FATBIN_WRAPPER &&
           strata_module_sm(m->code) > device.sm_version;
}

static CUresult compile(struct CUmod_st *m, struct sources *s)
{
    struct strata_error err = {0};
    struct strata_device_memory memory = memory_interface();
    strata_status status = strata_ptx_module_create(s->item, s->n, &memory, &m->code, &err);
    char text[sizeof err.message];
    memcpy(text, err.message, sizeof text);
    if (status != STRATA_OK && strstr(err.message, "__cuda_syscall_cnp"))
        strata_fail(
            &err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
            "the program calls a function of the device runtime (dynamic parallelism) other "
            "than launches, which Strata does not support: %s",
            text);
    if (status != STRATA_OK)
        return fail(m, status_for(&err), &err);
    if (!too_new(m))
        return CUDA_SUCCESS;
    strata_fail(&err, STRATA_EFORMAT, ptx_name(), 0, 0,
                "the PTX is for sm_%u, and the device is an sm_%u; choose another with --gpu.",
                strata_module_sm(m->code), device.sm_version);
    strata_module_destroy(m->code);
    m->code = NULL;
    return fail(m, CUDA_ERROR_INVALID_PTX, &err);
}

static bool wants(const char *code)
{
    return config.code && !strcmp(config.code, code);
}

/* What the last line of `strata trace` says. */
static void say_code(const char *code, const char *why)
{
    driver_report("code %s %s", code, why);
}

#define CANNOT_RUN "machine code that cannot be executed"

/* Where machine code cannot be run and PTX can. */
static void say_fallback(const struct strata_error *err, const char *whose, const char *why)
{
    char text[1300];
    strata_error_text(err, text, sizeof text);
    driver_complain("%s; %s PTX runs instead", text, whose);
    say_code("ptx", why);
}

static bool make_machine_code(struct CUmod_st *m, const void *cubin, size_t bytes,
                              struct strata_error *err)
{
    struct strata_device_memory memory = memory_interface();
    return strata_sass_module_create(cubin, bytes, program_name(), &memory, &m->code, err) ==
           STRATA_OK;
}

/* As the driver does: machine code that runs on the device comes first. */
static bool load_machine_code(struct CUmod_st *m, struct sources *s, struct strata_error *err)
{
    if (!s->cubin || wants("ptx"))
        return false;
    if (make_machine_code(m, s->cubin, s->cubin_bytes, err)) {
        say_code("sass", wants("sass") ? "as --code says" : "the program holds it for this device");
        return true;
    }
    if (s->n && !wants("sass"))
        say_fallback(err, "the module's", CANNOT_RUN);
    return false;
}

/* --compile: what the driver's own compiler would make of the PTX. */
static bool load_compiled(struct CUmod_st *m, struct sources *s, struct strata_error *err)
{
    char arch[16], why[80], *cubin = NULL;
    size_t bytes = 0;
    if (!config.ptxas || !s->n || err->message[0])
        return false;
    strata_ptx_arch(device.sm_version, arch);
    if (s->n > 1)
        strata_fail(err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
                    "--compile: the PTX is in %zu parts that would have to be linked; build the "
                    "program with nvcc -arch=%s instead",
                    s->n, arch);
    else if (!strata_ptx_compile(&s->item[0], config.ptxas, device.sm_version, &cubin, &bytes,
                                 err) &&
             make_machine_code(m, cubin, bytes, err)) {
        strata_cubin_kernels_free(m->cubin, m->n_cubin);
        m->cubin = NULL; /* of other machine code */
        m->n_cubin = 0;
        snprintf(why, sizeof why, "compiled for %s by ptxas", arch);
        say_code("sass", why);
    }
    bool cubin_made = cubin != NULL;
    free(cubin);
    if (!m->code && !wants("sass"))
        say_fallback(err, "the module's", cubin_made ? CANNOT_RUN : "it could not be compiled");
    return m->code != NULL;
}

static CUresult load(struct CUmod_st *m, struct sources *s)
{
    struct strata_error err = {0};
    if (load_machine_code(m, s, &err) || load_compiled(m, s, &err))
        return CUDA_SUCCESS;
    if (wants("sass")) {
        if (!err.message[0])
            strata_fail(&err, STRATA_EUNSUPPORTED, program_name(), 0, 0,
                        "--code sass: the program holds no machine code for sm_%u; build it with "
                        "nvcc -arch=sm_%u.",
                        device.sm_version, device.sm_version);
        return fail(m, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    }
    if (!s->n && err.message[0])
        return fail(m, CUDA_ERROR_NO_BINARY_FOR_GPU, &err);
    if (!s->n)
        return fail(m, s->status ? s->status : CUDA_ERROR_NO_BINARY_FOR_GPU, &s->first);
    if (!err.message[0])
        say_code("ptx", wants("ptx") ? "as --code says"
                                     : "the program holds no machine code for this device");
    return compile(m, s);
}

static void free_sources(struct sources *s)
{
    for (size_t i = 0; i < s->n; i++)
        free((char *)(uintptr_t)s->item[i].text);
    free(s->cubin);
    free(s);
}

/* ---- kernels that machine code cannot run ---- */

/* Made when it is first needed. It uses the machine code's variables. */
static struct strata_module *ptx_beside(struct CUmod_st *m)
{
    struct strata_device_memory memory = memory_interface();
    struct sources *s = m->tried_ptx ? NULL : calloc(1, sizeof *s);
    m->tried_ptx = true;
    if (!s)
        return m->ptx;
    collect(m, s);
    if (s->n)
        strata_ptx_module_create_beside(s->item, s->n, m->code, &memory, &m->ptx, NULL);
    free_sources(s);
    return m->ptx;
}

struct strata_module *image_code_for(struct CUmod_st *m, const struct strata_entry **entry)
{
    struct strata_error err = {0};
    if (strata_module_isa(m->code) != STRATA_ISA_SASS || wants("sass") ||
        strata_module_entry_check(m->code, *entry, &err) == STRATA_OK)
        return m->code;
    struct strata_module *ptx = ptx_beside(m);
    const struct strata_entry *same = ptx ? strata_module_entry_find(ptx, (*entry)->name) : NULL;
    if (!same)
        return m->code; /* its launch will say what is wrong */
    say_fallback(&err, "the kernel's", CANNOT_RUN);
    *entry = same;
    return ptx;
}

CUresult image_load(struct CUmod_st *m)
{
    struct sources *s = calloc(1, sizeof *s);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    collect(m, s);
    if (!s->n && !s->first.message[0]) {
        s->status = CUDA_ERROR_NO_BINARY_FOR_GPU;
        strata_fail(&s->first, STRATA_EUNSUPPORTED, program_name(), 0, 0,
                    "the program holds no GPU code; build it with nvcc -arch=sm_90, which keeps "
                    "the PTX.");
    }
    CUresult status = load(m, s);
    free_sources(s);
    return status;
}
