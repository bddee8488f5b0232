/* Data that a thread wrote and reads back, as an H200 counted it (part_probe.cu and narrow_probe.cu
 * of device/probe). In part_probe.cu each thread owns 64 bytes, writes its first W words one store
 * at a time and reads its first R words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/gpu.h>
#include <strata/result.h>
#include <strata/trace.h>

enum { BLOCKS = 8, WARPS = 16, THREAD_BYTES = 64 };

/* What Nsight Compute counted: sectors of loads, and those that had to be fetched. The rest of one
 * launch's second round (piece<2,2>, twice: 3,328 sectors) is not explained and not here. */
static const struct piece {
    unsigned written, read, rounds;
    double load_sectors, fetched_sectors;
} pieces[] = {{1, 1, 1, 4096, 0},     {4, 4, 1, 16384, 96},    {8, 8, 1, 32768, 32},
              {4, 8, 1, 32768, 4096}, {16, 16, 1, 65536, 320}, {8, 8, 4, 131072, 288}};
enum { N_PIECES = sizeof pieces / sizeof pieces[0] };

/* Pairs of words that a warp reads and writes while the reads are on their way, 64 of them eight
 * times over, in the order of rmw_probe.cu's machine code: what the H200's L1 counted as hits. The
 * first with one lane, the second with 32 lanes side by side. */
static const struct race {
    uint32_t mask;
    unsigned pair_step_bytes;
    double load_sectors, hits;
} races[] = {{1, 8, 1024, 256}, {UINT32_MAX, 256, 8192, 3840}};
enum { N_RACES = sizeof races / sizeof races[0], RACE_ROWS = 8, RACE_PAIRS = 64 };

/* Stores of `width` bytes, `stores` of them one after the other, by lanes `apart` bytes from one
 * another, of four lines by each of eight warps, then the first of them read: sectors that one of
 * the 132 blocks of narrow_probe.cu fetched (device/probe/results/h200-narrow.csv). */
static const struct narrow {
    unsigned width, stores, apart;
    double load_sectors, fetched_sectors;
} narrows[] = {{1, 4, 4, 128, 128}, {1, 1, 1, 32, 0}, {1, 1, 2, 64, 64},
               {2, 2, 4, 128, 128}, {2, 1, 2, 64, 0}, {4, 1, 4, 128, 0}};
enum { N_NARROWS = sizeof narrows / sizeof narrows[0], NARROW_WARPS = 8, NARROW_LINES = 4 };

/* What a warp does to a line between two loads of it that wait for one another, with how many
 * lanes: sectors that a warp of around_probe.cu got for it (device/probe/results/h200-around.csv).
 */
static const struct around {
    const char *access;
    uint32_t mask;
    double fetched_sectors;
} arounds[] = {{"1 R5 LDG.E", 1, 4},
               {"1 R5 LDG.E.STRONG.GPU", 1, 9},
               {"1 R5 LDG.E.STRONG.GPU", UINT32_MAX, 12},
               {"1 R5 ATOMG.E.ADD.STRONG.GPU", 1, 9},
               {"0 RED.E.ADD.STRONG.GPU", 1, 8}};
enum { N_AROUNDS = sizeof arounds / sizeof arounds[0] };

static struct strata_gpu h200;
static struct strata_trace *trace;
static char folder[64];

