/* t_interval_profile.c - profiles of real launches: stored, read back, evaluated for other GPUs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/interval.h>

static struct strata_gpu gpu;
static struct strata_interval_profile *profile;
static char stored[64];

static void source_path(char *out, size_t size, const char *relative)
{
    const char *source = getenv("STRATA_SOURCE");
    snprintf(out, size, "%s/%s", source ? source : ".", relative);
}

static void add_trace(struct strata_interval_profile *p, const struct strata_gpu *g,
                      const char *relative)
{
    char path[4096];
    struct strata_trace *t;
    struct strata_reader *r;
    source_path(path, sizeof path, relative);
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    for (size_t i = 0; i < strata_trace_launch_count(t); i++) {
        assert_int_equal(strata_reader_open(t, i, &r, NULL), STRATA_OK);
        assert_int_equal(strata_interval_profile_launch(p, g, r, 1, NULL), STRATA_OK);
        strata_reader_close(r);
    }
    strata_trace_close(t);
}

static int set_up(void **state)
{
    char path[4096];
    source_path(path, sizeof path, "gpus/h200.yaml");
    assert_int_equal(strata_gpu_load(path, &gpu, NULL), STRATA_OK);
    assert_int_equal(strata_interval_create(&profile, NULL), STRATA_OK);
    add_trace(profile, &gpu, "tests/data/ml_sgemm.strata");
    add_trace(profile, &gpu, "tests/data/rod_bfs.strata");
    snprintf(stored, sizeof stored, "/tmp/t_interval_profile.%d", (int)getpid());
    return 0;
}

static int tear_down(void **state)
{
    strata_interval_destroy(profile);
    unlink(stored);
    return 0;
}

static void a_stored_profile_gives_the_same_bits(void **state)
{
    struct strata_interval_profile *again;
    assert_int_equal(strata_interval_save(profile, stored, NULL), STRATA_OK);
    assert_int_equal(strata_interval_load(stored, &again, NULL), STRATA_OK);
    assert_int_equal(strata_interval_count(again), strata_interval_count(profile));
    for (size_t i = 0; i < strata_interval_count(profile); i++)
        for (int v = 0; v < STRATA_INTERVAL_N_VARIANTS; v++) {
            struct strata_interval_result a, b;
            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            strata_interval_evaluate(profile, i, &gpu, (enum strata_interval_variant)v, &a);
            strata_interval_evaluate(again, i, &gpu, (enum strata_interval_variant)v, &b);
            assert_true(a.cycles == b.cycles && a.cpi == b.cpi && a.divergent == b.divergent);
        }
    strata_interval_destroy(again);
}

static void the_stack_of_every_launch_sums_to_its_total(void **state)
{
    for (size_t i = 0; i < strata_interval_count(profile); i++)
        for (int v = 0; v < STRATA_INTERVAL_N_VARIANTS; v++) {
            struct strata_interval_result r;
            strata_interval_evaluate(profile, i, &gpu, (enum strata_interval_variant)v, &r);
            const struct strata_interval_stack *s = &r.stack;
            assert_true(s->base + s->other_warps + s->compute_dependence + s->l1 + s->l2 + s->dram +
                            s->mshr + s->noc_queue + s->dram_queue + s->idle ==
                        s->total_cycles);
            assert_true(s->total_cycles / r.instructions_per_sm == r.cpi);
            assert_true(r.cycles > 0 && isfinite(r.cycles));
            assert_true(r.ipc_sm <= gpu.sm.schedulers * gpu.sm.issue_per_scheduler * (1 + 1e-12));
        }
}

/* Evaluating for other latencies is a shortcut; a profile made with them is the truth. */
static void other_latencies_come_near_a_new_profile(void **state)
{
    struct strata_gpu slow = gpu;
    struct strata_interval_profile *fresh;
    slow.l2.hit_cycles += 100;
    slow.dram.access_cycles += 200;
    assert_int_equal(strata_interval_create(&fresh, NULL), STRATA_OK);
    add_trace(fresh, &slow, "tests/data/ml_sgemm.strata");
    for (size_t i = 0; i < strata_interval_count(fresh); i++) {
        struct strata_interval_result before, shortcut, truth;
        strata_interval_evaluate(profile, i, &gpu, STRATA_INTERVAL_MDM, &before);
        strata_interval_evaluate(profile, i, &slow, STRATA_INTERVAL_MDM, &shortcut);
        strata_interval_evaluate(fresh, i, &slow, STRATA_INTERVAL_MDM, &truth);
        assert_true(truth.cycles > before.cycles);
        assert_true(fabs(shortcut.cycles / truth.cycles - 1) < 0.03);
    }
    strata_interval_destroy(fresh);
}

