/* What needs no clock, every model counts alike: over a matrix of small traces (kind of access x
 * width x pattern, on three machines) coalesce, reuse, flow and sim agree to the last unit on
 * instructions, requests and sectors; reuse, flow and sim also on hits and on what crosses between
 * L1 and L2 where one warp's accesses wait for one another, so that their order leaves no choice.
 */
#include "keyfix.h"

enum { MOST_LINES = 6, MOST_KERNELS = 2048 };

struct kernel {
    char line[MOST_LINES][160]; /* an instruction behind its pc */
    unsigned n;
    bool ordered; /* hits and traffic are compared too */
};
static struct kernel kernel[MOST_KERNELS];
static unsigned n_kernels;
static char where[64];

/* ---- the matrix ---- */

static const struct kind {
    const char *name;
    bool has_result, local_addresses, sized;
} kinds[] = {
    {"LDG.E", true, false, true},
    {"LDG.E.STRONG.GPU", true, false, true},
    {"LDG.E.CONSTANT", true, false, true},
    {"LD.E", true, false, true},
    {"LDL", true, true, true},
    {"LDS", true, true, true},
    {"LDSM.16.M88.4", true, true, false},
    {"STG.E", false, false, true},
    {"ST.E", false, false, true},
    {"STL", false, true, true},
    {"STS", false, true, true},
    {"ATOMG.E.ADD", true, false, false},
    {"RED.E.ADD", false, false, false},
    {"ATOMS.ADD", true, true, false},
    {"LDGSTS.E", false, false, true},
    {"LDGSTS.E.BYPASS", false, false, true},
    {"TEX", true, false, false},
    {"SULD.D.BA", true, false, false},
    {"SUST.D.BA", false, false, false},
    {"CCTL.E.PF2", false, false, false},
    {"MYSTERY.E", true, false, false},
};
static const struct {
    const char *suffix;
    unsigned bytes;
} widths[] = {{".U8", 1}, {".U16", 2}, {"", 4}, {".64", 8}, {".128", 16}};
/* Lanes, first address and step; a step of 1 stands for the width. */
static const struct {
    uint32_t mask;
    uint64_t first;
    int step;
} patterns[] = {{0xffffffff, 0, 1},     {0xffffffff, 0, 0},  {0xffffffff, 0, 32},
                {0xffffffff, 0, 128},   {0xffffffff, 64, 1}, {0xffffffff, 0, 48},
                {0x0000ffff, 32, 1},    {0x55555555, 0, 16}, {0x00000001, 112, 1},
                {0xffffffff, 8192, -16}};

static struct kernel *add_kernel(bool ordered)
{
    assert_true(n_kernels < MOST_KERNELS);
    kernel[n_kernels].ordered = ordered;
    return &kernel[n_kernels++];
}

static void add_access(struct kernel *k, const char *opcode, bool has_result, unsigned width,
                       uint32_t mask, uint64_t address, int step)
{
    unsigned i = k->n++; /* each waits for the result of the one before */
    snprintf(k->line[i], sizeof k->line[i], "%08x %s %s %u R%u %u 1 0x%llx %d", mask,
             has_result ? "1 R" : "0", opcode, 1, 8 + 4 * i, width, (unsigned long long)address,
             step);
    if (has_result)
        snprintf(k->line[i], sizeof k->line[i], "%08x 1 R%u %s 1 R%u %u 1 0x%llx %d", mask,
                 12 + 4 * i, opcode, 8 + 4 * i, width, (unsigned long long)address, step);
}

static void add_combination(const struct kind *kind, unsigned w, unsigned p)
{
    struct kernel *k = add_kernel(kind->has_result);
    char opcode[64];
    unsigned width = kind->sized ? widths[w].bytes : !strncmp(kind->name, "LDSM", 4) ? 16 : 4;
    int step = patterns[p].step == 1 ? (int)width : patterns[p].step;
    snprintf(opcode, sizeof opcode, "%s%s", kind->name, kind->sized ? widths[w].suffix : "");
    uint64_t base = kind->local_addresses ? 0 : 0x7f1000000000;
    uint64_t first = patterns[p].first / width * width;
    for (int again = 0; again < 2; again++)
        add_access(k, opcode, kind->has_result, width, patterns[p].mask, base + first, step);
}

/* A store, then a load of some of its bytes or of their neighbours. */
static void add_write_then_read(unsigned w, unsigned p, unsigned r, int offset)
{
    struct kernel *k = add_kernel(true);
    char store[32], load[32];
    unsigned width = widths[w].bytes;
    int step = patterns[p].step == 1 ? (int)width : patterns[p].step;
    uint64_t first = 0x7f1000000000 + patterns[p].first / 16 * 16;
    snprintf(store, sizeof store, "STG.E%s", widths[w].suffix);
    snprintf(load, sizeof load, "LDG.E%s", widths[r].suffix);
    add_access(k, store, false, width, patterns[p].mask, first, step);
    add_access(k, "MEMBAR.SC.GPU", false, 0, 0xffffffff, 0, 0);
    snprintf(k->line[1], sizeof k->line[1], "ffffffff 0 MEMBAR.SC.GPU 0 0");
    add_access(k, load, true, widths[r].bytes, patterns[p].mask, first + (uint64_t)offset, step);
    add_access(k, load, true, widths[r].bytes, patterns[p].mask, first, step);
}

