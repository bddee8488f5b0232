/* The Accel-Sim reader: every version, address mode, tolerance, warning and error. */
#include "textfix.h"

#define HEADER(version)                                                                            \
    "-kernel name = _Z3fooPf\n-kernel id = 7\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"        \
    "-shmem = 1024\n-nregs = 24\n-binary version = 90\n-cuda stream id = 3\n"                      \
    "-shmem base_addr = 0x00007f3200000000\n-local mem base_addr = 0x00007f31d1000000\n"           \
    "-nvbit version = 1.7.7.1\n-accelsim tracer version = " version "\n"
#define TRACES "\n#traces format = PC mask dest_num [reg_dests] opcode\n\n"
/* A grid of one block with one warp. */
#define SMALL                                                                                      \
    "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n"   \
    "-shmem base_addr = 0x7f3200000000\n-local mem base_addr = 0x7f31d1000000\n"                   \
    "-accelsim tracer version = 5\n#traces\n"
#define BLOCK(n, lines)                                                                            \
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " n "\n" lines "#END_TB\n"

static void expect(const char *text, const char *expected)
{
    expect_dump(write_file("k.traceg", text), NULL, expected);
}

/* Expects an error at a place of the file, with these words in it. */
static void expect_error(const char *text, uint32_t line, uint32_t column, const char *words)
{
    struct dump d = dump_trace(write_file("k.traceg", text), NULL);
    char place[600];
    snprintf(place, sizeof place, line ? "? %s/k.traceg:%u:%u: " : "? %s/k.traceg: ", scratch, line,
             column);
    const char *error = strstr(d.text, "? ");
    if (!error || strncmp(error, place, strlen(place)) || !strstr(error, words))
        fail_msg("expected \"%s... %s\" but got \"%s\"", place, words, d.text);
    free(d.text);
}

/* ---- headers ---- */

static void a_header_fills_the_launch(void **state)
{
    (void)state;
    struct strata_trace *t;
    const char *path = write_file("k.traceg", HEADER("3") TRACES);
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_string_equal(strata_trace_format_name(t), "accelsim");
    assert_int_equal(strata_trace_launch_count(t), 1);
    const struct strata_launch *l = strata_trace_launch(t, 0);
    assert_string_equal(l->kernel, "_Z3fooPf");
    assert_string_equal(l->trace, "k.traceg");
    assert_string_equal(l->program, strrchr(scratch, '/') + 1);
    assert_int_equal(l->id, 7);
    assert_int_equal(strata_launch_blocks(l), 2);
    assert_int_equal(strata_launch_warps_per_block(l), 2);
    assert_int_equal(l->shared_static_bytes, 1024);
    assert_int_equal(l->registers_per_thread, 24);
    assert_int_equal(l->regs_source, STRATA_REGS_TRACE);
    assert_int_equal(l->sm_version, 90);
    assert_int_equal(l->stream, 3);
    assert_true(l->shared_base == 0x7f3200000000 && l->local_base == 0x7f31d1000000);
    assert_int_equal(l->isa, STRATA_ISA_SASS);
    strata_trace_close(t);
}

static void header_errors_name_their_place(void **state)
{
    (void)state;
    expect_error("-grid dim = (1,0,1)\n", 1, 16, "three numbers of 1 to");
    expect_error("-kernel id = 1\n-grid dim = 4\n", 2, 13, "three numbers like");
    expect_error("-block dim = (1,1,1\n", 1, 20, "closing parenthesis");
    expect_error("-nregs = many\n", 1, 10, "needs a number");
    expect_error("-nregs = 4 x\n", 1, 12, "unexpected text");
    expect_error("-shmem base_addr = zz\n", 1, 20, "hexadecimal");
    expect_error("-enable lineinfo = 2\n", 1, 20, "at most 1");
    expect_error("-accelsim tracer version = x\n", 1, 28, "like 3 or 1.2");
    expect_error("-block dim = (1,1,1)\n", 0, 0, "no \"-grid dim");
    expect_error("-grid dim = (1,1,1)\n", 0, 0, "no \"-block dim");
    expect_error("-grid dim = (1,1,1)\n-block dim = (70000,70000,1)\n", 0, 0, "threads");
    expect_error("-grid dim = (2000000000,2000000000,2000000000)\n-block dim = (1,1,1)\n", 0, 0,
                 "63 bits");
    expect_error(HEADER("3") TRACES, 0, 0, "no thread block");
}

static void empty_and_foreign_files_are_refused(void **state)
{
    (void)state;
    expect_dump(write_file("empty.traceg", ""), NULL,
                "? empty.traceg: the file is empty, so it is no trace.\n");
    struct dump d = dump_trace(write_file("song.txt", "la la la\n"), NULL);
    assert_non_null(strstr(d.text, "song.txt: this is no trace"));
    free(d.text);
    d = dump_trace(write_file("k.tracez", "\x01\x02"), NULL);
    assert_non_null(strstr(d.text, "binary .tracez"));
    free(d.text);
}

