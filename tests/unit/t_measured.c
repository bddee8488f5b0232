/* Measured counters: three layouts, their quirks, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <strata/correlate.h>

#include "correlate/cells.h"
#include <strata/kernel_name.h>
#include "correlate/units.h"

static void cells_are_numbers_unknown_or_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum cell_kind kind;
        double value;
    } cases[] = {
        {"12", CELL_NUMBER, 12},
        {"1,234,567", CELL_NUMBER, 1234567},
        {"-1,234.5", CELL_NUMBER, -1234.5},
        {"1e3", CELL_NUMBER, 1000},
        {"98 (32; 66)", CELL_NUMBER, 98},
        {" 7 ", CELL_NUMBER, 7},
        {"", CELL_UNKNOWN, 0},
        {"n/a", CELL_UNKNOWN, 0},
        {"N/A", CELL_UNKNOWN, 0},
        {"(!) n/a", CELL_UNKNOWN, 0},
        {"nan", CELL_UNKNOWN, 0},
        {"1e999", CELL_UNKNOWN, 0},
        {"1,5", CELL_WORDS, 0},
        {"1,2345", CELL_WORDS, 0},
        {"CachePreferNone", CELL_WORDS, 0},
        {"12 cycles", CELL_WORDS, 0},
        {"0x10", CELL_NUMBER, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0;
        if (strata_cell_number(cases[i].text, &value) != cases[i].kind || value != cases[i].value)
            fail_msg("\"%s\" was read as %g", cases[i].text, value);
    }
}

static void units_are_turned_into_those_of_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        double factor; /* 0: must be refused */
    } cases[] = {
        {"usecond", "ns", 1000},
        {"us", "ns", 1000},
        {"ms", "ns", 1e6},
        {"second", "ns", 1e9},
        {"ns", "ns", 1},
        {"Kbyte", "byte", 1000},
        {"Mbyte", "byte", 1e6},
        {"Gbyte/second", "byte/s", 1e9},
        {"Gbyte/s", "byte/s", 1e9},
        {"", "sector", 1},
        {"register", "register/thread", 1},
        {"Kbyte/block", "byte/block", 1000},
        {"byte", "byte/block", 1},
        {"%", "%", 1},
        {"Msector", "sector", 1e6},
        {"byte", "ns", 0},
        {"byte/second", "byte", 0},
        {"furlong", "byte", 0},
        {"K%", "%", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double factor;
        bool ok = strata_unit_factor(cases[i].from, cases[i].to, &factor);
        if (ok != (cases[i].factor != 0) ||
            (ok && (factor < cases[i].factor * 0.999999 || factor > cases[i].factor * 1.000001)))
            fail_msg("%s to %s gave %g", cases[i].from, cases[i].to, ok ? factor : 0);
    }
}

static void kernel_names_are_compared_by_their_bare_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"_Z11gemm_kerneliiiffPfS_S_", "gemm_kernel"},
        {"gemm_kernel(int, int, float *)", "gemm_kernel"},
        {"gemm_kernel", "gemm_kernel"},
        {"void gemm<(int)8, float>(T2 *)", "gemm"},
        {"_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_il",
         "vectorized_gather_kernel"},
        {"void at::native::vectorized_gather_kernel<16, long>(char *)", "vectorized_gather_kernel"},
        {"void <unnamed>::f(int)", "f"},
        {"void at::(anonymous namespace)::softmax<float>((anonymous namespace)::T)", "softmax"},
        {"_ZN2at6native43_GLOBAL__N__00000000_10_Softmax_cu_9f978f637softmaxIfEEvPf", "softmax"},
        {"_Z", "_Z"},
        {"_Z999abc", "_Z999abc"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char base[64];
        strata_kernel_base_name(cases[i][0], base, sizeof base);
        if (strcmp(base, cases[i][1]))
            fail_msg("%s gave %s", cases[i][0], base);
    }
}

static void parse(struct strata_measured *m, const char *text)
{
    struct strata_error err = {0};
    if (strata_measured_parse(m, text, strlen(text), "x.csv", &err) != STRATA_OK)
        fail_msg("line %u: %s", err.line, err.message);
}

static void assert_metric(const struct strata_result *r, const char *metric, double expected)
{
    double value;
    if (!strata_result_get(r, metric, &value))
        fail_msg("%s is not there", metric);
    if (value != expected)
        fail_msg("%s is %g, not %g", metric, value, expected);
}

