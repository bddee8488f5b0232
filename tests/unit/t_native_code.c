/* The native container: tables of code, their control codes, and older versions of the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>
#include <strata/trace.h>

#include "nativefix.h"

#include "trace/bytecode.h"
#include "trace/native.h"

static const struct strata_control some_control = {.known = 1,
                                                   .stall = 13,
                                                   .yield = 1,
                                                   .write_barrier = 2,
                                                   .read_barrier = STRATA_NO_BARRIER,
                                                   .wait_mask = 0x29,
                                                   .reuse = 5};

static void add_codes(struct strata_code *code, const struct strata_control *control, uint32_t from,
                      uint32_t to)
{
    static const char *const opcodes[] = {"FADD", "FMUL", "FFMA"};
    for (uint32_t i = from; i < to; i++) {
        struct strata_inst inst = {
            .pc = i * 16, .opcode = opcodes[i / 2 % 3], .opclass = STRATA_OP_FP32};
        uint32_t index;
        if (control && i % 2)
            inst.control = *control;
        assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
    }
}

static struct strata_code *code_with(const struct strata_control *control, uint32_t n)
{
    struct strata_code *code;
    strata_code_create(&code, NULL);
    add_codes(code, control, 0, n);
    return code;
}

/* A column that comes again gives the same bytes as compressing it would; a long one is not kept.
 */
static void a_column_that_comes_again_is_stored_alike(void **state)
{
    (void)state;
    static uint8_t raw[3][6000];
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    struct pack_memo memo = {.raw = {0}};
    static const struct {
        unsigned of;
        size_t n;
    } turns[] = {{0, 500}, {0, 500}, {1, 500}, {0, 500}, {0, 499}, {2, 6000}, {0, 499}, {0, 0}};
    for (size_t i = 0; i < sizeof raw; i++)
        ((uint8_t *)raw)[i] = (uint8_t)(i * i >> 5);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct pack plain = {0}, kept = {0};
        pack_column(&plain, zstd, 3, raw[turns[i].of], turns[i].n);
        pack_column_again(&kept, zstd, 3, raw[turns[i].of], turns[i].n, &memo);
        assert_true(!kept.failed && plain.n == kept.n);
        assert_memory_equal(plain.p, kept.p, plain.n);
        assert_true(memo.raw.n <= 4096);
        pack_release(&plain);
        pack_release(&kept);
    }
    pack_memo_release(&memo);
    ZSTD_freeCCtx(zstd);
}

static void control_codes_come_back(void **state)
{
    ZSTD_CCtx *cctx = ZSTD_createCCtx();
    ZSTD_DCtx *dctx = ZSTD_createDCtx();
    struct native_code_texts written = {0}, read = {0};
    struct pack payload = {0};
    struct strata_code *code = code_with(&some_control, 9), *back;
    native_pack_code(&payload, cctx, 3, code, 0, 9, NULL, &written);
    strata_code_create(&back, NULL);
    struct unpack u = unpack_from(&payload, false);
    assert_true(native_unpack_code(&u, dctx, back, &read));
    assert_int_equal(strata_code_count(back), 9);
    for (uint32_t i = 0; i < 9; i++)
        assert_memory_equal(&strata_code_get(back, i)->control, &strata_code_get(code, i)->control,
                            sizeof some_control);
    strata_code_destroy(back);

    /* a second column that is not three bytes an instruction is refused */
    size_t first = payload.n;
    struct pack cut = {0};
    struct strata_code *bare = code_with(NULL, 9);
    written.opcode.n = 0;
    native_pack_code(&cut, cctx, 3, bare, 0, 9, NULL, &written);
    assert_true(cut.n < first); /* none known: no column */
    pack_column(&cut, cctx, 3, (const uint8_t *)"short", 5);
    strata_code_create(&back, NULL);
    u = unpack_from(&cut, false);
    native_code_texts_release(&read);
    assert_false(native_unpack_code(&u, dctx, back, &read));
    strata_code_destroy(back);

    native_code_texts_release(&read);
    free(written.opcode.text);
    pack_release(&payload);
    pack_release(&cut);
    strata_code_destroy(code);
    strata_code_destroy(bare);
    ZSTD_freeCCtx(cctx);
    ZSTD_freeDCtx(dctx);
}