/* ---- versions ---- */

static void version_3_reads_all_three_modes(void **state)
{
    (void)state;
    expect(HEADER("3") TRACES "#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 1\ninsts = 4\n"
                              "0000 ffffffff 1 R1 LDC 0 0 \n"
                              "0130 0000000f 1 R0 LDG.E 1 R2 4 1 0x7f31a7e60000 4 \n"
                              "0140 80000001 0 STG.E.64 2 R2 R4 8 2 0x7f31a7e60000 -16 \n"
                              "0150 00000005 1 R3 LDG.E.U8 1 R2 1 0 0x10 0xffffffffffff \n"
                              "\n#END_TB\n",
           "block 1\nwarp 1\n"
           "0 ffffffff LDC R1 const 4 bytes\n"
           "130 0000000f LDG.E R0 <R2 global 4 bytes 0:7f31a7e60000 1:7f31a7e60004 2:7f31a7e60008 "
           "3:7f31a7e6000c\n"
           "140 80000001 STG.E.64 <R2 R4 global 8 bytes 0:7f31a7e60000 31:7f31a7e5fff0\n"
           "150 00000005 LDG.E.U8 R3 <R2 global 1 bytes 0:10 2:ffffffffffff\n"
           "! the trace has 1 of the grid's 2 thread blocks.\n");
}

static void versions_below_3_have_block_and_warp_columns(void **state)
{
    (void)state;
    static const char *const versions[] = {"-accelsim tracer version = 1.2\n",
                                           "-accelsim tracer version = 2\n", ""};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "-grid dim = (1,2,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary "
                 "version = 70\n"
                 "%s#traces format\n#BEGIN_TB\nthread block = 0,1,0\nwarp = 0\ninsts = 2\n"
                 "0 1 0 0 0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 8 \n"
                 "0 1 0 0 0020 00000003 0 EXIT 0 0 \n#END_TB\n",
                 versions[i]);
        expect(text, "block 1\nwarp 0\n"
                     "10 00000003 LDG.E.SYS R4 <R2 global 4 bytes 0:7f0000000000 1:7f0000000008\n"
                     "20 00000003 EXIT\n"
                     "! the trace has 1 of the grid's 2 thread blocks.\n");
    }
}

static void lead_columns_that_contradict_the_section_are_counted(void **state)
{
    (void)state;
    expect(
        "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n"
        "#traces\n" BLOCK("1", "0 1 0 3 0010 1 0 EXIT 0 0\n"),
        "block 0\nwarp 0\n10 00000001 EXIT\n"
        "! leading columns that name another block or warp than their section are ignored "
        "(columns: 2).\n");
}

static void lineinfo_adds_a_first_column(void **state)
{
    (void)state;
    expect(HEADER("4") "-enable lineinfo = 1\n" TRACES BLOCK("3", "12 0000 1 1 R1 MOV 1 R2 0 \n"
                                                                  "13 0000 1 1 R1 MOV 1 R2 0 \n"
                                                                  "12 0000 1 1 R1 MOV 1 R2 0 \n"),
           "block 0\nwarp 0\n0 00000001 MOV R1 <R2 line 12\n0 00000001 MOV R1 <R2 line 13\n"
           "0 00000001 MOV R1 <R2 line 12\n! the trace has 1 of the grid's 2 thread blocks.\n");
}

static void version_5_has_an_immediate_at_the_end(void **state)
{
    (void)state;
    expect(SMALL BLOCK("8", "0000 ffffffff 0 LDGDEPBAR 0 0 0 \n"
                            "0010 ffffffff 0 DEPBAR.LE 0 0 2 \n"
                            "0020 00000003 1 R0 LDG.E 1 R2 4 1 0x100 4 9 \n"
                            "0020 00000003 1 R0 LDG.E 1 R2 4 1 0x100 4 0 \n"
                            "0020 00000005 1 R0 LDG.E 1 R2 4 2 0x100 8 0 \n"
                            "0020 00000001 1 R0 LDG.E 1 R2 4 2 0x100 -3 \n"
                            "0020 00000001 1 R0 LDG.E 1 R2 4 0 0x100 0 \n"
                            "0010 ffffffff 0 DEPBAR.LE 0 0 1 \n"),
           "block 0\nwarp 0\n0 ffffffff LDGDEPBAR\n10 ffffffff DEPBAR.LE imm 2\n"
           "20 00000003 LDG.E R0 <R2 global 4 bytes imm 9 0:100 1:104\n"
           "20 00000003 LDG.E R0 <R2 global 4 bytes 0:100 1:104\n"
           "20 00000005 LDG.E R0 <R2 global 4 bytes 0:100 2:108\n"
           "20 00000001 LDG.E R0 <R2 global 4 bytes imm -3 0:100\n"
           "20 00000001 LDG.E R0 <R2 global 4 bytes 0:100\n"
           "10 ffffffff DEPBAR.LE imm 1\n");
}