static void a_table_has_one_row_a_launch(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, "program,kernel,trace,grid,block,regs,shmem,sm__cycles_elapsed.max,dram__sectors_"
              "read.sum,own_column\n"
              "p,_Z1kPf,kernel-1.traceg.xz,128x1x1,256x1x1,32,0,49818,n/a,word\n"
              "p,_Z1kPf,kernel-2.traceg.xz,64x2x1,32x1x1,32,0,,12,3\n");
    assert_string_equal(m.layout, "table");
    assert_true(m.names_traces);
    assert_int_equal(m.n_launches, 2);
    assert_string_equal(m.launch[0].trace, "kernel-1.traceg.xz");
    assert_int_equal(m.launch[1].grid.y, 2);
    assert_metric(&m.launch[0], "sm__cycles_elapsed.max", 49818);
    assert_false(strata_result_get(&m.launch[0], "dram__sectors_read.sum", NULL));
    assert_false(strata_result_get(&m.launch[0], "own_column", NULL));
    assert_false(strata_result_get(&m.launch[0], "regs", NULL));
    assert_metric(&m.launch[1], "own_column", 3);
    strata_measured_release(&m);
}

static const char raw_page[] = "==PROF== Connected to process 1234 (/home/u/app)\n"
                               "result is \"5\n"
                               "==PROF== Profiling \"gemm\" - 0: 0%....50%....100% - 9 passes\n"
                               "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
                               "Name\",\"Context\",\"Stream\",\"Block Size\","
                               "\"Grid "
                               "Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\",\"gpu__time_"
                               "duration.sum\",\"launch__func_cache_config\","
                               "\"smsp__inst_executed.sum\",\"lts__t_sectors_op_read.sum\"\n"
                               "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\","
                               "\"usecond\",\"\",\"inst\",\"furlong\"\n"
                               "\"0\",\"1234\",\"app\",\"127.0.0.1\",\"gemm(float *, "
                               "int)\",\"1\",\"7\",\"(32, 8, 1)\",\"(8, 32, 1)\",\"0\",\"9.0\","
                               "\"1.5\",\"27.23\",\"CachePreferNone\",\"2,390,016\",\"5\"\n"
                               "noise in between, with a comma\n"
                               "\"1\",\"1234\",\"app\",\"127.0.0.1\",\"gemm(float *, "
                               "int)\",\"1\",\"7\",\"(32, 8, 1)\",\"(8, 32, 1)\",\"0\",\"9.0\","
                               "\"n/a\",\"1,001.5\",\"CachePreferNone\",\"4\",\"5\"\n"
                               "done \"\n";

static void the_raw_page_has_units_and_noise_around_it(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, raw_page);
    assert_string_equal(m.layout, "Nsight Compute raw page");
    assert_false(m.names_traces);
    assert_int_equal(m.n_launches, 2);
    assert_metric(&m.launch[0], "dram__bytes_read.sum", 1500000);
    assert_metric(&m.launch[0], "gpu__time_duration.sum", 27.23 * 1000);
    assert_metric(&m.launch[0], "smsp__inst_executed.sum", 2390016);
    assert_int_equal(m.launch[0].block.y, 8);
    assert_int_equal(m.launch[0].grid.y, 32);
    assert_string_equal(m.launch[0].program, "app");
    assert_int_equal(m.launch[1].id, 1);
    assert_false(strata_result_get(&m.launch[1], "dram__bytes_read.sum", NULL));
    assert_metric(&m.launch[1], "gpu__time_duration.sum", 1001.5 * 1000);
    /* a unit that cannot be converted: a warning, and no value */
    assert_false(strata_result_get(&m.launch[0], "lts__t_sectors_op_read.sum", NULL));
    assert_int_equal(m.n_warnings, 1);
    assert_non_null(strstr(m.warning[0], "furlong"));
    strata_measured_release(&m);
}

static void a_raw_page_without_units_is_in_base_units(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, "ID,Kernel Name,Block Size,Grid Size,gpu__time_duration.sum\n0,k,\"(1, 1, 1)\",\"(1, "
              "1, 1)\",27232\n");
    assert_metric(&m.launch[0], "gpu__time_duration.sum", 27232);
    strata_measured_release(&m);
}

#define LONG_HEADER                                                                                \
    "\"ID\",\"Process Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section "              \
    "Name\",\"Metric Name\","                                                                      \
    "\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
#define LONG_ROW(id, metric, unit, value)                                                          \
    "\"" id "\",\"app\",\"k(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"Some Section\",\"" metric        \
    "\",\"" unit "\",\"" value "\","                                                               \
    "\"\",\"\",\"\"\n"

