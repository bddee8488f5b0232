/* t_fatbin.c - fatbin containers as nvcc 13 writes them (tests/data/fatbin, made from scale.cu in
 * the comment below) and as they arrive damaged.
 *
 *   extern "C" __global__ void scale(float *x, float f, int n)   with __shared__ float tile[64] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/fatbin.h>

#include "emulator/lz4_block.h"

struct file {
    uint8_t *bytes;
    size_t length;
};

static struct file load(const char *name)
{
    char path[1024];
    const char *source = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/fatbin/%s", source ? source : ".", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct file file = {malloc(1 << 16), 0};
    file.length = fread(file.bytes, 1, 1 << 16, f);
    fclose(f);
    return file;
}

static struct strata_fatbin *parse(const struct file *file)
{
    struct strata_fatbin *f;
    struct strata_error err;
    assert_int_equal(strata_fatbin_parse(file->bytes, file->length, "test", &f, &err), STRATA_OK);
    return f;
}

static char *ptx_of(const char *name, uint32_t packing)
{
    struct file file = load(name);
    struct strata_fatbin *f = parse(&file);
    const struct strata_fatbin_entry *entry;
    char *text;
    size_t length;
    assert_int_equal(strata_fatbin_choose_ptx(f, "test", &entry, NULL), STRATA_OK);
    assert_int_equal(entry->packing, packing);
    assert_int_equal(entry->arch, 75);
    assert_int_equal(strata_fatbin_extract(entry, "test", &text, &length, NULL), STRATA_OK);
    assert_int_equal(length, strlen(text));
    strata_fatbin_destroy(f);
    free(file.bytes);
    return text;
}

static void zstd_lz4_and_plain_entries_hold_the_same_text(void **state)
{
    (void)state;
    char *zstd = ptx_of("ptx75-zstd.fatbin", STRATA_PACKED_ZSTD);
    char *lz4 = ptx_of("ptx75-lz4.fatbin", STRATA_PACKED_LZ4);
    char *plain = ptx_of("ptx75-plain.fatbin", STRATA_PACKED_NOT);
    assert_non_null(strstr(plain, ".visible .entry scale("));
    assert_string_equal(zstd, plain);
    assert_string_equal(lz4, plain);
    free(zstd);
    free(lz4);
    free(plain);
}

static void a_cubin_tells_registers_and_static_shared_memory(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t registers; /* as ptxas -v says */
    } cases[] = {{"both90.fatbin", 9}, {"cubin75.fatbin", 10}};
    for (size_t i = 0; i < 2; i++) {
        struct file file = load(cases[i].file);
        struct strata_fatbin *f = parse(&file);
        const struct strata_fatbin_entry *entry = strata_fatbin_choose_cubin(f, 90);
        struct strata_cubin_kernel *kernels;
        char *elf;
        size_t length, n;
        assert_non_null(entry);
        assert_int_equal(strata_fatbin_extract(entry, "test", &elf, &length, NULL), STRATA_OK);
        assert_int_equal(strata_cubin_kernels(elf, length, "test", &kernels, &n, NULL), STRATA_OK);
        assert_int_equal(n, 1);
        assert_string_equal(kernels[0].name, "scale");
        assert_int_equal(kernels[0].registers, cases[i].registers);
        assert_int_equal(kernels[0].shared_static_bytes, 256);
        strata_cubin_kernels_free(kernels, n);
        free(elf);
        strata_fatbin_destroy(f);
        free(file.bytes);
    }
}

static void expect_no_ptx(const char *name, const char *word, const char *remedy)
{
    struct file file = load(name);
    struct strata_fatbin *f = parse(&file);
    const struct strata_fatbin_entry *entry;
    struct strata_error err;
    assert_int_equal(strata_fatbin_choose_ptx(f, "test", &entry, &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, word));
    assert_non_null(strstr(err.message, remedy));
    strata_fatbin_destroy(f);
    free(file.bytes);
}

static void without_ptx_the_message_names_the_flag(void **state)
{
    (void)state;
    expect_no_ptx("cubin75.fatbin", "sm_75", "code=compute_75");
    expect_no_ptx("lto90.fatbin", "link-time", "code=compute_90");
}

/* A container with one entry each for compute_80, compute_90a and compute_70. */
static void general_ptx_of_the_highest_architecture_is_chosen(void **state)
{
    (void)state;
    static const struct {
        uint32_t arch, flags;
    } entries[] = {{80, 0x11}, {90, 0x11 | 0x100000}, {70, 0x11}};
    uint8_t bytes[16 + 3 * 72] = {0};
    uint32_t magic = STRATA_FATBIN_MAGIC;
    uint64_t body = 3 * 72, payload = 8;
    memcpy(bytes, &magic, 4);
    bytes[4] = 1;
    bytes[6] = 16;
    memcpy(bytes + 8, &body, 8);
    for (int i = 0; i < 3; i++) {
        uint8_t *e = bytes + 16 + i * 72;
        e[0] = STRATA_FATBIN_PTX;
        e[4] = 64;
        memcpy(e + 8, &payload, 8);
        memcpy(e + 0x1c, &entries[i].arch, 4);
        memcpy(e + 0x28, &entries[i].flags, 4);
        memcpy(e + 64, ".version", 8);
    }
    struct strata_fatbin *f;
    const struct strata_fatbin_entry *entry;
    assert_int_equal(strata_fatbin_parse(bytes, sizeof bytes, "test", &f, NULL), STRATA_OK);
    assert_int_equal(strata_fatbin_count(f), 3);
    assert_int_equal(strata_fatbin_choose_ptx(f, "test", &entry, NULL), STRATA_OK);
    assert_int_equal(entry->arch, 80);
    strata_fatbin_destroy(f);
}