/* ---- tolerance ---- */

static void what_upstream_refuses_is_read(void **state)
{
    (void)state;
    const char *expected =
        "block 0\nwarp 0\n0 00000001 LDG.E.U8 R1 <R2 R3 R4 R5 R6 global 1 bytes 0:abc\n"
        "10 ffffffff EXIT\n";
    /* No #traces line, five sources, CRLF, no last newline, tabs, blank lines, upper-case digits.
     */
    expect(
        "-grid dim = (1,1,1)\r\n-block dim = (32,1,1)\r\n-shmem = 0\r\n-nregs = 8\r\n"
        "-binary version = 70\r\n-accelsim tracer version = 3\r\n"
        "#BEGIN_TB\r\n\r\nthread block = 0,0,0\r\n\r\nwarp = 0\r\ninsts = 2\r\n"
        "0000 00000001 1 R1 LDG.E.U8 5 R2 R3 R4 R5 R6 1 0 0xabc \r\n0010 ffffffff 0 EXIT 0 0 \r\n"
        "\r\n#END_TB",
        expected);
    expect(SMALL "#BEGIN_TB\n  thread block=0,0,0\n\twarp =0\ninsts= 2\n\n"
                 "\t0000  00000001 1 R1\tLDG.E.U8 5 R2 R3 R4 R5 R6 1 0   ABC\n\n"
                 "0x10 0xFFFFFFFF 0 EXIT 0 0\n#END_TB\n",
           expected);
}

static void gz_and_zst_are_read_like_xz(void **state)
{
    (void)state;
    static const char *const packers[] = {"xz -c", "gzip -c", "zstd -qc"};
    write_file("plain", SMALL BLOCK("1", "0000 ffffffff 0 EXIT 0 0 \n"));
    for (int i = 0; i < 3; i++) {
        char command[400];
        snprintf(command, sizeof command, "%s '%s/plain' > '%s/packed' 2>/dev/null", packers[i],
                 scratch, scratch);
        if (system(command))
            continue; /* the packer is not installed; t_stream covers all three with the libraries
                       */
        expect_dump(in_scratch("packed"), NULL, "block 0\nwarp 0\n0 ffffffff EXIT\n");
    }
}

static void blocks_come_in_any_order(void **state)
{
    (void)state;
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_block *b;
    const char *path = write_file(
        "k.traceg",
        "-grid dim = (2,2,2)\n-block dim = (8,2,2)\n-accelsim tracer version = 3\n#traces\n"
        "#BEGIN_TB\nthread block = 1,1,1\n#END_TB\n"
        "#BEGIN_TB\nthread block = 0,1,0\n#END_TB\n"
        "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n");
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    static const uint64_t order[] = {0, 2, 7};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(strata_reader_next_ordered(r, &b, NULL), STRATA_OK);
        assert_int_equal(b->index, order[i]);
        strata_block_destroy(b);
    }
    assert_int_equal(strata_reader_next_ordered(r, &b, NULL), STRATA_END);
    strata_reader_close(r);
    strata_trace_close(t);
}

static void unknown_opcodes_and_gpus_are_counted_warnings(void **state)
{
    (void)state;
    expect("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 999\n-accelsim tracer "
           "version = 3\n#traces\n" BLOCK("4", "0000 1 0 FROB.X 0 0\n0000 1 0 FROB.X 0 0\n0010 1 0 "
                                               "FROB.Y 0 0\n0020 1 0 QUUX 0 4 0 10\n"),
           "block 0\nwarp 0\n0 00000001 FROB.X\n0 00000001 FROB.X\n10 00000001 FROB.Y\n20 00000001 "
           "QUUX 0:10\n"
           "! the header has no \"-nregs\" line; 32 registers a thread are assumed.\n"
           "! the header has no \"-shmem\" line; 0 bytes of shared memory are assumed.\n"
           "! binary version 999 is unknown; opcodes are read as those of known GPUs.\n"
           "! unknown opcodes (FROB, QUUX) count as integer arithmetic, or as memory operations "
           "where they have "
           "addresses (warp instructions: 4).\n");
}

static void instructions_that_nobody_counted_are_taken_with_a_warning(void **state)
{
    (void)state;
    expect(
        SMALL BLOCK("1", "0000 1 0 NOP 0 0\n0010 1 0 NOP 0 0\n0020 1 0 EXIT 0 0\n"),
        "block 0\nwarp 0\n0 00000001 NOP\n10 00000001 NOP\n20 00000001 EXIT\n"
        "! warps have more instruction lines than their \"insts\" gives; all are taken (lines too "
        "many: 2).\n");
}