static void the_details_page_has_one_row_a_metric(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, LONG_HEADER LONG_ROW("0", "Duration", "us", "3.5")
                  LONG_ROW("0", "L2 Hit Rate", "%", "51.2")
                      LONG_ROW("0", "dram__sectors_read.sum", "sector", "1,234")
                          LONG_ROW("0", "Duration", "us", "3.5") /* another section repeats it */
          "\"0\",\"app\",\"k(int)\",\"(32, 1, 1)\",\"(4, 1, "
          "1)\",\"\",\"\",\"\",\"\",\"SlowKernel\",\"WRN\",\"two\nlines\"\n" LONG_ROW(
              "1", "Block Limit SM", "block", "32") "==PROF== Disconnected\n");
    assert_string_equal(m.layout, "Nsight Compute details page");
    assert_int_equal(m.n_launches, 2);
    assert_metric(&m.launch[0], "gpu__time_duration.sum", 3500);
    assert_metric(&m.launch[0], "lts__t_sector_hit_rate.pct", 51.2);
    assert_metric(&m.launch[0], "dram__sectors_read.sum", 1234);
    assert_metric(&m.launch[1], "launch__occupancy_limit_blocks", 32);
    strata_measured_release(&m);
}

static void rows_of_the_details_page_may_be_shorter_than_its_header(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, "ID,Kernel Name,Block Size,Grid Size,Metric Name,Metric Unit,Metric Value,Rule "
              "Name,Estimated Speedup\n"
              "0,k,\"32,2,1\",\"4,1,1\",dram__sectors_read.sum,sector,12,\n");
    assert_metric(&m.launch[0], "dram__sectors_read.sum", 12);
    assert_int_equal(m.launch[0].block.y, 2);
    strata_measured_release(&m);
}

static void two_pages_in_one_file_may_repeat_their_ids(void **state)
{
    (void)state;
    struct strata_measured m;
    parse(&m, "ID,Kernel Name,Block Size,Grid Size,smsp__inst_executed.sum\n0,a,\"(1, 1, "
              "1)\",\"(1, 1, 1)\",1\n"
              "ID,Kernel Name,Block Size,Grid Size,smsp__inst_executed.sum\n0,b,\"(1, 1, "
              "1)\",\"(1, 1, 1)\",2\n");
    assert_int_equal(m.n_launches, 2);
    assert_string_equal(m.launch[1].kernel, "b");
    strata_measured_release(&m);
}

static void expect_refusal(const char *text, uint32_t line, const char *part)
{
    struct strata_measured m;
    struct strata_error err = {0};
    assert_int_equal(strata_measured_parse(&m, text, strlen(text), "x.csv", &err), STRATA_EFORMAT);
    assert_int_equal(err.line, line);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" does not tell of \"%s\"", err.message, part);
    assert_null(m.launch);
}

static void bad_tables_are_refused_with_their_row(void **state)
{
    (void)state;
    expect_refusal("", 0, "no table of counters");
    expect_refusal("hello\nworld\n", 0, "no table of counters");
    expect_refusal("program,trace,x\n", 0, "no launches");
    expect_refusal("program,trace,dram__sectors_read.sum\np,t\n", 2,
                   "2 fields where the header has 3");
    expect_refusal("program,trace,dram__sectors_read.sum\np,t,1\np,t,1\n", 3,
                   "already measured in line 2");
    expect_refusal("program,trace,dram__sectors_read.sum\np,t,many\n", 2, "\"many\"");
    expect_refusal("program,trace,dram__sectors_read.sum\np,\"t,1\n", 2, "never closed");
    expect_refusal("ID,Kernel Name,smsp__inst_executed.sum\n0,k,1\n0,k,1\n", 3,
                   "ID 0 (k) already stands in line 2");
    expect_refusal("ID,Kernel Name,Metric Name\n", 1, "Metric Value");
    expect_refusal(LONG_HEADER LONG_ROW("0", "Duration", "us", "3.5")
                       LONG_ROW("0", "Duration", "us", "4"),
                   3, "another value");
    expect_refusal("ID,Kernel Name,Metric Name,Metric Value\n0,a,m,1\n0,b,m,1\n", 3,
                   "mixes two runs");
}

/* ---- measured again ---- */

#define CYCLES "sm__cycles_elapsed.max"

static void expect_spread(const struct strata_measured *m, size_t launch, const char *metric,
                          double least, double most)
{
    double found;
    assert_true(strata_result_get(&m->least[launch], metric, &found));
    assert_true(found == least);
    assert_true(strata_result_get(&m->most[launch], metric, &found));
    assert_true(found == most);
}