/* Every prefix either parses to nothing wrong or fails; under ASan this also proves the bounds. */
static void every_cut_of_a_container_is_refused(void **state)
{
    (void)state;
    struct file file = load("both90.fatbin");
    for (size_t n = 0; n < file.length; n++) {
        uint8_t *copy = malloc(n ? n : 1);
        memcpy(copy, file.bytes, n);
        struct strata_fatbin *f;
        struct strata_error err;
        assert_int_equal(strata_fatbin_parse(copy, n, "test", &f, &err), STRATA_EFORMAT);
        free(copy);
    }
    free(file.bytes);
}

static void a_damaged_payload_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"ptx75-zstd.fatbin", "ptx75-lz4.fatbin"};
    for (size_t i = 0; i < 2; i++) {
        struct file file = load(names[i]);
        memset(file.bytes + file.length - 40, 0xff, 30);
        struct strata_fatbin *f = parse(&file);
        char *text;
        size_t length;
        struct strata_error err;
        assert_int_equal(
            strata_fatbin_extract(strata_fatbin_get(f, 0), "test", &text, &length, &err),
            STRATA_EFORMAT);
        assert_non_null(strstr(err.message, "does not unpack"));
        strata_fatbin_destroy(f);
        free(file.bytes);
    }
}

static void lz4_blocks_unpack_literals_overlaps_and_long_lengths(void **state)
{
    (void)state;
    uint8_t out[300];
    static const uint8_t literals[] = {0x50, 'h', 'e', 'l', 'l', 'o'};
    assert_true(lz4_block_unpack(literals, sizeof literals, out, 5));
    assert_memory_equal(out, "hello", 5);
    assert_false(lz4_block_unpack(literals, sizeof literals, out, 6));
    assert_false(lz4_block_unpack(literals, sizeof literals, out, 4));
    /* "ab", then a match of 4 + 15 + 255 + 5 bytes two back, then the literal "c" */
    static const uint8_t overlap[] = {0x2f, 'a', 'b', 2, 0, 255, 5, 0x10, 'c'};
    assert_true(lz4_block_unpack(overlap, sizeof overlap, out, 282));
    for (int i = 0; i < 281; i++)
        assert_int_equal(out[i], i % 2 ? 'b' : 'a');
    assert_int_equal(out[281], 'c');
    static const uint8_t too_far[] = {0x20, 'a', 'b', 3, 0, 0x10, 'c'};
    assert_false(lz4_block_unpack(too_far, sizeof too_far, out, 7));
}

static void a_host_program_without_cuda_is_told_apart(void **state)
{
    (void)state;
    struct strata_cuda_program p;
    struct strata_error err;
    assert_int_equal(strata_cuda_program_inspect("/proc/self/exe", &p, &err), STRATA_OK);
    assert_true(p.is_elf);
    assert_true(p.same_machine);
    assert_string_equal(p.cudart, "");
    assert_false(p.static_cudart);
    assert_int_equal(strata_cuda_program_inspect("/nonexistent/app", &p, &err), STRATA_EIO);
}

/* ---- executables made here: sections, no code ---- */

struct section {
    const char *name;
    uint32_t type, link;
    const void *bytes;
    size_t length;
};

/* Writes an ELF file of this machine's kind with the sections and their names. */
static void write_elf(const char *path, const struct section *sections, uint16_t n)
{
    uint8_t image[16384] = {0}, header[64];
    char names[256] = "";
    size_t at = 64, n_names = 1;
    FILE *exe = fopen("/proc/self/exe", "rb"); /* for machine and class */
    assert_non_null(exe);
    assert_int_equal(fread(header, 1, 64, exe), 64);
    fclose(exe);
    uint8_t table[16][64] = {{0}};
    for (uint16_t i = 0; i <= n; i++) {
        struct section last = {".shstrtab", 3, 0, names, sizeof names};
        const struct section *s = i < n ? &sections[i] : &last;
        uint32_t name = (uint32_t)n_names;
        uint64_t offset = at, bytes = s->length;
        memcpy(names + n_names, s->name, strlen(s->name) + 1);
        n_names += strlen(s->name) + 1;
        memcpy(table[i + 1], &name, 4);
        memcpy(table[i + 1] + 4, &s->type, 4);
        memcpy(table[i + 1] + 24, &offset, 8);
        memcpy(table[i + 1] + 32, &bytes, 8);
        memcpy(table[i + 1] + 40, &s->link, 4);
        memcpy(image + at, s->bytes, s->length);
        at += (s->length + 7) / 8 * 8;
    }
    memcpy(image + at - sizeof names, names, sizeof names); /* complete only now */
    uint64_t table_offset = at;
    uint16_t entry = 64, count = (uint16_t)(n + 2), names_index = (uint16_t)(n + 1);
    memcpy(header + 40, &table_offset, 8);
    memcpy(header + 58, &entry, 2);
    memcpy(header + 60, &count, 2);
    memcpy(header + 62, &names_index, 2);
    memcpy(image, header, 64);
    memcpy(image + at, table, (size_t)count * 64);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(image, 1, at + (size_t)count * 64, f), at + (size_t)count * 64);
    fclose(f);
}