static void a_load_without_addresses_is_a_counted_warning(void **state)
{
    (void)state;
    expect(
        SMALL BLOCK(
            "3", "0000 1 1 R1 LDG.E 1 R2 0\n0000 1 1 R1 LDG.E 1 R2 0\n0000 0 1 R1 LDG.E 1 R2 0\n"),
        "block 0\nwarp 0\n0 00000001 LDG.E R1 <R2 global 4 bytes\n0 00000001 LDG.E R1 <R2 global 4 "
        "bytes\n"
        "0 00000000 LDG.E R1 <R2 global 4 bytes\n"
        "! loads and stores with width 0 have no addresses and make no access (warp instructions: "
        "2).\n");
}

static void an_empty_mask_has_no_addresses_in_any_mode(void **state)
{
    (void)state;
    const char *line = "0 00000000 LDG.E R1 <R2 global 4 bytes\n";
    char expected[512];
    snprintf(expected, sizeof expected, "block 0\nwarp 0\n%s%s%s%s", line, line, line, line);
    expect(SMALL BLOCK("4", "0000 0 1 R1 LDG.E 1 R2 4 0 \n0000 0 1 R1 LDG.E 1 R2 4 1 0x0 0 \n"
                            "0000 0 1 R1 LDG.E 1 R2 4 2 0x0 \n0000 0 1 R1 LDG.E 1 R2 4 2 \n"),
           expected);
}

/* ---- a cut file ---- */

#define CUT_START SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n0000 1 0 NOP 0 0 \n"

static void a_file_that_ends_within_a_block_is_used_with_a_warning(void **state)
{
    (void)state;
    const char *expected =
        "block 0\nwarp 0\n0 00000001 NOP\n"
        "! the file ends within thread block (0,0,0), after 1 of 3 instructions of "
        "warp 0; the rest of the block is missing.\n";
    expect(CUT_START, expected);
    /* A last line without newline may lack digits, even if it can be read. */
    expect(CUT_START "0010 1 0 NOP 0", expected);
    expect(CUT_START "0010 1 0 NOP 0 0", expected);
    expect(CUT_START "0010 1 0 LDG.E 0 4 1 0x7f", expected);
    expect(CUT_START "#END", expected);
}

static void a_cut_block_with_no_warp_is_left_out(void **state)
{
    (void)state;
    expect(
        "-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n"
        "-accelsim tracer version = 3\n#traces\n" BLOCK(
            "1", "0000 1 0 EXIT 0 0 \n") "#BEGIN_TB\nthread bl",
        "block 0\nwarp 0\n0 00000001 EXIT\n! the trace has 1 of the grid's 2 thread blocks.\n");
}

static void a_cut_file_is_an_error_if_asked(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    opt.lenient = false;
    expect_dump(write_file("k.traceg", CUT_START), &opt,
                "? k.traceg:14: the file ends within a thread block; the trace was cut short.\n");
}

/* ---- errors in blocks and lines ---- */

static void section_errors_name_their_place(void **state)
{
    (void)state;
    /* SMALL has 9 lines. */
    expect_error(SMALL "0000 1 0 EXIT 0 0\n", 10, 1, "raw .trace");
    expect_error(SMALL "#END_TB\n", 10, 1, "never began");
    expect_error(SMALL "#BEGIN_TB\n#END_TB\n", 11, 1, "no \"thread block");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0\n", 11, 18, "like 3,0,0");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,1,0\n", 11, 18, "outside the grid");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0 x\n", 11, 22, "end of the line");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nthread block = 0,0,0\n", 12, 16,
                 "second index");
    expect_error(SMALL BLOCK("0", "") BLOCK("0", ""), 16, 16, "a second time");
    expect_error(SMALL "#BEGIN_TB\nwarp = 0\n", 11, 8, "before \"thread block");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n", 12, 8, "has 1 warps");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = x\n", 12, 8, "a warp number");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 0\nwarp = 0\n", 14, 8,
                 "a second time");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n#END_TB\n", 13, 1, "no \"insts");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\ninsts = 1\n", 12, 9, "must follow");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = x\n", 13, 9,
                 "number of instructions");
    expect_error(SMALL "#BEGIN_TB\nthread block = 0,0,0\n0000 1 0 EXIT 0 0\n", 12, 1,
                 "before \"warp");
    expect_error(SMALL BLOCK("2", "0000 1 0 EXIT 0 0\n"), 15, 1, "should have 2");
    expect_error(SMALL "#BEGIN_TB\nhello\n", 11, 1, "expected \"thread block\"");
}

