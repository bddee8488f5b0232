/* t_sass_cubin.c - cubins as nvcc 13 writes them (tests/data/sass, made from small.cu). */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <strata/sass.h>

#include "base/file.h"
#include "sass/cubin.h"

struct opened {
    char *bytes;
    size_t length;
    struct sass_cubin cubin;
};

static char *read_data(const char *name, size_t *length)
{
    const char *source = getenv("STRATA_SOURCE");
    char path[4096], *bytes;
    snprintf(path, sizeof path, "%s/tests/data/sass/%s", source ? source : ".", name);
    assert_int_equal(strata_file_read(path, 1 << 24, &bytes, length, NULL), STRATA_OK);
    return bytes;
}

static struct opened open_cubin(const char *name)
{
    struct opened o;
    o.bytes = read_data(name, &o.length);
    assert_int_equal(sass_cubin_open(&o.cubin, o.bytes, o.length, name, NULL), STRATA_OK);
    return o;
}

static void close_cubin(struct opened *o)
{
    sass_cubin_release(&o->cubin);
    free(o->bytes);
}

static void kernels_have_their_attributes(void **state)
{
    struct opened o = open_cubin("small90a.cubin");
    const struct sass_cubin *c = &o.cubin;
    assert_int_equal(c->arch, 90);
    assert_int_equal(c->arch_suffix, 'a');
    assert_true(c->is_linked);
    const struct sass_kernel *k = sass_cubin_find(c, "small");
    assert_non_null(k);
    assert_true(k->is_entry);
    assert_int_equal(k->shared_static_bytes, 256);
    assert_int_equal(k->param_base, 0x210);
    assert_int_equal(k->param_bytes, 26);
    assert_int_equal(k->n_params, 3);
    assert_int_equal(k->param[1].offset, 8);
    assert_int_equal(k->param[1].bytes, 16);
    assert_int_equal(k->param[2].bytes, 2);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->barriers, 1);
    assert_true(k->registers > 0 && k->n_exits > 0);
    assert_int_equal(c->section[k->constant0].size, 0x210 + 26);
    const struct sass_kernel *says = sass_cubin_find(c, "says");
    assert_int_equal(says->n_syscalls, 1);
    assert_null(sass_cubin_find(c, "sma"));
    close_cubin(&o);
}

static void parameters_of_more_than_four_kilobytes_have_their_places(void **state)
{
    (void)state;
    struct opened o = open_cubin("large90.cubin");
    const struct sass_kernel *k = sass_cubin_find(&o.cubin, "k");
    assert_int_equal(k->param_bytes, 4408);
    assert_int_equal(k->n_params, 2);
    assert_int_equal(k->param[0].bytes, 4400);
    assert_int_equal(k->param[1].offset, 4400);
    assert_int_equal(k->param[1].bytes, 8);
    close_cubin(&o);
}

static void parameters_lie_elsewhere_before_hopper(void **state)
{
    struct opened o = open_cubin("small75.cubin");
    assert_int_equal(o.cubin.arch, 75);
    assert_int_equal(o.cubin.arch_suffix, 0);
    assert_int_equal(sass_cubin_find(&o.cubin, "small")->param_base, 0x160);
    assert_int_equal(sass_cubin_find(&o.cubin, "small")->shared_static_bytes, 256);
    close_cubin(&o);
}

static void lines_are_the_sources(void **state)
{
    struct opened o = open_cubin("small90.cubin");
    const struct sass_kernel *k = sass_cubin_find(&o.cubin, "small");
    const struct sass_line *l = sass_kernel_line(k, 0);
    assert_non_null(l);
    assert_string_equal(o.cubin.file[l->file], "/tmp/sass/small.cu");
    assert_true(l->line >= 19 && l->line <= 29);
    assert_ptr_equal(sass_kernel_line(k, UINT64_MAX), &k->line[k->n_lines - 1]);
    close_cubin(&o);
    o = open_cubin("relocatable90.cubin");
    assert_null(sass_kernel_line(sass_cubin_find(&o.cubin, "small"), 0));
    assert_false(o.cubin.is_linked);
    close_cubin(&o);
}

/* Machine code of functions that were inlined, two deep and out of a header. */
static void inlined_code_has_the_line_of_its_outermost_call(void **state)
{
    struct opened o = open_cubin("inlined90.cubin");
    const struct sass_kernel *k = sass_cubin_find(&o.cubin, "inlined");
    static const char deep[] = "/tmp/sass/inlined.cu:9 > /tmp/sass/inlined.cu:4 > ";
    unsigned calls = 0, others = 0, from_header[2] = {0};
    for (uint32_t i = 0; i < k->n_lines; i++) {
        char *places = sass_line_inlined(&o.cubin, &k->line[i]);
        bool of_header = places && strstr(places, "device_atomic_functions.hpp:");
        assert_true(places || !k->line[i].inlined);
        /* two of our functions around the header's, or the header's alone */
        if (of_header && !strncmp(places, deep, strlen(deep)))
            from_header[0] += k->line[i].line == 14;
        else if (of_header)
            from_header[1] += k->line[i].line == 15 && !strstr(places, STRATA_INLINED_ARROW);
        free(places);
        assert_string_equal(o.cubin.file[k->line[i].file], "/tmp/sass/inlined.cu");
        calls += k->line[i].line == 14 || k->line[i].line == 15;
        others += k->line[i].line < 11 || k->line[i].line > 16;
    }
    assert_true(calls > 4);
    assert_int_equal(others, 0);
    assert_true(from_header[0] && from_header[1]);
    close_cubin(&o);
}

