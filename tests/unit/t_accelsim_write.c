/* The Accel-Sim writer: what is written reads back as the same records. */
#include "textfix.h"

#include "base/bits.h"

#define HEAD                                                                                       \
    "-kernel name = k\n-kernel id = 4\n-grid dim = (2,2,1)\n-block dim = (64,1,1)\n-shmem = 16\n"  \
    "-nregs = 8\n-binary version = 90\n-cuda stream id = 0\n"                                      \
    "-shmem base_addr = 0x00007f3200000000\n-local mem base_addr = 0x00007f31d1000000\n"

/* Copies a trace through the writer; `to` is a folder of the scratch. */
static strata_status copy_trace(const char *from, const char *to, int level,
                                struct strata_error *err)
{
    struct strata_trace *t;
    struct strata_writer *w;
    struct strata_writer_options opt = {.format = "accelsim", .compression_level = level};
    strata_status st = strata_trace_open(from, NULL, &t, err);
    assert_int_equal(st, STRATA_OK);
    if ((st = strata_writer_create(to, &opt, &w, err))) {
        strata_trace_close(t);
        return st;
    }
    for (size_t i = 0; !st && i < strata_trace_event_count(t); i++) {
        const struct strata_event *e = strata_trace_event(t, i);
        if (e->kind != STRATA_EVENT_LAUNCH) {
            st = strata_writer_memcpy(w, e->kind, e->address, e->bytes, err);
            continue;
        }
        struct strata_reader *r;
        struct strata_block *b;
        assert_int_equal(strata_reader_open(t, e->launch, &r, err), STRATA_OK);
        st = strata_writer_begin_launch(w, strata_reader_launch(r), strata_reader_code(r), err);
        while (!st && !(st = strata_reader_next(r, &b, err))) {
            st = strata_writer_block(w, b, err);
            strata_block_destroy(b);
        }
        st = st == STRATA_END ? strata_writer_end_launch(w, err) : st;
        strata_reader_close(r);
    }
    strata_trace_close(t);
    if (!st)
        assert_true(strata_writer_bytes(w) > 0);
    if (st)
        strata_writer_abort(w);
    else
        st = strata_writer_finish(w, err);
    return st;
}

static void expect_file(const char *path, const char *expected)
{
    static char text[8192];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    assert_string_equal(text, expected);
}

#define TRACES_3                                                                                   \
    "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "         \
    "[adrrescompress?] [mem_addresses]\n\n"

static void a_trace_of_the_tracer_is_written_as_it_was(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "-accelsim tracer version = 3\n" TRACES_3
             "#BEGIN_TB\n\nthread block = 1,1,0\n\nwarp = 0\ninsts = 7\n"
             "0000 ffffffff 1 R1 LDC 0 0 \n"
             "0010 0000000f 1 R0 LDG.E 1 R2 4 1 0x7f31a7e60000 4 \n"
             "0020 80000001 0 STG.E.64 2 R2 R4 8 2 0x7f31a7e60000 -16 \n"
             "0030 00000010 1 R3 LDG.E.U8 1 R2 1 2 0x7f31a7e60000 \n"
             "0040 00000000 1 R3 LDG.E.U8 1 R2 1 0 \n"
             "0050 0000000f 1 R3 LD.E 1 R2 4 1 0x7f3200000000 -8 \n"
             "10000 00000000 0 EXIT 0 0 \n"
             "\nwarp = 1\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 \n\n#END_TB\n\n"
             "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 1\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 "
             "\n\n#END_TB\n\n";
    mkdir(in_scratch("in"), 0777);
    write_file("in/kernel-4.traceg", text);
    write_file(
        "in/kernelslist.g",
        "MemcpyHtoD,0x00007f31a7e00000,196608\nkernel-4.traceg\nMemcpyDtoH,0x0000000000000010,4\n");
    assert_int_equal(copy_trace(in_scratch("in"), in_scratch("out"), -1, NULL), STRATA_OK);
    expect_file(in_scratch("out/kernel-4.traceg"), text);
    expect_file(
        in_scratch("out/kernelslist.g"),
        "MemcpyHtoD,0x00007f31a7e00000,196608\nkernel-4.traceg\nMemcpyDtoH,0x0000000000000010,4\n");
}