static void write_warp(FILE *f, const struct piece *p, unsigned block, unsigned warp)
{
    uint64_t base = 0x7f1000000000 + (uint64_t)(block * WARPS + warp) * 32 * THREAD_BYTES;
    unsigned pc = 0, n = p->rounds * (p->written + p->read + 2) + 1;
    fprintf(f, "warp = %u\ninsts = %u\n", warp, n);
    for (unsigned round = 0; round < p->rounds; round++) {
        for (unsigned i = 0; i < p->written; i++, pc += 16)
            fprintf(f, "%04x ffffffff 0 STG.E 2 R2 R4 4 1 0x%llx %d\n", pc,
                    (unsigned long long)(base + i * 4), THREAD_BYTES);
        fprintf(f, "%04x ffffffff 0 BAR.SYNC 0 0\n", pc), pc += 16;
        for (unsigned i = 0; i < p->read; i++, pc += 16)
            fprintf(f, "%04x ffffffff 1 R%u LDG.E 1 R2 4 1 0x%llx %d\n", pc, 8 + i,
                    (unsigned long long)(base + i * 4), THREAD_BYTES);
        fprintf(f, "%04x ffffffff 0 BAR.SYNC 0 0\n", pc), pc += 16;
    }
    fprintf(f, "%04x ffffffff 0 EXIT 0 0\n\n", pc);
}

static void write_race_access(FILE *f, const struct race *r, unsigned *pc, char what, unsigned pair,
                              unsigned word)
{
    unsigned long long at = 0x7f1000000000 + (uint64_t)pair * r->pair_step_bytes + word * 4;
    if (what == 'L')
        fprintf(f, "%04x %08x 1 R%u LDG.E 1 R2 4 1 0x%llx 8\n", *pc, r->mask,
                8 + pair % 4 * 2 + word, at);
    else
        fprintf(f, "%04x %08x 0 STG.E 2 R2 R4 4 1 0x%llx 8\n", *pc, r->mask, at);
    *pc += 16;
}

/* Of four pairs the first two are read as a whole before they are written. The sum of what was read
 * ends each four. */
static void write_race_warp(FILE *f, const struct race *r)
{
    static const char *const order[] = {"L0L1S0S1", "L0L1S0S1", "L0S0L1S1", "L0S0L1S1"};
    unsigned pc = 0;
    fprintf(f, "warp = 0\ninsts = %d\n", RACE_ROWS * RACE_PAIRS / 4 * 19 + 1);
    for (unsigned row = 0; row < RACE_ROWS; row++)
        for (unsigned pair = 0; pair < RACE_PAIRS; pair++) {
            for (const char *step = order[pair % 4]; *step; step += 2)
                write_race_access(f, r, &pc, step[0], pair, (unsigned)(step[1] - '0'));
            for (unsigned i = 0; pair % 4 == 3 && i < 3; i++, pc += 16)
                fprintf(f, "%04x %08x 1 R2 IADD3 3 R%u R%u R%u 0\n", pc, r->mask, 8 + i * 3,
                        9 + i * 3, i < 2 ? 10 + i * 3 : 8);
        }
    fprintf(f, "%04x %08x 0 EXIT 0 0\n\n", pc, r->mask);
}

static FILE *begin_kernel(unsigned k, unsigned blocks, unsigned threads)
{
    char path[128];
    snprintf(path, sizeof path, "%s/kernel-%u.traceg", folder, k + 1);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "-kernel name = piece%u\n-kernel id = %u\n-grid dim = (%u,1,1)\n-block dim = "
            "(%u,1,1)\n-shmem = 0\n-nregs = 40\n-binary version = 90\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007d0000000000\n"
            "-nvbit version = 1.7.7.1\n-accelsim tracer version = 5\n\n"
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] [mem_addresses]\n\n",
            k, k + 1, blocks, threads);
    return f;
}

static void write_race(unsigned k)
{
    FILE *f = begin_kernel(N_PIECES + k, 1, 32);
    fprintf(f, "#BEGIN_TB\n\nthread block = 0,0,0\n\n");
    write_race_warp(f, &races[k]);
    fprintf(f, "#END_TB\n\n");
    fclose(f);
}