static void line_errors_name_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t column;
        const char *words;
    } cases[] = {
        {"00zz 1 0 EXIT 0 0", 1, "instruction address"},
        {"0000 1ffffffff 0 EXIT 0 0", 6, "mask of 32 lanes"},
        {"0000 q 0 EXIT 0 0", 6, "mask of 32 lanes"},
        {"0000 1 9 R1 EXIT 0 0", 8, "at most 8"},
        {"0000 1 1 X1 EXIT 0 0", 10, "register like R4"},
        {"0000 1 1 R70000 EXIT 0 0", 10, "register like R4"},
        {"0000 1 0 0 0", 10, "an opcode"},
        {"0000 1 0", 9, "an opcode"},
        {"0000 1 0 EXIT 25 0", 15, "at most 24"},
        {"0000 1 0 EXIT 1 4", 17, "register like R4"},
        {"0000 1 0 EXIT 0", 16, "access width"},
        {"0000 1 0 EXIT 0 300", 17, "access width"},
        {"0000 1 0 EXIT 0 0 1 1", 21, "too many columns"},
        {"0000 1 0 EXIT 0 0 zz", 19, "too many columns"},
        {"0000 1 0 LDG.E 0 4", 19, "the line ends here"},
        {"0000 1 0 LDG.E 0 4 ", 20, "address mode"},
        {"0000 1 0 LDG.E 0 4 3 0x10", 20, "address mode"},
        {"0000 1 0 LDG.E 0 4 10 0x10", 20, "address mode"},
        {"0000 3 0 LDG.E 0 4 0 0x10", 26, "address for lane 1"},
        {"0000 3 0 LDG.E 0 4 0 0x10 0xzz", 27, "address for lane 1"},
        {"0000 3 0 LDG.E 0 4 1 4x", 22, "base address"},
        {"0000 3 0 LDG.E 0 4 1 0x10", 26, "a decimal stride"},
        {"0000 3 0 LDG.E 0 4 1 0x10 0x4", 27, "a decimal stride"},
        {"0000 3 0 LDG.E 0 4 2", 21, "base address"},
        {"0000 9 0 LDG.E 0 4 2 0x10", 26, "difference for lane 3"},
        {"0000 9 0 LDG.E 0 4 2 0x10 4 4 4", 31, "too many columns"},
        {"0000 1 0 LDG.E 0 4 0 0x10000000000000000", 22, "address for lane 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 1 0 NOP 0 0\n%s\n",
                 SMALL, cases[i].line);
        expect_error(text, 15, cases[i].column, cases[i].words);
    }
}

static void an_opcode_of_absurd_length_is_refused(void **state)
{
    (void)state;
    char text[2048], opcode[300];
    memset(opcode, 'A', sizeof opcode - 1);
    opcode[sizeof opcode - 1] = 0;
    snprintf(text, sizeof text,
             "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 1 0 %s 0 0\n", SMALL,
             opcode);
    expect_error(text, 14, 10, "more than 127 characters");
    /* Below the limit but too long to be remembered: parsed each time, the same each time. */
    opcode[120] = 0;
    snprintf(text, sizeof text,
             "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 1 0 %s 0 0\n0000 1 0 %s "
             "0 0\n#END_TB\n",
             SMALL, opcode, opcode);
    struct dump d = dump_trace(write_file("k.traceg", text), NULL);
    assert_non_null(strstr(d.text, "(warp instructions: 2)"));
    free(d.text);
}

/* ---- the memo of static instructions ---- */

static void lines_that_only_begin_alike_are_told_apart(void **state)
{
    (void)state;
    expect(SMALL BLOCK("7", "0000 1 1 R1 LDG.E 1 R2 4 0 0x10 \n"
                            "0000 1 1 R1 LDG.E 1 R2 42 0 0x10 \n"
                            "0000 1 1 R1 LDG.E 1 R22 4 0 0x10 \n"
                            "0000 1 1 R1 LDG.E.64 1 R2 8 0 0x10 \n"
                            "0000 1 1 R1 LDG.E 1 R2 4 0 0x10 \n"
                            "0000 1 1 R1 MOV 1 R2 0 \n"
                            "0000 1 1 R1 MOV 1 R2 0 7 \n"),
           "block 0\nwarp 0\n0 00000001 LDG.E R1 <R2 global 4 bytes 0:10\n"
           "0 00000001 LDG.E R1 <R2 global 4 bytes 0:10\n0 00000001 LDG.E R1 <R22 global 4 bytes "
           "0:10\n"
           "0 00000001 LDG.E.64 R1 <R2 global 8 bytes 0:10\n0 00000001 LDG.E R1 <R2 global 4 bytes "
           "0:10\n"
           "0 00000001 MOV R1 <R2\n0 00000001 MOV R1 <R2 imm 7\n");
}

static void addresses_of_the_memo_may_collide(void **state)
{
    (void)state;
    /* 0x40000 / 16 is a multiple of every size of the table. */
    expect(SMALL BLOCK("3", "00000 1 0 NOP 0 0\n40000 1 0 NOP 0 0\n00000 1 0 NOP 0 0\n"),
           "block 0\nwarp 0\n0 00000001 NOP\n40000 00000001 NOP\n0 00000001 NOP\n");
}