static void source_lines_and_immediates_are_kept(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "-accelsim tracer version = 5\n-enable lineinfo = 1\n"
             "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
             "mem_width "
             "[adrrescompress?] [mem_addresses] immediate\n\n"
             "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 3\n"
             "12 0000 ffffffff 0 DEPBAR.LE 0 0 2 \n"
             "13 0010 00000003 1 R0 LDG.E 1 R2 4 1 0x7f31a7e60000 4 0 \n"
             "13 0020 00000005 1 R0 LDG.E 1 R2 4 2 0x7f31a7e60000 8 -1 \n\n#END_TB\n\n";
    assert_int_equal(copy_trace(write_file("k.traceg", text), in_scratch("lines"), -1, NULL),
                     STRATA_OK);
    expect_file(in_scratch("lines/kernel-1.traceg"), text);
    expect_file(in_scratch("lines/kernelslist.g"), "kernel-1.traceg\n");
}

static void immediates_and_source_lines_that_turn_up_late_are_kept(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "-accelsim tracer version = 5\n-enable lineinfo = 1\n\n#traces\n"
             "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0 0000 ffffffff 0 NOP 0 0 "
             "\n#END_TB\n"
             "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 1\n0 0000 ffffffff 0 DEPBAR.LE 0 "
             "0 2 \n#END_TB\n"
             "#BEGIN_TB\nthread block = 0,1,0\nwarp = 0\ninsts = 1\n77 0010 ffffffff 0 NOP 0 0 "
             "\n#END_TB\n"
             "#BEGIN_TB\nthread block = 1,1,0\nwarp = 0\ninsts = 1\n0 0000 ffffffff 0 NOP 0 0 "
             "\n#END_TB\n";
    for (int level = -1; level < 1; level++) {
        const char *out = in_scratch(level < 0 ? "late" : "late_xz");
        struct dump a = dump_trace(write_file("k.traceg", text), NULL);
        assert_int_equal(copy_trace(in_scratch("k.traceg"), out, level, NULL), STRATA_OK);
        struct dump b = dump_trace(out, NULL);
        assert_string_equal(a.text, b.text);
        assert_non_null(strstr(b.text, "line 77"));
        assert_non_null(strstr(b.text, "imm 2"));
        free(a.text);
        free(b.text);
        char leftover[600];
        snprintf(leftover, sizeof leftover, "%s/rewritten", out);
        assert_int_not_equal(access(leftover, F_OK), 0);
    }
}

/* ---- random traces ---- */

static void random_block(struct strata_builder *b, uint32_t n_code, uint64_t *x)
{
    for (uint32_t warp = 0; warp < 2; warp++) {
        strata_builder_begin_warp(b, warp, NULL);
        for (int i = 0; i < 50; i++) {
            uint64_t addr[32];
            *x = mix64(*x + 1);
            uint32_t mask = (*x >> 8) % 4 ? (uint32_t)(*x >> 32) : ~0u << *x % 32;
            uint64_t base = *x % 8 ? 0x7f0000000000 + *x % 100000 : *x;
            for (int lane = 0; lane < 32; lane++)
                addr[lane] =
                    base + (*x >> 40 & 1 ? (uint64_t)lane * 4 : mix64(*x + (uint64_t)lane) % 4096);
            uint32_t index = (uint32_t)(*x >> 16) % n_code;
            assert_int_equal(strata_builder_add(b, index, mask, index % 2 ? addr : NULL, NULL),
                             STRATA_OK);
        }
    }
}

