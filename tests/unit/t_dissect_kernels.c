/* Kernels through the models that predict: what they find must be the GPU file (paper 002: Mei and
 * Chu, Dissecting GPU Memory Hierarchy through Microbenchmarking). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/dissect.h>
#include <strata/gpu.h>

static struct strata_gpu gpu;

static void load(const char *name)
{
    struct strata_error err;
    if (strata_gpu_load(name, &gpu, &err))
        fail_msg("%s", err.message);
}

static int add_path(void **state)
{
    char folder[600];
    (void)state;
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL);
}

static void measure(const char *model, struct strata_dissection *d)
{
    struct strata_probe_set set;
    struct strata_error err;
    memset(d, 0, sizeof *d);
    if (strata_kernel_target_measure(&gpu, model, 1, &set, d, &err) ||
        strata_dissect_set(&set, d, &err))
        fail_msg("%s", err.message);
    strata_probe_release(&set);
}

static const char *value(const struct strata_dissection *d, const char *name)
{
    const struct strata_fact *f = strata_dissection_find(d, name);
    return f && f->finding.known ? f->value : "";
}

static void is_near(const struct strata_dissection *d, const char *name, double wanted,
                    double share)
{
    double x = atof(value(d, name));
    if (x < wanted * (1 - share) || x > wanted * (1 + share))
        fail_msg("%s is %s, not %g", name, value(d, name), wanted);
}

static void is_fermi(const struct strata_dissection *d)
{
    assert_string_equal(value(d, "l1.size"), "16384");
    assert_string_equal(value(d, "l1.line"), "128");
    assert_string_equal(value(d, "l1.sets"), "32");
    assert_string_equal(value(d, "l1.ways"), "4");
    assert_string_equal(value(d, "l1.set_bits"), "7^13, 8^14, 9^15, 10^17, 11^19");
    assert_string_equal(value(d, "l1.replacement"), "weighted");
    is_near(d, "l1.hit", gpu.l1.hit_cycles, 0.03);
    assert_string_equal(value(d, "l1.mshrs"), "64");
    is_near(d, "l2.hit", gpu.l2.hit_cycles, 0.03);
    is_near(d, "dram.access", gpu.dram.access_cycles, 0.03);
    assert_string_equal(value(d, "coalesce.granularity"), "128");
    assert_string_equal(value(d, "shared.conflict_rule_4"), "gcd(stride, 32)");
    is_near(d, "shared.latency", gpu.shared.latency_cycles, 0.03);
    is_near(d, "shared.conflict_cycles_4", gpu.shared.pass_cycles, 0.03);
    is_near(d, "shared.peak", 0.574 * 64, 0.1); /* Table 7 */
}

static void flow_and_sim_are_the_fermi_of_the_file(void **state)
{
    (void)state;
    struct strata_dissection d;
    load("gtx560ti");
    measure("flow", &d);
    is_fermi(&d);
    is_near(&d, "copy.peak_rate", 109.38, 0.15); /* Table 6 */
    strata_dissection_release(&d);
    measure("sim", &d);
    is_fermi(&d);
    is_near(&d, "copy.peak_rate", 109.38, 0.33);
    strata_dissection_release(&d);
}

/* Section 6: Kepler halves the ways and reaches a third of its peak. */
static void keplers_shared_memory_is_that_of_the_text(void **state)
{
    (void)state;
    struct strata_dissection d;
    load("gtx780");
    measure("flow", &d);
    assert_string_equal(value(&d, "shared.conflict_rule_4"), "gcd(stride, 32) / 2");
    assert_string_equal(value(&d, "shared.conflict_rule_8"), "gcd(stride, 32) / 2");
    is_near(&d, "shared.peak", 0.325 * 256, 0.33);
    is_near(&d, "copy.peak_rate", 215.92, 0.15);
    is_near(&d, "l2.hit", gpu.l2.hit_cycles, 0.03);
    strata_dissection_release(&d);
}

/* "Where there is a 32-way bank conflict, it takes much longer to access shared memory than regular
 * global memory (TLB hit, cache miss)" on Fermi and Kepler; on Maxwell it is "at the same level as
 * L1". */
static void conflicts_of_32_ways_cost_what_section_6_says(void **state)
{
    (void)state;
    static const char *const cards[] = {"gtx560ti", "gtx780", "gtx980"};
    for (int i = 0; i < 3; i++) {
        load(cards[i]);
        uint32_t ways = gpu.shared.bank_mode == STRATA_BANKS_8B ? 16 : 32;
        double longest = gpu.shared.latency_cycles + gpu.shared.pass_cycles * (ways - 1.0),
               global = gpu.l2.hit_cycles + gpu.dram.access_cycles;
        if (i < 2)
            assert_true(longest > 1.5 * global);
        else
            assert_true(longest > 0.8 * gpu.l1.hit_cycles && longest < 1.25 * gpu.l1.hit_cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_and_sim_are_the_fermi_of_the_file),
        cmocka_unit_test(keplers_shared_memory_is_that_of_the_text),
        cmocka_unit_test(conflicts_of_32_ways_cost_what_section_6_says),
    };
    return cmocka_run_group_tests(tests, add_path, NULL);
}
