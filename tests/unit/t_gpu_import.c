/* gpgpusim.config to named keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

static struct strata_gpu gpu;

struct seen {
    unsigned n;
    char options[600];
};

static void note(void *context, const char *option, const char *value, const char *why)
{
    struct seen *s = context;
    size_t used = strlen(s->options);
    s->n++;
    snprintf(s->options + used, sizeof s->options - used, "%s=%s (%s)\n", option, value, why);
}

static strata_status import(const char *text, struct seen *seen, struct strata_error *err)
{
    memset(seen, 0, sizeof *seen);
    strata_gpu_init(&gpu);
    return strata_gpu_import(text, strlen(text), "a.config", &gpu, note, seen, err);
}

static void the_volta_example_gives_what_the_simulator_prints_for_it(void **state)
{
    (void)state;
    char path[1024];
    struct strata_error err = {0};
    struct seen seen = {0};
    snprintf(path, sizeof path, "%s/tests/data/gpgpusim/volta.config", getenv("STRATA_SOURCE"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char text[8192];
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    strata_gpu_init(&gpu);
    if (strata_gpu_import(text, length, path, &gpu, note, &seen, &err) != STRATA_OK ||
        strata_gpu_validate(&gpu, path, &err) != STRATA_OK)
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    assert_int_equal(gpu.sm_version, 70);
    assert_int_equal(gpu.sm.count, 80);
    assert_int_equal(gpu.sm.scheduler_policy, STRATA_SCHED_LRR);
    assert_int_equal(gpu.sm.latency_imad_cycles, 5);
    assert_int_equal(gpu.l1.cache.size_bytes, 128 << 10);
    assert_int_equal(gpu.l1.cache.ways, 256);
    assert_int_equal(gpu.l1.n_carveout, 6);
    assert_int_equal(gpu.l1.write_policy, STRATA_WRITE_THROUGH_ALLOCATE);
    assert_int_equal(gpu.l2.slices, 64);
    assert_int_equal(gpu.l2.cache.size_bytes, 6 << 20);
    assert_int_equal(gpu.l2.cache.index_hash, STRATA_INDEX_IPOLY);
    assert_int_equal(gpu.dram.tRAS, 28);
    assert_int_equal(gpu.dram.tRTPL, 3);
    assert_true(gpu.dram.dual_command_bus);
    assert_true(strata_gpu_dram_bytes_per_second(&gpu) == 870.4e9);
    assert_string_equal(strata_gpu_source(&gpu, strata_gpu_find_key("l1.mshrs")),
                        "option -gpgpu_cache:dl1");
    assert_int_equal(seen.n, 4);
}

static void older_caches_and_ordered_timing_are_understood(void **state)
{
    (void)state;
    struct strata_error err = {0};
    struct seen seen;
    assert_int_equal(import("-gpgpu_cache:dl1 32:128:4,L:L:m:N:H,A:32:8,8\n"
                            "-gpgpu_dram_timing_opt 16:2:6:12:28:12:40:12:4:5:12:4:3:2\n"
                            "-gpgpu_ptx_force_max_capability 20 -gpgpu_coalesce_arch 13",
                            &seen, &err),
                     STRATA_OK);
    assert_int_equal(gpu.sm_version, 20);
    assert_int_equal(gpu.coalesce.rule, STRATA_COALESCE_FERMI);
    assert_int_equal(gpu.l1.cache.size_bytes, 16384);
    assert_int_equal(gpu.l1.cache.sector_bytes, 128);
    assert_int_equal(gpu.l1.cache.index_hash, STRATA_INDEX_FERMI);
    assert_int_equal(gpu.l1.write_policy, STRATA_WRITE_THROUGH_NO_ALLOCATE);
    assert_int_equal(gpu.l1.mshrs, 32);
    assert_int_equal(gpu.dram.tRRD, 6);
    assert_int_equal(gpu.dram.bank_groups, 4);
    assert_int_equal(gpu.dram.tRTPL, 2);
    assert_int_equal(seen.n, 0);
}

static void a_trace_config_gives_latencies_and_intervals(void **state)
{
    (void)state;
    struct strata_error err = {0};
    struct seen seen;
    assert_int_equal(
        import(
            "-trace_opcode_latency_initiation_sfu 20,8\n-trace_opcode_latency_initiation_dp 8,4\n"
            "-specialized_unit_1 1,4,4,4,4,BRA\n",
            &seen, &err),
        STRATA_OK);
    assert_int_equal(gpu.sm.latency_sfu_cycles, 20);
    assert_int_equal(gpu.sm.interval_fp64_cycles, 4);
    assert_string_equal(
        seen.options,
        "-specialized_unit_1=1,4,4,4,4,BRA (special units have no keys of their own)\n");
}

static void a_cache_can_be_switched_off(void **state)
{
    (void)state;
    struct strata_error err = {0};
    struct seen seen;
    assert_int_equal(import("-gpgpu_cache:dl1 none", &seen, &err), STRATA_OK);
    assert_false(gpu.l1.enabled);
    assert_int_equal(import("-gpgpu_gmem_skip_L1D 1", &seen, &err), STRATA_OK);
    assert_false(gpu.l1.enabled);
}

static void every_error_names_its_place_and_cause(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"hello\n",
         "a.config:1:1: an option such as -gpgpu_n_mem belongs here; is this a gpgpusim.config?"},
        {"-a 1 2\n",
         "a.config:1:6: an option such as -gpgpu_n_mem belongs here; is this a gpgpusim.config?"},
        {"# x\n-gpgpu_n_mem\n",
         "a.config:2:1: the option -gpgpu_n_mem has no value; is the file complete?"},
        {"-gpgpu_n_mem -x 1\n",
         "a.config:1:1: the option -gpgpu_n_mem has no value; is the file complete?"},
        {"-x \"a\nb", "a.config:1:4: the quote that opens here is not closed."},
        {"-gpgpu_clock_domains 1:2:3\n",
         "a.config:1:22: -gpgpu_clock_domains 1:2:3: the numbers in it cannot be read."},
        {"-gpgpu_n_clusters many\n",
         "a.config:1:19: -gpgpu_n_clusters many: the numbers in it cannot be read."},
        {"-gpgpu_n_clusters 999\n",
         "a.config:1:19: -gpgpu_n_clusters 999: the GPU key \"sm.count\" cannot be set: \"999\" is "
         "above the most allowed, 256."},
        {"-gpgpu_cache:dl1 S:4\n", "a.config:1:18: -gpgpu_cache:dl1 S:4: this is not a cache such "
                                   "as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32."},
        {"-gpgpu_cache:dl1 S:4:128:64,Z:T:m:L:L,A:512:8\n",
         "a.config:1:18: -gpgpu_cache:dl1 S:4:128:64,Z:T:m:L:L,A:512:8: the letter Z is not known "
         "here as replacement."},
        {"-gpgpu_dram_timing_opt nbk=16:XYZ=3\n",
         "a.config:1:24: -gpgpu_dram_timing_opt nbk=16:XYZ=3: it has a field that is not known "
         "here."},
        {"-gpgpu_memory_partition_indexing 3\n",
         "a.config:1:34: -gpgpu_memory_partition_indexing 3: this choice is not known here."},
        {"-gpgpu_shader_core_pipeline 1024:0\n",
         "a.config:1:29: -gpgpu_shader_core_pipeline 1024:0: a warp has no threads."},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct strata_error err = {0};
        struct seen seen;
        char text[1400];
        if (import(bad[i].text, &seen, &err) == STRATA_OK)
            fail_msg("accepted: %s", bad[i].text);
        strata_error_text(&err, text, sizeof text);
        assert_string_equal(text, bad[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_volta_example_gives_what_the_simulator_prints_for_it),
        cmocka_unit_test(older_caches_and_ordered_timing_are_understood),
        cmocka_unit_test(a_trace_config_gives_latencies_and_intervals),
        cmocka_unit_test(a_cache_can_be_switched_off),
        cmocka_unit_test(every_error_names_its_place_and_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