static void write_narrow_warp(FILE *f, const struct narrow *n, unsigned warp)
{
    static const char *const width[] = {"", ".U8", ".U16", "", ""};
    unsigned pc = 0;
    fprintf(f, "warp = %u\ninsts = %u\n", warp, NARROW_LINES * (n->stores + 1) + 2);
    for (unsigned line = 0; line < NARROW_LINES; line++)
        for (unsigned i = 0; i < n->stores; i++, pc += 16)
            fprintf(f, "%04x ffffffff 0 STG.E%s 2 R2 R4 %u 1 0x%x %u\n", pc, width[n->width],
                    n->width, 0x70000000u + warp * 1024 + line * 128 + i * n->width, n->apart);
    fprintf(f, "%04x ffffffff 0 BAR.SYNC 0 0\n", pc), pc += 16;
    for (unsigned line = 0; line < NARROW_LINES; line++, pc += 16)
        fprintf(f, "%04x ffffffff 1 R%u LDG.E%s 1 R2 %u 1 0x%x %u\n", pc, 8 + line, width[n->width],
                n->width, 0x70000000u + warp * 1024 + line * 128, n->apart);
    fprintf(f, "%04x ffffffff 0 EXIT 0 0\n\n", pc);
}

static void write_narrow(unsigned k)
{
    FILE *f = begin_kernel(N_PIECES + N_RACES + k, 1, NARROW_WARPS * 32);
    fprintf(f, "#BEGIN_TB\n\nthread block = 0,0,0\n\n");
    for (unsigned w = 0; w < NARROW_WARPS; w++)
        write_narrow_warp(f, &narrows[k], w);
    fprintf(f, "#END_TB\n\n");
    fclose(f);
}

static void write_around(unsigned k)
{
    const struct around *a = &arounds[k];
    FILE *f = begin_kernel(N_PIECES + N_RACES + N_NARROWS + k, 1, 32);
    fprintf(f, "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 6\n"
               "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x70000000 4\n"
               "0010 ffffffff 1 R2 IADD3 2 R4 R2 0\n");
    fprintf(f, "0020 %08x %s 2 R2 R4 4 1 0x70000000 4\n", a->mask, a->access);
    fprintf(f, "0030 ffffffff 1 R2 IADD3 2 R5 R2 0\n"
               "0040 ffffffff 1 R6 LDG.E 1 R2 4 1 0x70000000 4\n"
               "0050 ffffffff 0 EXIT 0 0\n\n#END_TB\n\n");
    fclose(f);
}