static void runs_widen_the_spread_of_what_they_have_in_common(void **state)
{
    (void)state;
    struct strata_measured m, second, third;
    double unused;
    parse(&m, "program,trace," CYCLES ",dram__sectors_read.sum\np,a,100,7\np,b,50,8\n");
    parse(&second, "program,trace," CYCLES "\np,b,55\np,a,90\n"); /* in another order */
    parse(&third, "program,trace," CYCLES "\np,a,95\n");
    assert_int_equal(strata_measured_repeat(&m, &second, NULL), STRATA_OK);
    assert_int_equal(strata_measured_repeat(&m, &third, NULL), STRATA_OK);
    assert_int_equal(m.n_runs, 3);
    expect_spread(&m, 0, CYCLES, 90, 100);
    expect_spread(&m, 1, CYCLES, 50, 55);
    assert_false(strata_result_get(&m.least[0], "dram__sectors_read.sum", &unused));
    strata_measured_release(&third);
    strata_measured_release(&second);
    strata_measured_release(&m);
}

static void hit_rates_of_runs_are_derived_before_they_are_compared(void **state)
{
    (void)state;
    struct strata_measured m, second;
    const char *head = "program,trace,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
                       "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum\n";
    char one[256], two[256];
    snprintf(one, sizeof one, "%sp,a,100,40\n", head);
    snprintf(two, sizeof two, "%sp,a,100,50\n", head);
    parse(&m, one);
    parse(&second, two);
    assert_int_equal(strata_measured_repeat(&m, &second, NULL), STRATA_OK);
    expect_spread(&m, 0, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 40, 50);
    strata_measured_release(&second);
    strata_measured_release(&m);
}

#define PAGE_HEADER                  "ID,Kernel Name,Block Size,Grid Size," CYCLES "\n"
#define PAGE_ROW(id, kernel, cycles) id "," kernel ",\"(1, 1, 1)\",\"(1, 1, 1)\"," cycles "\n"

static void pages_of_the_profiler_are_joined_by_place(void **state)
{
    (void)state;
    struct strata_measured m, second;
    double unused;
    parse(&m, PAGE_HEADER PAGE_ROW("0", "k", "10") PAGE_ROW("1", "k", "20"));
    parse(&second, PAGE_HEADER PAGE_ROW("5", "k", "12") PAGE_ROW("6", "other", "19"));
    assert_int_equal(strata_measured_repeat(&m, &second, NULL), STRATA_OK);
    expect_spread(&m, 0, CYCLES, 10, 12);
    assert_false(strata_result_get(&m.least[1], CYCLES, &unused)); /* another kernel */
    strata_measured_release(&second);
    strata_measured_release(&m);
}

static void expect_not_again(const char *text, const char *part)
{
    struct strata_measured m, second;
    struct strata_error err = {0};
    parse(&m, "program,trace," CYCLES "\np,a,100\n");
    parse(&second, text);
    assert_int_equal(strata_measured_repeat(&m, &second, &err), STRATA_EFORMAT);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" does not tell of \"%s\"", err.message, part);
    strata_measured_release(&second);
    strata_measured_release(&m);
}

static void other_launches_are_no_repetition(void **state)
{
    (void)state;
    expect_not_again("program,trace," CYCLES "\np,b,100\n", "none of its launches");
    expect_not_again(PAGE_HEADER PAGE_ROW("0", "k", "10"), "the layout of the first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_widen_the_spread_of_what_they_have_in_common),
        cmocka_unit_test(hit_rates_of_runs_are_derived_before_they_are_compared),
        cmocka_unit_test(pages_of_the_profiler_are_joined_by_place),
        cmocka_unit_test(other_launches_are_no_repetition),
        cmocka_unit_test(cells_are_numbers_unknown_or_words),
        cmocka_unit_test(units_are_turned_into_those_of_the_table),
        cmocka_unit_test(kernel_names_are_compared_by_their_bare_name),
        cmocka_unit_test(a_table_has_one_row_a_launch),
        cmocka_unit_test(the_raw_page_has_units_and_noise_around_it),
        cmocka_unit_test(a_raw_page_without_units_is_in_base_units),
        cmocka_unit_test(the_details_page_has_one_row_a_metric),
        cmocka_unit_test(rows_of_the_details_page_may_be_shorter_than_its_header),
        cmocka_unit_test(two_pages_in_one_file_may_repeat_their_ids),
        cmocka_unit_test(bad_tables_are_refused_with_their_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