static const struct sass_symbol *symbol(const struct sass_cubin *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_symbols; i++)
        if (!strcmp(c->symbol[i].name, name))
            return &c->symbol[i];
    return NULL;
}

static void symbols_name_their_sections(void **state)
{
    struct opened o = open_cubin("small90.cubin");
    const struct sass_cubin *c = &o.cubin;
    const struct sass_symbol *counter = symbol(c, "counter"), *table = symbol(c, "table");
    assert_int_equal(c->section[counter->section].kind, SASS_SECTION_GLOBAL);
    assert_int_equal(c->section[counter->section].bytes[counter->value], 7);
    assert_int_equal(c->section[table->section].kind, SASS_SECTION_CONSTANT);
    assert_int_equal(c->section[table->section].bank, 3);
    assert_int_equal(table->size, 16);
    assert_int_equal(symbol(c, "vprintf")->section, SASS_UNDEFINED);
    close_cubin(&o);
}

static void addresses_of_bank_4_are_relocated(void **state)
{
    struct opened o = open_cubin("small90.cubin");
    const struct sass_cubin *c = &o.cubin;
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n_relocations; i++) {
        const struct sass_relocation *r = &c->relocation[i];
        if (c->section[r->section].bank != 4)
            continue;
        uint8_t word[8] = {0};
        uint64_t value;
        assert_true(sass_relocation_apply(r, word, 8, 0, 0x123456789abcdef0));
        memcpy(&value, word, 8);
        assert_true(value == 0x123456789abcdef0 + (uint64_t)r->addend);
        assert_false(sass_relocation_apply(r, word, 7, 0, 0));
        n++;
    }
    assert_true(n >= 2);
    close_cubin(&o);
}

static void relocations_patch_the_fields_of_instructions(void **state)
{
    uint8_t code[16] = {0};
    struct sass_relocation r = {.type = 57}; /* ABS32_HI_32 */
    assert_true(sass_relocation_apply(&r, code, 16, 0, 0x1122334455667788));
    assert_int_equal(code[4], 0x44);
    assert_int_equal(code[7], 0x11);
    memset(code, 0, sizeof code);
    r.type = 75; /* ABS55_16_34, a call: units of four bytes */
    assert_true(sass_relocation_apply(&r, code, 16, 0, 0x12340));
    assert_int_equal(code[2], 0xd0);
    assert_int_equal(code[4] >> 2 | code[5] << 6, 0x48);
    r.type = 200;
    assert_false(sass_relocation_apply(&r, code, 16, 0, 0));
}

static void damage_is_refused_with_a_sentence(void **state)
{
    size_t length;
    char *bytes = read_data("small90.cubin", &length);
    struct sass_cubin c;
    struct strata_error err = {0};
    assert_int_equal(sass_cubin_open(&c, bytes, 100, "half", &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, "not a cubin"));
    Elf64_Ehdr h;
    memcpy(&h, bytes, sizeof h);
    Elf64_Shdr s;
    for (unsigned i = 0; i < h.e_shnum; i++) { /* code far outside the file */
        char *at = bytes + h.e_shoff + i * sizeof s;
        memcpy(&s, at, sizeof s);
        if (s.sh_flags & SHF_EXECINSTR) {
            s.sh_size = UINT64_C(1) << 40;
            memcpy(at, &s, sizeof s);
        }
    }
    assert_int_equal(sass_cubin_open(&c, bytes, length, "cut", &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, ".text."));
    free(bytes);
}

static void a_fatbin_gives_the_functions_of_all_its_cubins(void **state)
{
    size_t length;
    char *bytes = read_data("small.fatbin", &length);
    struct strata_sass *s;
    assert_int_equal(strata_sass_read(bytes, length, "small", &s, NULL), STRATA_OK);
    unsigned arch_80 = 0, arch_90 = 0;
    for (size_t i = 0; i < strata_sass_count(s); i++) {
        const struct strata_sass_function *f = strata_sass_get(s, i);
        struct strata_sass_line *lines;
        arch_80 += f->arch == 80;
        arch_90 += f->arch == 90;
        assert_int_equal(strata_sass_listing(s, i, &lines, NULL), STRATA_OK);
        for (uint32_t k = 0; k < f->instructions; k++) {
            assert_true(lines[k].known);
            assert_true(lines[k].live <= f->registers);
        }
        free(lines);
    }
    assert_int_equal(arch_80, 2);
    assert_int_equal(arch_90, 2);
    strata_sass_close(s);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_their_attributes),
        cmocka_unit_test(parameters_of_more_than_four_kilobytes_have_their_places),
        cmocka_unit_test(parameters_lie_elsewhere_before_hopper),
        cmocka_unit_test(lines_are_the_sources),
        cmocka_unit_test(inlined_code_has_the_line_of_its_outermost_call),
        cmocka_unit_test(symbols_name_their_sections),
        cmocka_unit_test(addresses_of_bank_4_are_relocated),
        cmocka_unit_test(relocations_patch_the_fields_of_instructions),
        cmocka_unit_test(damage_is_refused_with_a_sentence),
        cmocka_unit_test(a_fatbin_gives_the_functions_of_all_its_cubins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