static void write_kernel(unsigned k)
{
    FILE *f = begin_kernel(k, BLOCKS, WARPS * 32);
    for (unsigned b = 0; b < BLOCKS; b++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", b);
        for (unsigned w = 0; w < WARPS; w++)
            write_warp(f, &pieces[k], b, w);
        fprintf(f, "#END_TB\n\n");
    }
    fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    char path[700];
    struct strata_error err;
    snprintf(path, sizeof path, "%s/gpus", getenv("STRATA_SOURCE"));
    if (strata_gpu_add_path(path, NULL) || strata_gpu_load("h200", &h200, NULL))
        return 1;
    strcpy(folder, "/tmp/strata-part-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (unsigned k = 0; k < N_PIECES; k++) {
        fprintf(f, "kernel-%u.traceg\n", k + 1);
        write_kernel(k);
    }
    for (unsigned k = 0; k < N_RACES; k++) {
        fprintf(f, "kernel-%u.traceg\n", N_PIECES + k + 1);
        write_race(k);
    }
    for (unsigned k = 0; k < N_NARROWS; k++) {
        fprintf(f, "kernel-%u.traceg\n", N_PIECES + N_RACES + k + 1);
        write_narrow(k);
    }
    for (unsigned k = 0; k < N_AROUNDS; k++) {
        fprintf(f, "kernel-%u.traceg\n", N_PIECES + N_RACES + N_NARROWS + k + 1);
        write_around(k);
    }
    fclose(f);
    if (strata_trace_open(path, NULL, &trace, &err))
        fail_msg("%s", err.message);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    strata_trace_close(trace);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static double metric(const char *model, unsigned k, const char *name)
{
    struct strata_model_options opt = {
        .seed = 1, .threads = 1, .variant = strcmp(model, "reuse") ? NULL : "hierarchy"};
    struct strata_reader *reader;
    struct strata_result r;
    struct strata_error err;
    double value = -1;
    assert_int_equal(strata_reader_open(trace, k, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&r, strata_trace_launch(trace, k), &err), STRATA_OK);
    if (strata_model_find(model)->run(&h200, reader, &opt, &r, &err))
        fail_msg("%s", err.message);
    assert_true(strata_result_get(&r, name, &value));
    strata_result_release(&r);
    strata_reader_close(reader);
    return value;
}

/* The card fetches some hundred sectors more or less, none of them the same in two runs. */
static void written_bytes_are_read_back_without_a_fetch_and_others_fetch_their_sector(void **state)
{
    (void)state;
    static const char *const models[] = {"reuse", "flow", "sim"};
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < N_PIECES; k++) {
            double fetched = metric(models[m], k, "l1tex__m_xbar2l1tex_read_sectors.sum"),
                   asked = metric(models[m], k, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
            assert_true(asked == pieces[k].load_sectors);
            if (fetched > pieces[k].fetched_sectors + 384 ||
                fetched + 384 < pieces[k].fetched_sectors)
                fail_msg("%s: piece<%u,%u> fetches %g sectors, measured %g", models[m],
                         pieces[k].written, pieces[k].read, fetched, pieces[k].fetched_sectors);
        }
}

static void a_store_begins_a_line_anew_that_is_on_its_way(void **state)
{
    (void)state;
    static const char *const models[] = {"flow", "sim"};
    for (unsigned m = 0; m < 2; m++)
        for (unsigned k = 0; k < N_RACES; k++) {
            unsigned launch = N_PIECES + k;
            assert_true(
                races[k].load_sectors ==
                metric(models[m], launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
            assert_true(races[k].hits ==
                        metric(models[m], launch,
                               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"));
            assert_true(races[k].load_sectors - races[k].hits ==
                        metric(models[m], launch, "l1tex__m_xbar2l1tex_read_sectors.sum"));
        }
}

static void bytes_stored_to_a_word_that_is_not_there_are_not_kept(void **state)
{
    (void)state;
    static const char *const models[] = {"reuse", "flow", "sim"};
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < N_NARROWS; k++) {
            unsigned launch = N_PIECES + N_RACES + k;
            double fetched = metric(models[m], launch, "l1tex__m_xbar2l1tex_read_sectors.sum"),
                   asked =
                       metric(models[m], launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
            if (asked != narrows[k].load_sectors || fetched != narrows[k].fetched_sectors)
                fail_msg("%s: %u stores of %u bytes, lanes %u apart: %g of %g sectors fetched, "
                         "measured %g of %g",
                         models[m], narrows[k].stores, narrows[k].width, narrows[k].apart, fetched,
                         asked, narrows[k].fetched_sectors, narrows[k].load_sectors);
        }
}

static void what_goes_around_the_l1_leaves_nothing_of_its_line_there(void **state)
{
    (void)state;
    static const char *const models[] = {"reuse", "flow", "sim"};
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < N_AROUNDS; k++) {
            double fetched = metric(models[m], N_PIECES + N_RACES + N_NARROWS + k,
                                    "l1tex__m_xbar2l1tex_read_sectors.sum");
            if (fetched != arounds[k].fetched_sectors)
                fail_msg("%s: %s by lanes %x: %g sectors fetched, measured %g", models[m],
                         arounds[k].access, arounds[k].mask, fetched, arounds[k].fetched_sectors);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_bytes_are_read_back_without_a_fetch_and_others_fetch_their_sector),
        cmocka_unit_test(a_store_begins_a_line_anew_that_is_on_its_way),
        cmocka_unit_test(bytes_stored_to_a_word_that_is_not_there_are_not_kept),
        cmocka_unit_test(what_goes_around_the_l1_leaves_nothing_of_its_line_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