/* ---- rules that differ from Accel-Sim's ---- */

static void mode_1_with_gaps_goes_by_lane_or_as_upstream(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    const char *text = SMALL BLOCK("1", "0000 0000f003 1 R1 LDG.E 1 R2 4 1 0x100 4 \n");
    expect(text, "block 0\nwarp 0\n0 0000f003 LDG.E R1 <R2 global 4 bytes 0:100 1:104 12:130 "
                 "13:134 14:138 15:13c\n"
                 "! base and stride are given for lanes with gaps: every lane gets its distance "
                 "from the first times the "
                 "stride (lines: 1).\n");
    opt.accelsim_compat = true;
    expect_dump(
        in_scratch("k.traceg"), &opt,
        "block 0\nwarp 0\n0 0000f003 LDG.E R1 <R2 global 4 bytes 0:100 1:104 12:0 13:0 14:0 15:0\n"
        "! base and stride are given for lanes with gaps: lanes behind the first gap get address "
        "0, as in "
        "Accel-Sim (lines: 1).\n");
}

static void a_stride_beyond_32_bits_becomes_a_list(void **state)
{
    (void)state;
    expect(
        SMALL BLOCK("1", "0000 00000007 1 R1 LDG.E 1 R2 4 1 0x100 4294967296 \n"),
        "block 0\nwarp 0\n0 00000007 LDG.E R1 <R2 global 4 bytes 0:100 1:100000100 2:200000100\n");
}

static void unknown_modes_are_zero_only_for_compatibility(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    opt.accelsim_compat = true;
    const char *path =
        write_file("k.traceg", SMALL BLOCK("1", "0000 00000001 1 R1 LDG.E 1 R2 4 5 what ever \n"));
    expect_dump(path, &opt,
                "block 0\nwarp 0\n0 00000001 LDG.E R1 <R2 global 4 bytes 0:0\n"
                "! addresses of an unknown mode are 0, as in Accel-Sim (lines: 1).\n");
}

static void widths_follow_the_opcode_or_upstream(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    const char *text = SMALL BLOCK(
        "2", "0000 1 1 R1 LDG.E.S8 1 R2 1 0 0x10 \n0010 1 1 R1 LDG.E.128 1 R2 16 0 0x10 \n");
    expect(text, "block 0\nwarp 0\n0 00000001 LDG.E.S8 R1 <R2 global 1 bytes 0:10\n"
                 "10 00000001 LDG.E.128 R1 <R2 global 16 bytes 0:10\n");
    opt.accelsim_compat = true;
    expect_dump(in_scratch("k.traceg"), &opt,
                "block 0\nwarp 0\n0 00000001 LDG.E.S8 R1 <R2 global 4 bytes 0:10\n"
                "10 00000001 LDG.E.128 R1 <R2 global 16 bytes 0:10\n");
}

static void generic_accesses_resolve_by_window(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    const char *text = SMALL BLOCK("6", "0000 1 1 R1 LD.E 1 R2 4 0 0x7f3200000010 \n"
                                        "0000 1 1 R1 LD.E 1 R2 4 0 0x7f31d1000010 \n"
                                        "0000 1 1 R1 LD.E 1 R2 4 0 0x7f31a7e60000 \n"
                                        "0000 3 1 R1 LD.E 1 R2 4 1 0x7f3200000020 4 \n"
                                        "0000 1 1 R1 LD.E 1 R2 4 0 0x7f3201000000 \n"
                                        "0000 0 1 R1 LD.E 1 R2 4 0 \n");
    expect(text, "block 0\nwarp 0\n0 00000001 LD.E R1 <R2 shared 4 bytes 0:7f3200000010\n"
                 "0 00000001 LD.E R1 <R2 local 4 bytes 0:7f31d1000010\n"
                 "0 00000001 LD.E R1 <R2 global 4 bytes 0:7f31a7e60000\n"
                 "0 00000003 LD.E R1 <R2 shared 4 bytes 0:7f3200000020 1:7f3200000024\n"
                 "0 00000001 LD.E R1 <R2 global 4 bytes 0:7f3201000000\n"
                 "0 00000000 LD.E R1 <R2 global 4 bytes\n");
    /* Upstream: shared is [shmem_base, local_base), here empty. */
    opt.accelsim_compat = true;
    expect_dump(in_scratch("k.traceg"), &opt,
                "block 0\nwarp 0\n0 00000001 LD.E R1 <R2 global 4 bytes 0:7f3200000010\n"
                "0 00000001 LD.E R1 <R2 local 4 bytes 0:7f31d1000010\n"
                "0 00000001 LD.E R1 <R2 global 4 bytes 0:7f31a7e60000\n"
                "0 00000003 LD.E R1 <R2 global 4 bytes 0:7f3200000020 1:7f3200000024\n"
                "0 00000001 LD.E R1 <R2 global 4 bytes 0:7f3201000000\n"
                "0 00000000 LD.E R1 <R2 global 4 bytes\n");
}