/* But for the end of a launch, which the front end hears of from each SM. */
static void less_bandwidth_and_fewer_sms_never_help(void **state)
{
    struct strata_gpu full = gpu;
    full.launch.drain_sm_cycles = full.launch.drain_warp_cycles = 0;
    for (size_t i = 0; i < strata_interval_count(profile); i++) {
        struct strata_interval_result whole, half;
        struct strata_gpu narrow = full;
        strata_interval_evaluate(profile, i, &full, STRATA_INTERVAL_DEFAULT, &whole);
        narrow.dram.channels /= 4;
        strata_interval_evaluate(profile, i, &narrow, STRATA_INTERVAL_DEFAULT, &half);
        assert_true(half.cycles >= whole.cycles);
        narrow = full;
        narrow.sm.count /= 2;
        strata_interval_evaluate(profile, i, &narrow, STRATA_INTERVAL_DEFAULT, &half);
        assert_true(half.cycles >= whole.cycles * (1 - 1e-12));
    }
}

static void write_text(const char *text)
{
    FILE *f = fopen(stored, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void a_damaged_profile_is_refused(void **state)
{
    struct strata_interval_profile *p;
    struct strata_error err;
    write_text("{\"format\": \"something else\"}");
    assert_int_equal(strata_interval_load(stored, &p, &err), STRATA_EFORMAT);
    write_text("{\"format\": \"strata.interval-profile/2\", \"launches\": [{\"program\": \"a\"}]}");
    assert_int_equal(strata_interval_load(stored, &p, &err), STRATA_EFORMAT);
    write_text("{");
    assert_int_equal(strata_interval_load(stored, &p, &err), STRATA_EFORMAT);
}

/* The scripts' rules change the intervals and MDM's batches; both come back from a file. */
static void the_scripts_rules_stay_with_a_profile(void **state)
{
    struct strata_interval_profile *scripts, *again;
    struct strata_interval_result paper, a, b;
    assert_int_equal(strata_interval_create(&scripts, NULL), STRATA_OK);
    strata_interval_follow_scripts(scripts, true);
    add_trace(scripts, &gpu, "tests/data/rod_bfs.strata");
    assert_int_equal(strata_interval_save(scripts, stored, NULL), STRATA_OK);
    assert_int_equal(strata_interval_load(stored, &again, NULL), STRATA_OK);
    size_t first = strata_interval_count(profile) -
                   strata_interval_count(scripts); /* the same launch in `profile` */
    strata_interval_evaluate(profile, first, &gpu, STRATA_INTERVAL_MDM, &paper);
    strata_interval_evaluate(scripts, 0, &gpu, STRATA_INTERVAL_MDM, &a);
    strata_interval_evaluate(again, 0, &gpu, STRATA_INTERVAL_MDM, &b);
    assert_true(a.cycles == b.cycles);
    assert_true(a.cycles != paper.cycles && a.instructions == paper.instructions);
    strata_interval_destroy(scripts);
    strata_interval_destroy(again);
}

/* The slowest warp of a launch follows latencies like the one that stands for all. */
static void a_slower_l2_is_never_free(void **state)
{
    struct strata_gpu slow = gpu;
    slow.l2.hit_cycles += 200;
    for (size_t i = 0; i < strata_interval_count(profile); i++) {
        struct strata_interval_result a, b;
        strata_interval_evaluate(profile, i, &gpu, STRATA_INTERVAL_DEFAULT, &a);
        strata_interval_evaluate(profile, i, &slow, STRATA_INTERVAL_DEFAULT, &b);
        assert_true(b.cycles > a.cycles);
    }
}

static void variants_have_names(void **state)
{
    enum strata_interval_variant v;
    for (int i = 0; i < STRATA_INTERVAL_N_VARIANTS; i++) {
        assert_true(strata_interval_variant_find(
            strata_interval_variant_name((enum strata_interval_variant)i), &v));
        assert_int_equal(v, i);
    }
    assert_true(strata_interval_variant_find(NULL, &v));
    assert_int_equal(v, STRATA_INTERVAL_DEFAULT);
    assert_false(strata_interval_variant_find("mdm+", &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_profile_gives_the_same_bits),
        cmocka_unit_test(the_stack_of_every_launch_sums_to_its_total),
        cmocka_unit_test(other_latencies_come_near_a_new_profile),
        cmocka_unit_test(less_bandwidth_and_fewer_sms_never_help),
        cmocka_unit_test(a_damaged_profile_is_refused),
        cmocka_unit_test(the_scripts_rules_stay_with_a_profile),
        cmocka_unit_test(a_slower_l2_is_never_free),
        cmocka_unit_test(variants_have_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