static void a_static_runtime_is_seen_in_the_executable(void **state)
{
    (void)state;
    struct file fatbin = load("ptx75-zstd.fatbin"), cubin = load("cubin75.fatbin");
    struct strata_cuda_program p;
    struct strata_error err;
    /* GPU code and nothing imported: the runtime is inside */
    const struct section inside[] = {{".nvFatBinSegment", 1, 0, "wrapper", 8},
                                     {".nv_fatbin", 1, 0, fatbin.bytes, fatbin.length}};
    write_elf("t_fatbin.static.tmp", inside, 2);
    assert_int_equal(strata_cuda_program_inspect("t_fatbin.static.tmp", &p, &err), STRATA_OK);
    assert_true(p.is_elf && p.static_cudart && p.n_ptx == 1 && p.ptx_arch == 75);
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "-cudart shared"));
    /* the same with the registration function imported from libcudart.so.12 */
    static const char strings[] = "\0__cudaRegisterFatBinary\0libcudart.so.12\0libm.so.6";
    const uint64_t dynamic[] = {1, 25, 1, 41, 0, 0}; /* DT_NEEDED twice */
    uint8_t symbols[48] = {0};
    symbols[24] = 1; /* st_name; section 0: undefined */
    const struct section shared[] = {{".nvFatBinSegment", 1, 0, "wrapper", 8},
                                     {".nv_fatbin", 1, 0, cubin.bytes, cubin.length},
                                     {".dynstr", 3, 0, strings, sizeof strings},
                                     {".dynamic", 6, 3, dynamic, sizeof dynamic},
                                     {".dynsym", 11, 3, symbols, sizeof symbols}};
    write_elf("t_fatbin.shared.tmp", shared, 5);
    assert_int_equal(strata_cuda_program_inspect("t_fatbin.shared.tmp", &p, &err), STRATA_OK);
    assert_true(p.is_dynamic && !p.static_cudart && !p.may_load_cuda);
    assert_string_equal(p.cudart, "libcudart.so.12");
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_OK); /* machine code runs */
    remove("t_fatbin.static.tmp");
    remove("t_fatbin.shared.tmp");
    free(fatbin.bytes);
    free(cubin.bytes);
}

static void each_hindrance_has_its_remedy(void **state)
{
    (void)state;
    struct strata_error err;
    struct strata_cuda_program good = {.is_elf = true,
                                       .is_dynamic = true,
                                       .same_machine = true,
                                       .cudart = "libcudart.so.13",
                                       .n_ptx = 1,
                                       .ptx_arch = 90};
    assert_int_equal(strata_cuda_program_check(&good, "app", &err), STRATA_OK);
    struct strata_cuda_program p = good;
    p.cudart[0] = 0;
    p.static_cudart = true;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "-cudart shared"));
    p.has_symbols = true;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_OK);
    p.is_dynamic = false;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "-static"));
    p = good;
    snprintf(p.cudart, sizeof p.cudart, "libcudart.so.10.2");
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "libcudart.so.10.2"));
    p = good;
    p.n_ptx = 0;
    p.n_cubins = 1;
    p.cubin_arch = 80;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_OK);
    p.n_cubins = 0;
    p.n_lto = 1;
    p.lto_arch = 80;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "code=compute_80"));
    p = good;
    p.needs_libcuda = true;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_OK);
    p = good;
    p.same_machine = false;
    assert_int_equal(strata_cuda_program_check(&p, "app", &err), STRATA_EUNSUPPORTED);
    p = (struct strata_cuda_program){.is_elf = true, .same_machine = true};
    assert_int_equal(strata_cuda_program_check(&p, "app", &err),
                     STRATA_OK); /* what it loads counts */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zstd_lz4_and_plain_entries_hold_the_same_text),
        cmocka_unit_test(a_cubin_tells_registers_and_static_shared_memory),
        cmocka_unit_test(without_ptx_the_message_names_the_flag),
        cmocka_unit_test(general_ptx_of_the_highest_architecture_is_chosen),
        cmocka_unit_test(every_cut_of_a_container_is_refused),
        cmocka_unit_test(a_damaged_payload_is_refused),
        cmocka_unit_test(lz4_blocks_unpack_literals_overlaps_and_long_lengths),
        cmocka_unit_test(a_host_program_without_cuda_is_told_apart),
        cmocka_unit_test(a_static_runtime_is_seen_in_the_executable),
        cmocka_unit_test(each_hindrance_has_its_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
