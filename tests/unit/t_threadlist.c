/* The thread-list reader. */
#include "textfix.h"

static void expect(const char *text, const char *expected)
{
    expect_dump(write_file("a_00.trc", text), NULL, expected);
}

static void threads_become_lanes_in_the_order_of_their_accesses(void **state)
{
    (void)state;
    /* Threads interleaved and out of order; thread 33 is lane 1 of warp 1, thread 64 lane 0 of
     * block 1. */
    expect("blocksize: 32 2 1\n1 0 4100 4\n0 0 4096 4\n0 1 8192 8\n33 0 256 4\n1 1 8200 8\n64 0 "
           "512 16\n",
           "block 0\nwarp 0\n0 00000003 LDG.E global 4 bytes 0:1000 1:1004\n"
           "10 00000003 STG.E.64 global 8 bytes 0:2000 1:2008\n"
           "warp 1\n0 00000002 LDG.E global 4 bytes 1:100\n"
           "block 1\nwarp 0\n20 00000001 LDG.E.128 global 16 bytes 0:200\n");
}

static void signs_of_divergence_are_a_counted_warning(void **state)
{
    (void)state;
    const char *warning =
        "! threads of a warp differ in the number or kind of their accesses (warps: 1 of 1); a "
        "thread list has no instruction addresses, so accesses are matched by their order, "
        "which may join different instructions there.\n";
    char expected[1024];
    snprintf(expected, sizeof expected,
             "block 0\nwarp 0\n0 00000001 LDG.E global 4 bytes 0:0\n10 00000002 STG.E global 4 "
             "bytes 1:4\n%s",
             warning);
    expect("blocksize: 32 1 1\n0 0 0 4\n1 1 4 4\n", expected);
    snprintf(expected, sizeof expected,
             "block 0\nwarp 0\n0 00000003 LDG.E global 4 bytes 0:0 1:4\n0 00000001 LDG.E global 4 "
             "bytes 0:80\n%s",
             warning);
    expect("blocksize: 32 1 1\n0 0 0 4\n1 0 4 4\n0 0 128 4\n", expected);
}

static void a_launch_has_the_grid_of_its_largest_thread(void **state)
{
    (void)state;
    struct strata_trace *t;
    const char *path = write_file("copy_03.trc", "blocksize: 16 16 1\n1023 0 0 4\n");
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    assert_string_equal(strata_trace_format_name(t), "threadlist");
    const struct strata_launch *l = strata_trace_launch(t, 0);
    assert_string_equal(l->program, "copy");
    assert_string_equal(l->trace, "copy_03.trc");
    assert_int_equal(l->grid.x, 4);
    assert_int_equal(l->block.y, 16);
    assert_int_equal(l->isa, STRATA_ISA_THREADLIST);
    strata_trace_close(t);
    expect_dump(path, NULL,
                "block 3\nwarp 7\n0 80000000 LDG.E global 4 bytes 31:0\n"
                "! thread blocks without an access are left out (blocks: 3 of 4).\n");
}

static void a_folder_holds_one_launch_a_file(void **state)
{
    (void)state;
    struct strata_trace *t;
    assert_int_equal(mkdir(in_scratch("runs"), 0777), 0);
    write_file("runs/b_00.trc", "blocksize: 32 1 1\n0 0 0 4\n");
    write_file("runs/b_01.trc", "blocksize: 64 1 1\n0 0 0 4\n");
    write_file("runs/b_03.trc", "blocksize: 64 1 1\n0 0 0 4\n");
    assert_int_equal(strata_trace_open(in_scratch("runs"), NULL, &t, NULL), STRATA_OK);
    assert_int_equal(strata_trace_launch_count(t), 2);
    assert_string_equal(strata_trace_launch(t, 1)->trace, "b_01.trc");
    assert_int_equal(strata_trace_launch(t, 1)->block.x, 64);
    strata_trace_close(t);
}

static void lines_are_as_tolerant_as_other_text(void **state)
{
    (void)state;
    const char *expected = "block 0\nwarp 0\n0 00000001 LDG.E global 4 bytes 0:10\n";
    expect("blocksize:  32\t1 1 \r\n\r\n 0  0\t16 4 \r\n", expected);
    expect("blocksize: 32 1 1\n0 0 16 4", expected);
    expect("blocksize: 32 1 1\n0 0 16 4\n0 0 3",
           "block 0\nwarp 0\n0 00000001 LDG.E global 4 bytes 0:10\n"
           "! the last line is cut short and was left out.\n");
}

static void errors_name_their_place(void **state)
{
    (void)state;
    expect("blocksize: 32 1\n0 0 0 4\n",
           "? a_00.trc:1:16: expected three block dimensions with at most 65536 threads in all.\n");
    expect("blocksize: 1024 1024 1\n",
           "? a_00.trc:1:17: expected three block dimensions with at most 65536 threads in all.\n");
    expect("blocksize: 1 1 1 1\n",
           "? a_00.trc:1:18: expected the end of the line after the block dimensions.\n");
    expect("blocksize: 1 1 1\n", "? a_00.trc: the thread list has no access.\n");
    expect("blocksize: 1 1 1\nx 0 0 4\n",
           "? a_00.trc:2:1: expected a flat thread id: a decimal number of 0 to 2147483647.\n");
    expect("blocksize: 1 1 1\n0 2 0 4\n",
           "? a_00.trc:2:3: expected 0 (load) or 1 (store): a decimal number of 0 to 1.\n");
    expect(
        "blocksize: 1 1 1\n0 0 -1 4\n",
        "? a_00.trc:2:5: expected a byte address: a decimal number of 0 to 9223372036854775807.\n");
    expect("blocksize: 1 1 1\n0 0 0 0\n",
           "? a_00.trc:2:7: expected a number of bytes: a decimal number of 1 to 255.\n");
    expect("blocksize: 1 1 1\n0 0 0\n",
           "? a_00.trc:2:6: expected a number of bytes: a decimal number of 1 to 255.\n");
    expect("blocksize: 1 1 1\n0 0 0 4 5\n",
           "? a_00.trc:2:9: expected the end of the line after the number of bytes.\n");
}

/* Many threads in scrambled order against the same list in order. */
static void the_order_of_threads_does_not_matter(void **state)
{
    (void)state;
    enum { THREADS = 5000, EACH = 3 };
    for (int scrambled = 0; scrambled < 2; scrambled++) {
        FILE *f = fopen(in_scratch(scrambled ? "s_00.trc" : "o_00.trc"), "w");
        fprintf(f, "blocksize: 96 1 1\n");
        for (unsigned n = 0; n < EACH; n++)
            for (unsigned i = 0; i < THREADS; i++) {
                unsigned thread = scrambled ? i * 2999 % THREADS : i;
                fprintf(f, "%u 0 %u 4\n", thread, thread * 4 + n * 65536);
            }
        fclose(f);
    }
    struct dump a = dump_trace(in_scratch("o_00.trc"), NULL),
                b = dump_trace(in_scratch("s_00.trc"), NULL);
    assert_true(a.n > 100000);
    assert_string_equal(a.text, b.text);
    free(a.text);
    free(b.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_become_lanes_in_the_order_of_their_accesses),
        cmocka_unit_test(signs_of_divergence_are_a_counted_warning),
        cmocka_unit_test(a_launch_has_the_grid_of_its_largest_thread),
        cmocka_unit_test(a_folder_holds_one_launch_a_file),
        cmocka_unit_test(lines_are_as_tolerant_as_other_text),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(the_order_of_threads_does_not_matter),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