static void generic_accesses_without_windows_are_global_or_upstream_shared(void **state)
{
    (void)state;
    struct strata_trace_options opt;
    strata_trace_options_init(&opt);
    const char *path = write_file(
        "k.traceg", "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
                    "-binary version = 70\n-accelsim tracer version = 3\n#traces\n" BLOCK(
                        "1", "0000 1 0 ST.E 2 R2 R3 4 0 0x7f3200000010 \n"));
    expect_dump(path, &opt,
                "block 0\nwarp 0\n0 00000001 ST.E <R2 R3 global 4 bytes 0:7f3200000010\n");
    opt.accelsim_compat = true;
    expect_dump(path, &opt,
                "block 0\nwarp 0\n0 00000001 ST.E <R2 R3 shared 4 bytes 0:7f3200000010\n");
}

/* ---- folders and lists ---- */

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_scratch(name), 0777), 0);
}

static void a_folder_gives_copies_and_launches_in_order(void **state)
{
    (void)state;
    struct strata_trace *t;
    make_folder("app");
    write_file("app/kernel-1.traceg", SMALL BLOCK("1", "0000 1 0 EXIT 0 0\n"));
    write_file("app/kernel-2.traceg", "-kernel name = b\n" SMALL BLOCK("1", "0000 1 0 EXIT 0 0\n"));
    write_file("app/kernelslist.g",
               "MemcpyHtoD,0x00007f31a7e00000,196608\n\n# a comment\nkernel-1.traceg\r\n"
               "ncclCommInitAll\nMemcpyDtoH,7f31a7e00000,12\nkernel-2.traceg");
    static const char *const paths[] = {"app", "app/", "app/kernelslist.g"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(strata_trace_open(in_scratch(paths[i]), NULL, &t, NULL), STRATA_OK);
        assert_int_equal(strata_trace_launch_count(t), 2);
        assert_string_equal(strata_trace_launch(t, 0)->program, "app");
        assert_string_equal(strata_trace_launch(t, 0)->trace, "kernel-1.traceg");
        assert_string_equal(strata_trace_launch(t, 1)->kernel, "b");
        assert_int_equal(strata_trace_event_count(t), 4);
        static const uint32_t kinds[] = {STRATA_EVENT_MEMCPY_HTOD, STRATA_EVENT_LAUNCH,
                                         STRATA_EVENT_MEMCPY_DTOH, STRATA_EVENT_LAUNCH};
        for (size_t e = 0; e < 4; e++)
            assert_int_equal(strata_trace_event(t, e)->kind, kinds[e]);
        assert_true(strata_trace_event(t, 0)->address == 0x7f31a7e00000);
        assert_int_equal(strata_trace_event(t, 0)->bytes, 196608);
        assert_int_equal(strata_trace_event(t, 3)->launch, 1);
        strata_trace_close(t);
    }
}

static void a_list_finds_files_that_were_compressed_or_grouped_since(void **state)
{
    (void)state;
    struct strata_trace *t;
    make_folder("later");
    write_file("later/kernel-1.traceg.xz", SMALL BLOCK("1", "0000 1 0 EXIT 0 0\n"));
    write_file("later/kernel-2.trace", "raw\n");
    write_file("later/kernel-2.traceg", SMALL BLOCK("1", "0000 1 0 EXIT 0 0\n"));
    write_file("later/kernelslist", "kernel-1.traceg\nkernel-2.trace\n");
    assert_int_equal(strata_trace_open(in_scratch("later"), NULL, &t, NULL), STRATA_OK);
    assert_string_equal(strata_trace_launch(t, 0)->trace, "kernel-1.traceg.xz");
    assert_string_equal(strata_trace_launch(t, 1)->trace, "kernel-2.traceg");
    strata_trace_close(t);
}

static void list_errors_name_the_list_and_line(void **state)
{
    (void)state;
    make_folder("bad");
    expect_dump(in_scratch("bad"), NULL,
                "? bad: the folder holds no trace: there is no kernelslist.g in it.\n");
    write_file("bad/kernelslist.g", "MemcpyHtoD,0x10,4\nkernel-9.traceg\n");
    expect_dump(in_scratch("bad"), NULL,
                "? bad/kernelslist.g:2:1: the kernel file \"kernel-9.traceg\" named here does not "
                "exist.\n");
    write_file("bad/kernelslist.g", "MemcpyHtoD,0x10\n");
    expect_dump(in_scratch("bad"), NULL,
                "? bad/kernelslist.g:1:11: expected \",<hexadecimal address>,<bytes>\" here.\n");
    write_file("bad/kernelslist.g", "MemcpyHtoD,0x10,4,5\n");
    expect_dump(in_scratch("bad"), NULL,
                "? bad/kernelslist.g:1:16: expected \",<bytes>\" and the end of the line here.\n");
    write_file("bad/kernelslist.g", "nothing\n");
    expect_dump(
        in_scratch("bad"), NULL,
        "? bad/kernelslist.g: the list names no kernel file, so there is nothing to read.\n");
}