static void random_records_survive_the_text(void **state)
{
    (void)state;
    static const char *const opcodes[] = {
        "IADD3", "LDG.E.64", "FFMA.FTZ", "STG.E", "BAR.SYNC.DEFER_BLOCKING", "LDS.128"};
    struct strata_code *code;
    struct strata_builder *b;
    struct strata_writer *w;
    struct strata_block *block;
    struct dump before = {strdup(""), 0};
    struct strata_launch launch = {.program = "p",
                                   .trace = "x",
                                   .kernel = "k",
                                   .grid = {3, 1, 1},
                                   .block = {64, 1, 1},
                                   .registers_per_thread = 8,
                                   .sm_version = 70};
    uint64_t x = 5;
    strata_code_create(&code, NULL);
    for (uint32_t i = 0, index; i < 6; i++) {
        struct strata_inst inst = {
            .pc = i * 16, .opcode = opcodes[i], .n_dst = i % 2, .n_src = 2, .reg = {1, 255, 7}};
        inst.trace_width = i % 2 ? 4 : 0;
        strata_inst_decode_sass(&inst, i % 2, false);
        strata_code_add(code, &inst, &index, NULL);
    }
    strata_builder_create(code, &b, NULL);
    struct strata_writer_options opt = {.format = "accelsim"};
    assert_int_equal(strata_writer_create(in_scratch("random"), &opt, &w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(w, &launch, code, NULL), STRATA_OK);
    for (uint64_t i = 3; i--;) {
        strata_builder_begin_block(b, i, 2, NULL);
        random_block(b, 6, &x);
        assert_int_equal(strata_builder_end_block(b, &block, NULL), STRATA_OK);
        dump_block(&before, block);
        assert_int_equal(strata_writer_block(w, block, NULL), STRATA_OK);
        strata_block_destroy(block);
    }
    assert_int_equal(strata_writer_end_launch(w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    strata_builder_destroy(b);
    strata_code_destroy(code);
    expect_dump(in_scratch("random"), NULL, before.text);
    free(before.text);
}

/* ---- records of other origin ---- */

static void other_origins_get_opcodes_that_mean_the_same(void **state)
{
    (void)state;
    static const struct strata_inst insts[] = {
        {.opcode = "ld.global.v2.f32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_LOAD,
         .width_bytes = 8,
         .n_dst = 2,
         .n_src = 1,
         .reg = {300, 301, 5}},
        {.opcode = "st.shared.u8",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_SHARED,
         .memop = STRATA_MEM_STORE,
         .width_bytes = 1,
         .n_src = 2,
         .reg = {4, 5}},
        {.opcode = "ld.global.cg.f32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_LOAD,
         .width_bytes = 4,
         .hints = STRATA_HINT_BYPASS_L1},
        {.opcode = "red.global.add.f32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_REDUCTION,
         .width_bytes = 4},
        {.opcode = "fma.rn.f32", .opclass = STRATA_OP_FP32},
        {.opcode = "bar.sync", .opclass = STRATA_OP_BARRIER},
        {.opcode = "LDG.E.128",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_LOAD,
         .width_bytes = 16},
        {.opcode = "ret", .opclass = STRATA_OP_EXIT},
    };
    struct strata_code *code;
    struct strata_builder *b;
    struct strata_writer *w;
    struct strata_block *block;
    struct strata_launch launch = {.kernel = "k",
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .isa = STRATA_ISA_PTX,
                                   .registers_per_thread = 8,
                                   .sm_version = 90};
    struct strata_writer_options opt = {.format = "accelsim"};
    strata_code_create(&code, NULL);
    strata_builder_create(code, &b, NULL);
    strata_builder_begin_block(b, 0, 1, NULL);
    strata_builder_begin_warp(b, 0, NULL);
    for (uint32_t i = 0, index; i < sizeof insts / sizeof insts[0]; i++) {
        struct strata_inst inst = insts[i];
        inst.pc = i * 8;
        strata_code_add(code, &inst, &index, NULL);
        if (inst.memop)
            strata_builder_add_strided(b, index, 3, 0x1000, 16, NULL);
        else
            strata_builder_add(b, index, 3, NULL, NULL);
    }
    strata_builder_end_block(b, &block, NULL);
    strata_writer_create(in_scratch("ptx"), &opt, &w, NULL);
    strata_writer_begin_launch(w, &launch, code, NULL);
    assert_int_equal(strata_writer_block(w, block, NULL), STRATA_OK);
    strata_writer_end_launch(w, NULL);
    assert_int_equal(strata_writer_finish(w, NULL), STRATA_OK);
    strata_block_destroy(block);
    strata_builder_destroy(b);
    strata_code_destroy(code);
    expect_dump(in_scratch("ptx"), NULL,
                "block 0\nwarp 0\n0 00000003 LDG.E.64 R300 <R5 global 8 bytes 0:1000 1:1010\n"
                "8 00000003 STS.U8 <R4 R5 shared 1 bytes 0:1000 1:1010\n"
                "10 00000003 LDG.E.STRONG.GPU global 4 bytes 0:1000 1:1010\n"
                "18 00000003 RED.E.ADD global 4 bytes 0:1000 1:1010\n"
                "20 00000003 FADD\n28 00000003 BAR.SYNC\n30 00000003 LDG.E.128 global 16 bytes "
                "0:1000 1:1010\n"
                "38 00000003 EXIT\n");
}

/* ---- names and failures ---- */

static void launches_of_one_name_get_different_files(void **state)
{
    (void)state;
    mkdir(in_scratch("twice"), 0777);
    write_file("twice/kernel-1.traceg", HEAD
               "-accelsim tracer version = 3\n#traces\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n");
    write_file("twice/kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
    assert_int_equal(copy_trace(in_scratch("twice"), in_scratch("twice_out"), 0, NULL), STRATA_OK);
    expect_file(in_scratch("twice_out/kernelslist.g"), "kernel-1.traceg.xz\nkernel-2.traceg.xz\n");
}

static void an_existing_folder_or_file_is_not_overwritten(void **state)
{
    (void)state;
    struct strata_error err;
    char in[512];
    strcpy(
        in,
        write_file(
            "k.traceg", HEAD
            "-accelsim tracer version = 3\n#traces\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n"));
    mkdir(in_scratch("there"), 0777);
    assert_int_equal(copy_trace(in, in_scratch("there"), 0, &err), STRATA_OK); /* it was empty */
    assert_int_equal(copy_trace(in, in_scratch("there"), 0, &err), STRATA_EUSAGE);
    assert_non_null(strstr(err.message, "exists already"));
    assert_int_equal(copy_trace(in, in, 0, &err), STRATA_EUSAGE);
    assert_non_null(strstr(err.message, "a file of that name exists"));
    assert_int_equal(copy_trace(in, in_scratch("no/where"), 0, &err), STRATA_EIO);
}

static void an_abort_leaves_nothing_behind(void **state)
{
    (void)state;
    struct strata_writer *w;
    struct strata_writer_options opt = {.format = "accelsim"};
    struct strata_code *code;
    struct strata_launch launch = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    char command[200];
    strata_code_create(&code, NULL);
    assert_int_equal(strata_writer_create(in_scratch("gone"), &opt, &w, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(w, &launch, code, NULL), STRATA_OK);
    strata_writer_abort(w);
    strata_code_destroy(code);
    snprintf(command, sizeof command, "ls '%s' | grep -q gone", scratch);
    assert_int_not_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_of_the_tracer_is_written_as_it_was),
        cmocka_unit_test(source_lines_and_immediates_are_kept),
        cmocka_unit_test(immediates_and_source_lines_that_turn_up_late_are_kept),
        cmocka_unit_test(random_records_survive_the_text),
        cmocka_unit_test(other_origins_get_opcodes_that_mean_the_same),
        cmocka_unit_test(launches_of_one_name_get_different_files),
        cmocka_unit_test(an_existing_folder_or_file_is_not_overwritten),
        cmocka_unit_test(an_abort_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
