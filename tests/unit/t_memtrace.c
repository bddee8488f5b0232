/* The reader of NVBit mem_trace text. */
#include "textfix.h"

#define LAUNCH(id, grid, block)                                                                    \
    "MEMTRACE: CTX 0x0000000000000001 - LAUNCH - Kernel pc 0x00007f0000000000 - Kernel name "      \
    "f(int - grid launch id 9) - grid launch id " id " - grid size " grid " - block size " block   \
    " - nregs 16 - shmem 1024 - cuda stream id 5\n"
#define RECORD(id, cta, warp, opcode, addresses)                                                   \
    "MEMTRACE: CTX 0x0000000000000001 - grid_launch_id " id " - CTA " cta " - warp " warp          \
    " - " opcode " - " addresses "\n"
#define ZERO    "0x0000000000000000 "
#define ZERO_4  ZERO ZERO ZERO ZERO
#define ZERO_28 ZERO_4 ZERO_4 ZERO_4 ZERO_4 ZERO_4 ZERO_4 ZERO_4
#define RUN     "0x1000 0x1004 0x1008 0x100c " ZERO_28
#define LIST    "0x1000 0x0000 0x5008 0x100c " ZERO_28

static void expect(const char *text, const char *expected)
{
    expect_dump(write_file("m.txt", text), NULL, expected);
}

static void records_are_grouped_by_block_and_warp(void **state)
{
    (void)state;
    /* Slots 12 and 40 are the warps 0 and 1 of block 1. */
    expect("------------- NVBit (NVidia Binary Instrumentation Tool) --------------\n" LAUNCH(
               "0", "2,1,1", "64,1,1") RECORD("0", "1,0,0", "40", "STG.E", LIST)
               RECORD("0", "0,0,0", "3", "LDG.E.64",
                      RUN) "the program says hello\n" RECORD("0", "1,0,0", "12", "LDG.E", RUN)
                   RECORD("0", "1,0,0", "40", "LDG.E", ZERO_28 ZERO_4),
           "block 0\nwarp 0\n0 0000000f LDG.E.64 global 8 bytes 0:1000 1:1004 2:1008 3:100c\n"
           "block 1\nwarp 0\n0 0000000f LDG.E global 4 bytes 0:1000 1:1004 2:1008 3:100c\n"
           "warp 1\n0 0000000d STG.E global 4 bytes 0:1000 2:5008 3:100c\n0 00000000 LDG.E global "
           "4 bytes\n");
}

static void launch_lines_fill_the_launches_that_have_records(void **state)
{
    (void)state;
    struct strata_trace *t;
    /* Counted before printing: the lines say 1 to 3, the records 0 and 2. */
    const char *path =
        write_file("m.txt", LAUNCH("1", "2,3,4", "8,4,2") RECORD("0", "1,2,3", "0", "LDG.E", RUN)
                                LAUNCH("2", "1,1,1", "32,1,1") LAUNCH("3", "1,1,1", "32,1,1")
                                    RECORD("2", "0,0,0", "0", "LDG.E", RUN));
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_string_equal(strata_trace_format_name(t), "memtrace");
    assert_int_equal(strata_trace_launch_count(t), 2);
    assert_int_equal(strata_trace_event_count(t), 2);
    const struct strata_launch *l = strata_trace_launch(t, 0);
    assert_string_equal(l->kernel, "f(int - grid launch id 9)");
    assert_string_equal(l->program, "m.txt");
    assert_string_equal(l->trace, "launch-1");
    assert_int_equal(strata_launch_blocks(l), 24);
    assert_int_equal(strata_launch_threads_per_block(l), 64);
    assert_int_equal(l->registers_per_thread, 16);
    assert_int_equal(l->shared_static_bytes, 1024);
    assert_int_equal(l->stream, 5);
    assert_int_equal(strata_trace_launch(t, 1)->id, 3);
    strata_trace_close(t);
    expect_dump(path, NULL,
                "block 23\nwarp 0\n0 0000000f LDG.E global 4 bytes 0:1000 1:1004 2:1008 3:100c\n"
                "! thread blocks without an access are left out (blocks: 23 of 24).\n"
                "block 0\nwarp 0\n0 0000000f LDG.E global 4 bytes 0:1000 1:1004 2:1008 3:100c\n");
}

static void a_cut_last_line_is_left_out(void **state)
{
    (void)state;
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD(
               "0", "0,0,0", "0", "LDG.E", RUN) "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0",
           "block 0\nwarp 0\n0 0000000f LDG.E global 4 bytes 0:1000 1:1004 2:1008 3:100c\n"
           "! the last line is cut short and was left out.\n");
}

static void errors_name_their_place(void **state)
{
    (void)state;
    expect(LAUNCH("0", "1,1,1", "32,1,1"), "? m.txt: the file has no record of a memory access.\n");
    expect(RECORD("0", "0,0,0", "0", "LDG.E", RUN),
           "? m.txt: the records are of 1 launches (the first in line 1), but only 0 of them have "
           "a \"MEMTRACE: CTX "
           "... - LAUNCH\" line, once each; record the trace from the program's start.\n");
    expect("MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x1 - Kernel name f\n",
           "? m.txt:1:58: expected the kernel's name and \" - grid launch id \" here.\n");
    expect(LAUNCH("0", "1,0,1", "32,1,1"),
           "? m.txt:1:147: expected a decimal number of 1 to 2147483647 here.\n");
    expect(LAUNCH("0", "1,1,1", "3200,100,1"),
           "? m.txt:1:164: a block has more than 65536 threads.\n");
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD("0", "0,1,0", "0", "LDG.E", RUN),
           "? m.txt:2:59: block (0,1,0) lies outside the grid of (1,1,1).\n");
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD("0", "0,0,0", "0", "", RUN),
           "? m.txt:2:76: expected an opcode like LDG.E here.\n");
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD("0", "0,0,0", "0", "LDG.E", "0x10 0x20"),
           "? m.txt:2:93: expected a hexadecimal number of 0 to 18446744073709551615 here.\n");
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD("0", "0,0,0", "0", "LDG.E", RUN "0x1"),
           "? m.txt:2:643: expected the end of the line after 32 addresses.\n");
    expect(LAUNCH("0", "1,1,1", "32,1,1") RECORD("0", "0,0,0", "0", "LDG.E", RUN)
               RECORD("0", "0,0,0", "1", "LDG.E", RUN),
           "? m.txt: block 0 of launch 0 has records of more than its 1 warps; the trace is "
           "damaged.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_grouped_by_block_and_warp),
        cmocka_unit_test(launch_lines_fill_the_launches_that_have_records),
        cmocka_unit_test(a_cut_last_line_is_left_out),
        cmocka_unit_test(errors_name_their_place),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