/* So long that it is written, with the table as it is, before its launch ends. */
static void write_long_block(struct strata_writer *w, struct strata_code *code)
{
    struct strata_builder *b;
    struct strata_block *block;
    assert_int_equal(strata_builder_create(code, &b, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_block(b, 0, 1, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_warp(b, 0, NULL), STRATA_OK);
    for (uint32_t i = 0; i < NATIVE_CHUNK_BYTES / 4; i++) /* a new mask each: 4 bytes and more */
        assert_int_equal(strata_builder_add(b, 0, i + 1, NULL, NULL), STRATA_OK);
    assert_int_equal(strata_builder_end_block(b, &block, NULL), STRATA_OK);
    assert_int_equal(strata_writer_block(w, block, NULL), STRATA_OK);
    strata_block_destroy(block);
    strata_builder_destroy(b);
}

/* A table's CODE record is kept for its next launch. The table may have grown by then, in a launch
 * or within one, and another table may have taken its place. */
static void launches_of_kept_and_grown_tables_read_alike(void **state)
{
    const char *path = path_of("kept.strata");
    static const uint32_t count[] = {4, 4, 6, 6, 3, 6};
    struct strata_launch launch = example_launch;
    struct strata_code *grows = code_with(NULL, 4), *other = NULL;
    struct strata_writer *w;
    struct strata_trace *t;
    assert_int_equal(strata_writer_create(path, NULL, &w, NULL), STRATA_OK);
    for (size_t i = 0; i < 6; i++) {
        struct strata_code *code = grows;
        if (i == 4)
            code = other = code_with(&some_control, 3);
        assert_int_equal(strata_writer_begin_launch(w, &launch, code, NULL), STRATA_OK);
        if (i == 2) { /* within the launch, behind a record of what there was */
            write_long_block(w, code);
            add_codes(code, NULL, 4, 6);
        }
        assert_int_equal(strata_writer_end_launch(w, NULL), STRATA_OK);
    }
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    for (size_t i = 0; i < 6; i++) {
        struct strata_reader *r;
        assert_int_equal(strata_reader_open(t, i, &r, NULL), STRATA_OK);
        const struct strata_code *want = i == 4 ? other : grows, *got = strata_reader_code(r);
        assert_int_equal(strata_code_count(got), count[i]);
        for (uint32_t k = 0; k < count[i]; k++) {
            assert_string_equal(strata_code_get(got, k)->opcode, strata_code_get(want, k)->opcode);
            assert_int_equal(strata_code_get(got, k)->pc, strata_code_get(want, k)->pc);
        }
        strata_reader_close(r);
    }
    strata_trace_close(t);
    strata_code_destroy(grows);
    strata_code_destroy(other);
}

/* The nine instructions of code_with, two of them inlined, in two records: the second one's opcodes
 * are numbered as if there were no places. */
static void places_of_inlined_code_come_back(void **state)
{
    static const char *const places[] = {NULL, "a b/bins.h:7 > x/atomics.hpp:75", "a b/bins.h:7"};
    ZSTD_CCtx *cctx = ZSTD_createCCtx();
    ZSTD_DCtx *dctx = ZSTD_createDCtx();
    struct native_code_texts written = {0}, read = {0};
    struct strata_code *code, *back;
    strata_code_create(&code, NULL);
    strata_code_create(&back, NULL);
    for (uint32_t i = 0, index; i < 9; i++) {
        struct strata_inst inst = {
            .pc = 16 * i, .opcode = i & 1 ? "LDG" : "RED", .inlined = places[i % 3]};
        assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
    }
    for (uint32_t from = 0; from < 9; from += 3) {
        struct pack payload = {0};
        native_pack_code(&payload, cctx, 3, code, from, from + 3, NULL, &written);
        struct unpack u = unpack_from(&payload, false);
        assert_true(native_unpack_code(&u, dctx, back, &read));
        pack_release(&payload);
    }
    for (uint32_t i = 0; i < 9; i++) {
        const struct strata_inst *inst = strata_code_get(back, i);
        assert_false(inst->control.known);
        assert_string_equal(inst->opcode, i & 1 ? "LDG" : "RED");
        if (places[i % 3])
            assert_string_equal(inst->inlined, places[i % 3]);
        else
            assert_null(inst->inlined);
    }
    native_code_texts_release(&read);
    free(written.opcode.text);
    free(written.place.text);
    strata_code_destroy(code);
    strata_code_destroy(back);
    ZSTD_freeCCtx(cctx);
    ZSTD_freeDCtx(dctx);
}

static strata_status give_control(void *context, const struct strata_launch *launch,
                                  const struct strata_inst *inst, struct strata_control *out,
                                  struct strata_error *err)
{
    if (*(uint64_t *)context == inst->pc)
        return strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0, "not this one.");
    *out = some_control;
    return STRATA_OK;
}

static void a_writer_asks_for_control_codes(void **state)
{
    const char *path = path_of("controls.strata");
    uint64_t refused = UINT64_MAX;
    struct strata_writer *w;
    struct strata_launch launch = example_launch;
    launch.code_arch = 90;
    launch.code_arch_suffix = 'a';
    struct strata_code *code = code_with(NULL, 4);
    assert_int_equal(strata_writer_create(path, NULL, &w, NULL), STRATA_OK);
    strata_writer_controls_from(w, give_control, &refused);
    assert_int_equal(strata_writer_begin_launch(w, &launch, code, NULL), STRATA_OK);
    assert_int_equal(strata_writer_end_launch(w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    struct strata_trace *t;
    struct strata_reader *r;
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_trace_launch(t, 0)->code_arch, 90);
    assert_int_equal(strata_trace_launch(t, 0)->code_arch_suffix, 'a');
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    assert_memory_equal(&strata_code_get(strata_reader_code(r), 3)->control, &some_control,
                        sizeof some_control);
    strata_reader_close(r);
    strata_trace_close(t);

    struct strata_error err = {0};
    refused = 32;
    assert_int_equal(strata_writer_create(path, NULL, &w, NULL), STRATA_OK);
    strata_writer_controls_from(w, give_control, &refused);
    assert_int_equal(strata_writer_begin_launch(w, &launch, code, NULL), STRATA_OK);
    assert_int_equal(strata_writer_end_launch(w, &err), STRATA_EMISMATCH);
    strata_writer_abort(w);
    strata_code_destroy(code);
}

/* Writes a launch without blocks and reads it; NULL: the file is refused. */
static struct strata_trace *written_and_read(const struct strata_launch *launch)
{
    const char *path = path_of("window.strata");
    struct strata_writer *w;
    struct strata_trace *t = NULL;
    struct strata_code *code = code_with(NULL, 4);
    assert_int_equal(strata_writer_create(path, NULL, &w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(w, launch, code, NULL), STRATA_OK);
    assert_int_equal(strata_writer_end_launch(w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    strata_code_destroy(code);
    return strata_trace_open(path, NULL, &t, NULL) == STRATA_OK ? t : NULL;
}

static void textures_come_back_and_those_that_make_no_sense_are_damage(void **state)
{
    (void)state;
    struct strata_launch_texture t[2] = {{.base = 0x7f0000000200,
                                          .pitch_bytes = 256,
                                          .slice_bytes = 2048,
                                          .width = 60,
                                          .height = 5,
                                          .depth = 3,
                                          .texels = STRATA_TEXELS_TILED,
                                          .texel_bytes = 4,
                                          .wraps = 5,
                                          .layered = true,
                                          .filters = true},
                                         {.base = 0x7f0000100000,
                                          .pitch_bytes = 1 << 20,
                                          .slice_bytes = 1 << 20,
                                          .width = 1 << 16,
                                          .height = 1,
                                          .depth = 1,
                                          .texels = STRATA_TEXELS_LINEAR,
                                          .texel_bytes = 16}};
    struct strata_launch launch = example_launch;
    launch.textures = t;
    launch.n_textures = 2;
    struct strata_trace *trace = written_and_read(&launch);
    assert_non_null(trace);
    const struct strata_launch *l = strata_trace_launch(trace, 0);
    assert_int_equal(l->n_textures, 2);
    assert_memory_equal(&l->textures[0], &t[0], sizeof t[0]);
    assert_memory_equal(&l->textures[1], &t[1], sizeof t[1]);
    assert_false(strata_launch_tells_of_persisting(l));
    strata_trace_close(trace);
    t[1].pitch_bytes = 1 << 19;
    assert_null(written_and_read(&launch));
}

static void access_windows_come_back(void **state)
{
    struct strata_launch launch = example_launch;
    launch.window = (struct strata_access_window){
        0x7f0012345680, 16u << 20, 0.6f, STRATA_ACCESS_PERSISTING, STRATA_ACCESS_STREAMING};
    launch.persisting_bytes = 30u << 20;
    launch.persisting_reset = true;
    struct strata_trace *t = written_and_read(&launch);
    assert_non_null(t);
    const struct strata_launch *l = strata_trace_launch(t, 0);
    assert_int_equal(l->window.base, launch.window.base);
    assert_int_equal(l->window.bytes, launch.window.bytes);
    assert_true(l->window.hit_ratio == launch.window.hit_ratio);
    assert_int_equal(l->window.hit, STRATA_ACCESS_PERSISTING);
    assert_int_equal(l->window.miss, STRATA_ACCESS_STREAMING);
    assert_int_equal(l->persisting_bytes, launch.persisting_bytes);
    assert_true(l->persisting_reset);
    assert_null(l->source_file);
    strata_trace_close(t);
    /* A reset alone is told, too; a ratio that is none is damage. */
    launch.window = (struct strata_access_window){0};
    launch.persisting_bytes = 0;
    t = written_and_read(&launch);
    assert_non_null(t);
    assert_true(strata_trace_launch(t, 0)->persisting_reset);
    assert_int_equal(strata_trace_launch(t, 0)->window.bytes, 0);
    strata_trace_close(t);
    launch.window.hit_ratio = 1.5f;
    assert_null(written_and_read(&launch));
}

static void files_of_version_1_0_are_read(void **state)
{
    const char *source = getenv("STRATA_SOURCE");
    char path[4096];
    struct strata_trace *t;
    struct strata_reader *r;
    snprintf(path, sizeof path, "%s/tests/data/rod_lud.strata", source ? source : ".");
    FILE *f = fopen(path, "rb");
    uint8_t head[12];
    assert_non_null(f);
    assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
    fclose(f);
    assert_int_equal(head[10], 0); /* minor version of the kept file */
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_trace_launch(t, 0)->code_arch, 0);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    assert_true(strata_code_count(strata_reader_code(r)) > 0);
    assert_int_equal(strata_code_get(strata_reader_code(r), 0)->control.known, 0);
    strata_reader_close(r);
    strata_trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_comes_again_is_stored_alike),
        cmocka_unit_test(launches_of_kept_and_grown_tables_read_alike),
        cmocka_unit_test(control_codes_come_back),
        cmocka_unit_test(places_of_inlined_code_come_back),
        cmocka_unit_test(a_writer_asks_for_control_codes),
        cmocka_unit_test(access_windows_come_back),
        cmocka_unit_test(textures_come_back_and_those_that_make_no_sense_are_damage),
        cmocka_unit_test(files_of_version_1_0_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