static void add_all(void)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (unsigned w = 0; w < (kinds[i].sized ? 5u : 1u); w++)
            for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
                add_combination(&kinds[i], w, p);
    for (unsigned w = 0; w < 5; w++)
        for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
            for (unsigned r = 0; r <= w; r++) {
                add_write_then_read(w, p, r, 0);
                add_write_then_read(w, p, r, 16);
            }
}

/* ---- the traces ---- */

static void write_one(unsigned i)
{
    char path[128];
    snprintf(path, sizeof path, "%s/kernel-%u.traceg", where, i + 1);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "-kernel name = k%u\n-kernel id = %u\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
            "-shmem = 8192\n-nregs = 40\n-binary version = 90\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007d0000000000\n"
            "-nvbit version = 1.7.7.1\n-accelsim tracer version = 5\n\n"
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] [mem_addresses]\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n"
            "warp = 0\ninsts = %u\n",
            i, i + 1, kernel[i].n + 1);
    for (unsigned k = 0; k < kernel[i].n; k++)
        fprintf(f, "%04x %s\n", k * 16, kernel[i].line[k]);
    fprintf(f, "%04x ffffffff 0 EXIT 0 0\n\n#END_TB\n\n", kernel[i].n * 16);
    fclose(f);
}

static struct strata_trace *all;

static int write_traces(void **state)
{
    (void)state;
    char path[128];
    struct strata_error err;
    strcpy(where, "/tmp/strata-agree-XXXXXX");
    assert_non_null(mkdtemp(where));
    add_all();
    snprintf(path, sizeof path, "%s/kernelslist.g", where);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (unsigned i = 0; i < n_kernels; i++) {
        fprintf(f, "kernel-%u.traceg\n", i + 1);
        write_one(i);
    }
    fclose(f);
    if (strata_trace_open(path, NULL, &all, &err))
        fail_msg("%s", err.message);
    build_machine(&machine[0], modern);
    build_machine(&machine[1], classic);
    build_machine(&machine[2], odd);
    assert_true(set_key(&machine[0], "l1.write_policy=through-allocate"));
    /* Room for all: what waits for an MSHR, and which line leaves a full set, is decided by time.
     */
    assert_true(set_key(&machine[1], "l1.mshr_merges=0"));
    assert_true(set_key(&machine[2], "l1.ways=64") && set_key(&machine[2], "l1.size=128KiB") &&
                set_key(&machine[2], "l1.replacement=lru"));
    return 0;
}

static int remove_traces(void **state)
{
    (void)state;
    char command[128];
    strata_trace_close(all);
    snprintf(command, sizeof command, "rm -rf %s", where);
    return system(command);
}

/* ---- comparing ---- */

static const char *const counted_by_all[] = {
    "smsp__inst_executed.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
};
static const char *const decided_by_order[] = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
    "l1tex__m_xbar2l1tex_read_sectors.sum",
    "l1tex__m_l1tex2xbar_write_sectors.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
};

static struct strata_result predict(const struct strata_gpu *g, const char *model, size_t launch)
{
    struct strata_model_options opt = {
        .seed = 1, .threads = 1, .variant = strcmp(model, "reuse") ? NULL : "hierarchy"};
    struct strata_reader *reader;
    struct strata_result r;
    struct strata_error err;
    assert_int_equal(strata_reader_open(all, launch, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&r, strata_trace_launch(all, launch), &err), STRATA_OK);
    if (strata_model_find(model)->run(g, reader, &opt, &r, &err))
        fail_msg("%s", err.message);
    strata_reader_close(reader);
    return r;
}

static unsigned n_different;

static void compare(const struct strata_result *a, const struct strata_result *b, const char *model,
                    const char *metric, unsigned m, unsigned i)
{
    double x = -1, y = -1;
    if (!strata_result_get(a, metric, &x) || !strata_result_get(b, metric, &y)) {
        fail_msg("%s has no %s", model, metric);
    } else if (x != y && n_different++ < 40) {
        print_message("machine %u: %s: %g, %s %g\n", m, metric, x, model, y);
        for (unsigned k = 0; k < kernel[i].n; k++)
            print_message("    %s\n", kernel[i].line[k]);
    }
}

#define COUNT(list) (sizeof list / sizeof list[0])

static void models_agree_on_a_kernel(unsigned m, unsigned i)
{
    static const char *const model[] = {"reuse", "flow", "sim"};
    struct strata_result first = predict(&machine[m], "coalesce", i), r[3];
    for (unsigned k = 0; k < 3; k++) {
        r[k] = predict(&machine[m], model[k], i);
        for (unsigned c = 0; c < COUNT(counted_by_all); c++)
            compare(&first, &r[k], model[k], counted_by_all[c], m, i);
        for (unsigned c = 0; kernel[i].ordered && k && c < COUNT(decided_by_order); c++)
            compare(&r[0], &r[k], model[k], decided_by_order[c], m, i);
    }
    for (unsigned k = 0; k < 3; k++)
        strata_result_release(&r[k]);
    strata_result_release(&first);
}

static void every_model_counts_every_access_alike(void **state)
{
    (void)state;
    for (unsigned m = 0; m < N_MACHINES; m++)
        for (unsigned i = 0; i < n_kernels; i++)
            models_agree_on_a_kernel(m, i);
    print_message("%u kernels on %d machines, %u differences\n", n_kernels, N_MACHINES,
                  n_different);
    assert_int_equal(n_different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_counts_every_access_alike),
    };
    return cmocka_run_group_tests(tests, write_traces, remove_traces);
}