/* Blocks far apart in a huge grid: memory follows the blocks, not the grid. */
static void a_huge_grid_with_few_blocks_is_cheap(void **state)
{
    (void)state;
    expect("-grid dim = (2147483647,65535,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = "
           "8\n-binary version = 70\n"
           "-accelsim tracer version = 3\n#traces\n"
           "#BEGIN_TB\nthread block = 2147483646,65534,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 "
           "0\n#END_TB\n"
           "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n",
           "block 140735340806144\nwarp 0\n0 00000001 EXIT\nblock 0\n"
           "! the trace has 2 of the grid's 140735340806145 thread blocks.\n");
}

/* More static instructions than the parser remembers at first, each executed twice. */
static void a_large_kernel_reads_like_a_small_one(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_cursor c = {0};
    struct strata_winst w;
    FILE *f = fopen(in_scratch("large.traceg"), "w");
    fprintf(f, SMALL "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n", 2 * N);
    for (int i = 0; i < 2 * N; i++)
        fprintf(f, "%04x 1 1 R%d LDG.E 1 R2 4 0 0x%x \n", i % N * 16, i % N % 250, i + 1);
    fprintf(f, "#END_TB\n");
    fclose(f);
    assert_int_equal(strata_trace_open(in_scratch("large.traceg"), NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    assert_int_equal(strata_reader_next(r, &b, NULL), STRATA_OK);
    assert_int_equal(strata_code_count(strata_reader_code(r)), N);
    assert_int_equal(strata_cursor_init(&c, b, 0, NULL), STRATA_OK);
    for (uint32_t i = 0; i < 2 * N; i++) {
        assert_true(strata_cursor_next(&c, &w));
        assert_int_equal(w.inst->pc, i % N * 16);
        assert_int_equal(w.inst->reg[0], i % N % 250);
        assert_int_equal(w.base, i + 1);
    }
    assert_false(strata_cursor_next(&c, &w));
    strata_cursor_release(&c);
    strata_block_destroy(b);
    strata_reader_close(r);
    strata_trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_kernel_reads_like_a_small_one),
        cmocka_unit_test(a_header_fills_the_launch),
        cmocka_unit_test(header_errors_name_their_place),
        cmocka_unit_test(empty_and_foreign_files_are_refused),
        cmocka_unit_test(version_3_reads_all_three_modes),
        cmocka_unit_test(versions_below_3_have_block_and_warp_columns),
        cmocka_unit_test(lead_columns_that_contradict_the_section_are_counted),
        cmocka_unit_test(lineinfo_adds_a_first_column),
        cmocka_unit_test(version_5_has_an_immediate_at_the_end),
        cmocka_unit_test(what_upstream_refuses_is_read),
        cmocka_unit_test(gz_and_zst_are_read_like_xz),
        cmocka_unit_test(blocks_come_in_any_order),
        cmocka_unit_test(unknown_opcodes_and_gpus_are_counted_warnings),
        cmocka_unit_test(instructions_that_nobody_counted_are_taken_with_a_warning),
        cmocka_unit_test(a_load_without_addresses_is_a_counted_warning),
        cmocka_unit_test(an_empty_mask_has_no_addresses_in_any_mode),
        cmocka_unit_test(a_file_that_ends_within_a_block_is_used_with_a_warning),
        cmocka_unit_test(a_cut_block_with_no_warp_is_left_out),
        cmocka_unit_test(a_cut_file_is_an_error_if_asked),
        cmocka_unit_test(section_errors_name_their_place),
        cmocka_unit_test(line_errors_name_their_place),
        cmocka_unit_test(an_opcode_of_absurd_length_is_refused),
        cmocka_unit_test(lines_that_only_begin_alike_are_told_apart),
        cmocka_unit_test(addresses_of_the_memo_may_collide),
        cmocka_unit_test(mode_1_with_gaps_goes_by_lane_or_as_upstream),
        cmocka_unit_test(a_stride_beyond_32_bits_becomes_a_list),
        cmocka_unit_test(unknown_modes_are_zero_only_for_compatibility),
        cmocka_unit_test(widths_follow_the_opcode_or_upstream),
        cmocka_unit_test(generic_accesses_resolve_by_window),
        cmocka_unit_test(generic_accesses_without_windows_are_global_or_upstream_shared),
        cmocka_unit_test(a_folder_gives_copies_and_launches_in_order),
        cmocka_unit_test(a_list_finds_files_that_were_compressed_or_grouped_since),
        cmocka_unit_test(list_errors_name_the_list_and_line),
        cmocka_unit_test(a_huge_grid_with_few_blocks_is_cheap),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
