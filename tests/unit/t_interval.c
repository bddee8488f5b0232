/* t_interval.c - the interval model's arithmetic against published numbers: contention terms,
 * warps, intervals, clusters, paths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interval/model.h"

static void near(double got, double expected, double relative)
{
    double scale = fabs(expected) > 1e-300 ? fabs(expected) : 1;
    if (!(fabs(got - expected) <= relative * scale))
        fail_msg("%.17g is not %.17g within %g", got, expected, relative);
}
#define EXACT  1e-14
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- intervals ---- */

struct step {
    int dst, src[2];
    double latency;
};
static const struct step twelve[] = {{1, {0, 0}, 6},     {2, {1, 0}, 6},   {3, {2, 0}, 420},
                                     {4, {1, 0}, 6},     {5, {4, 0}, 6},   {6, {3, 5}, 6},
                                     {7, {6, 0}, 120.5}, {8, {1, 0}, 420}, {9, {7, 8}, 6},
                                     {0, {9, 2}, 6},     {10, {9, 0}, 6},  {0, {0, 0}, 6}};

static void build(struct interval_builder *b, enum interval_rule rule)
{
    assert_int_equal(interval_builder_init(b, rule, 16, NULL), STRATA_OK);
    for (size_t k = 0; k < LEN(twelve); k++) {
        uint16_t src[2] = {(uint16_t)twelve[k].src[0], (uint16_t)twelve[k].src[1]},
                 dst = (uint16_t)twelve[k].dst;
        assert_int_equal(interval_issue(b, src, 2, 0, 0, NULL), STRATA_OK);
        interval_write(b, &dst, dst ? 1 : 0, twelve[k].latency, (uint32_t)k + 1);
    }
    assert_int_equal(interval_finish(b, NULL), STRATA_OK);
}

static void expect_intervals(enum interval_rule rule, const double (*expected)[2], size_t n)
{
    struct interval_builder b;
    build(&b, rule);
    assert_int_equal(b.n, n);
    for (size_t i = 0; i < n; i++) {
        near(b.list[i].n, expected[i][0], 0);
        near(b.list[i].stall_cycles, expected[i][1], 0);
    }
    interval_builder_release(&b);
}

static void twelve_instructions_make_eight_intervals(void **state)
{
    static const double normative[][2] = {{1, 5}, {1, 5},   {2, 5}, {1, 412},
                                          {1, 5}, {2, 419}, {1, 5}, {3, 0}};
    expect_intervals(INTERVAL_NORMATIVE, normative, LEN(normative));
    struct interval_builder b;
    build(&b, INTERVAL_NORMATIVE);
    near(interval_sum(b.list, b.n, 1).stall_cycles, 856, 0);
    near(b.previous_cycle, 868, 0);
    assert_int_equal(b.cause_id[3], 3); /* the first long load */
    assert_int_equal(b.cause_id[5], 8); /* the third load, not the second */
    interval_builder_release(&b);
}

static void the_scripts_rules_are_reproduced(void **state)
{
    static const double sum[][2] = {{5, 436}, {3, 429}, {4, 0}},
                        ten[][2] = {{5, 413}, {3, 421}, {4, 0}};
    static const double any[][2] = {{1, 7}, {1, 7},   {2, 7}, {1, 413},
                                    {1, 7}, {2, 421}, {1, 7}, {3, 0}};
    expect_intervals(INTERVAL_GAP_10_SUM, sum, LEN(sum));
    expect_intervals(INTERVAL_GAP_10, ten, LEN(ten));
    expect_intervals(INTERVAL_ANY_GAP, any, LEN(any));
}

static void joining_equal_intervals_changes_no_sum(void **state)
{
    struct interval_builder b;
    build(&b, INTERVAL_NORMATIVE);
    size_t n = interval_join(b.list, b.n);
    assert_true(n < 8);
    struct interval_single s = interval_sum(b.list, n, 1);
    near(s.instructions, 12, 0);
    near(s.stall_cycles, 856, 0);
    near(s.n_intervals, 8, 0);
    interval_builder_release(&b);
}

/* ---- contention: the memory-divergent synthetic program ---- */

static const struct interval synthetic[] = {
    {.n = 20, .stall_cycles = 400, .count = 1, .read_misses = 1, .l2_read_misses = 1},
    {.n = 15, .stall_cycles = 350, .count = 1, .read_misses = 32, .l2_read_misses = 30},
    {.n = 30, .stall_cycles = 12, .count = 1, .write_requests = 4, .l2_write_misses = 4},
    {.n = 8,
     .stall_cycles = 500,
     .count = 1,
     .read_misses = 10,
     .write_requests = 2,
     .l2_read_misses = 7,
     .l2_write_misses = 2},
    {.n = 25, .stall_cycles = 0, .count = 1},
};

static struct interval_machine gtx1080(double noc)
{
    return (struct interval_machine){.warps = 64,
                                     .warps_per_scheduler = 16,
                                     .sms = 20,
                                     .issue_per_cycle = 1,
                                     .clock_ghz = 1.6,
                                     .noc_gbytes = noc,
                                     .dram_gbytes = 320,
                                     .line_bytes = 128,
                                     .mshrs = 128,
                                     .l2_cycles = 250,
                                     .dram_extra_cycles = 280,
                                     .l2_miss_ratio = 0.75};
}

static double ipc(const struct interval *list, size_t n, const struct interval_machine *m,
                  enum strata_interval_variant v)
{
    struct strata_interval_stack s;
    interval_stack(list, n, m, v, 30, &s);
    return m->warps * interval_sum(list, n, m->issue_per_cycle).instructions / s.total_cycles;
}

static void set_x_round_robin(void **state)
{
    struct interval_machine m = gtx1080(1050);
    near(interval_latency(&m), 460, 0);
    near(interval_sum(synthetic, 5, 1).probability, 0.07205882352941176, EXACT);
    near(interval_not_hidden(synthetic, 5, &m), 1413, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_GPUMECH), 0.5384338032038184, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_GPUMECH_PLUS), 0.28728424345210596, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM_QUEUE), 0.18253294731340075, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM_MSHR), 0.17355338055136402, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM), 0.10702282350766977, EXACT);
    m.fractional_batches = true; /* whole batches here: the scripts' form gives the same */
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM), 0.10702282350766977, EXACT);
}

static void set_x_greedy(void **state)
{
    struct interval_machine m = gtx1080(1050);
    m.greedy = true;
    near(interval_not_hidden(synthetic, 5, &m), 4744.938823529413, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_GPUMECH), 0.4186765291879078, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM_QUEUE), 0.16639756695994473, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM), 0.10126539649390019, EXACT);
}

static double both(struct interval_queue q)
{
    return q.noc_cycles + q.dram_cycles;
}

static void set_x_terms(void **state)
{
    static const double mdm[] = {432.03047619047624, 1728.121904761905, 1728.121904761905,
                                 3456.24380952381, 0};
    static const double half[] = {432.03047619047624, 864.0609523809525, 1728.121904761905,
                                  1728.121904761905, 0};
    static const double gm[] = {409.6, 819.2, 1638.4, 1638.4, 0};
    static const struct {
        int i;
        double latency_queue; /* 0: none, 1: half, 2: mdm */
        double average, batches;
    } mshr[] = {{1, 0, 3450, NAN},
                {3, 0, 920, NAN},
                {1, 2, 16410.9142857, 32821.828571428574},
                {3, 2, 7832.4876190, 15664.975238095238},
                {1, 1, 9930.4571429, 19860.914285714287},
                {3, 1, 4376.2438095, 8752.48761904762}};
    struct interval_machine m = gtx1080(1050);
    for (int i = 0; i < 5; i++) {
        near(both(interval_queue_mdm(&synthetic[i], &m)), mdm[i], EXACT);
        near(both(interval_queue_half(&synthetic[i], &m)), half[i], EXACT);
        near(interval_queue_gpumech(&synthetic[i], &m), gm[i], EXACT);
    }
    for (size_t k = 0; k < LEN(mshr); k++) {
        const struct interval *i = &synthetic[mshr[k].i];
        double q = mshr[k].latency_queue == 0   ? 0
                   : mshr[k].latency_queue == 1 ? both(interval_queue_half(i, &m))
                                                : both(interval_queue_mdm(i, &m));
        near(interval_mshr_average(i, &m, 460 + q), mshr[k].average, 1e-10);
        if (!isnan(mshr[k].batches))
            near(interval_mshr_batches(i, &m, 460 + q), mshr[k].batches, EXACT);
    }
    near(interval_mshr_average(&synthetic[0], &m, 460), 0, 0);
}

static void set_y(void **state)
{
    struct interval_machine m = {.warps = 44,
                                 .warps_per_scheduler = 44,
                                 .sms = 28,
                                 .issue_per_cycle = 1,
                                 .clock_ghz = 1.4,
                                 .noc_gbytes = 1050,
                                 .dram_gbytes = 480,
                                 .line_bytes = 128,
                                 .mshrs = 128,
                                 .l2_cycles = 120,
                                 .dram_extra_cycles = 100,
                                 .l2_miss_ratio = 0.75,
                                 .greedy = true};
    static const double mdm[] = {277.61066666666665, 1615.1893333333333, 1110.4426666666666,
                                 2725.632, 0};
    near(interval_latency(&m), 195, 0);
    near(interval_not_hidden(synthetic, 5, &m), 2837.9741176470593, EXACT);
    for (int i = 0; i < 5; i++)
        near(both(interval_queue_mdm(&synthetic[i], &m)), mdm[i], EXACT);
    near(interval_mshr_batches(&synthetic[1], &m, 195 + mdm[1]), 18101.893333333333, EXACT);
    near(interval_mshr_batches(&synthetic[3], &m, 195 + mdm[3]), 8761.896, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_GPUMECH), 0.5154534127776532, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_GPUMECH_PLUS), 0.29285992759531376, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM_QUEUE), 0.1904437091231631, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM_MSHR), 0.19202137998694485, EXACT);
    near(ipc(synthetic, 5, &m, STRATA_INTERVAL_MDM), 0.11720372955237486, EXACT);
    m.fractional_batches = true;
    near(interval_mshr_batches(&synthetic[1], &m, 195 + mdm[1]), 18101.893333333333, EXACT);
    near(interval_mshr_batches(&synthetic[3], &m, 195 + mdm[3]), 7119.0405, EXACT);
}

static void below_saturation_the_dram_queue_is_md1(void **state)
{
    struct interval_machine m = gtx1080(1050);
    struct interval i = {.n = 20, .stall_cycles = 4000, .count = 1, .l2_read_misses = 1};
    near(interval_queue_gpumech(&i, &m), 0.08189952511872034, 1e-13);
    m.md1_in_ns = true;
    near(interval_queue_gpumech(&i, &m), 0.03199200199950013, 1e-13);
}

/* ---- contention: backprop from stored logs ---- */

static const double noc_sweep[] = {525, 1050, 1700, 2100, 4200, 8400};

/* Only sums matter for the back half: all stall in the first interval, NO as given by w (N - k) +
 * w. */
static void check_backprop(const struct interval *list, size_t n, double ratio, double not_hidden,
                           double gpumech_ipc, const double *mdm_ipc)
{
    struct interval_machine m = gtx1080(1050);
    m.l2_miss_ratio = ratio;
    near(interval_not_hidden(list, n, &m), not_hidden, EXACT);
    near(ipc(list, n, &m, STRATA_INTERVAL_GPUMECH), gpumech_ipc, EXACT);
    for (size_t k = 0; k < LEN(noc_sweep); k++) {
        m.noc_gbytes = noc_sweep[k];
        for (int v = STRATA_INTERVAL_GPUMECH_PLUS; v <= STRATA_INTERVAL_MDM;
             v++) /* none is divergent */
            near(ipc(list, n, &m, (enum strata_interval_variant)v), mdm_ipc[k], EXACT);
    }
}

static void backprop_stored_kernels(void **state)
{
    static const double k1_ipc[] = {2.534137183072225,  2.609567011127791, 2.639608184940832,
                                    2.6489912690727793, 2.669153502062266, 2.6793501536497994};
    static const double k2_ipc[] = {1.4454758634918639, 1.5900902788330664, 1.6533352656673372,
                                    1.673819970389289,  1.719080959793397,  1.7426419460556268};
    static const double time_ms[] = {0.11549553035094381, 0.10943207413333884, 0.10711369381484284,
                                     0.10640034602453638, 0.10488448197013514, 0.10412654994293452};
    struct interval k1[] = {
        {.n = 40, .stall_cycles = 300, .count = 1},
        {.n = 50, .stall_cycles = 400, .count = 1, .read_misses = 1, .l2_read_misses = 1},
        {.n = 40, .stall_cycles = 279.050537109375, .count = 1},
        {.n = 41, .stall_cycles = 0, .count = 1}};
    struct interval k2[] = {
        {.n = 12, .stall_cycles = 200, .count = 1, .read_misses = 2, .l2_read_misses = 2},
        {.n = 10, .stall_cycles = 100, .count = 1},
        {.n = 10, .stall_cycles = 100, .count = 1},
        {.n = 10, .stall_cycles = 100, .count = 1},
        {.n = 10, .stall_cycles = 56.9698486328125, .count = 1},
        {.n = 10, .stall_cycles = 0, .count = 1}};
    check_backprop(k1, 4, 38914.0 / 39956, 2520, 2.6825827115462544, k1_ipc);
    check_backprop(k2, 6, 71684.0 / 76084, 855, 1.7303559099059846, k2_ipc);
    for (size_t k = 0; k < LEN(time_ms); k++) /* time: instructions / (IPC of 20 SMs) / clock */
        near((5804032 / k1_ipc[k] + 2031643 / k2_ipc[k]) / 20 / 1.6e6, time_ms[k], 1e-13);
}

static void backprop_recovered_kernels(void **state)
{
    static const double k1_ipc[] = {2.538539541725132,  2.6423756989524265, 2.6843583247221368,
                                    2.6975457645615855, 2.7260038317295057, 2.7404592255426508};
    static const double k2_ipc[] = {1.1168360470988439, 1.2148502615205015, 1.2570305864616353,
                                    1.2706047881000886, 1.300446228695567,  1.3158988373079992};
    static const struct interval k1[] = {{.n = 19, .stall_cycles = 169.897705078125, .count = 1},
                                         {.n = 16,
                                          .stall_cycles = 372.15283203125,
                                          .count = 1,
                                          .read_misses = 1,
                                          .l2_read_misses = 1},
                                         {.n = 91, .count = 1}};
    static const struct interval k2[] = {{.n = 18, .stall_cycles = 145.31494140625, .count = 1},
                                         {.n = 6, .stall_cycles = 132.897705078125, .count = 1},
                                         {.n = 5,
                                          .stall_cycles = 356.15283203125,
                                          .count = 1,
                                          .read_misses = 1,
                                          .l2_read_misses = 1},
                                         {.n = 5,
                                          .stall_cycles = 362.15283203125,
                                          .count = 1,
                                          .read_misses = 1,
                                          .l2_read_misses = 1},
                                         {.n = 5, .stall_cycles = 110.05413818359375, .count = 1},
                                         {.n = 3, .stall_cycles = 108.427490234375, .count = 1},
                                         {.n = 2, .stall_cycles = 113.8170166015625, .count = 1},
                                         {.n = 10, .count = 1}};
    struct interval_machine m = gtx1080(1050);
    struct interval_single s = interval_sum(k1, 3, 1);
    near(64 * s.instructions / (s.base_cycles + s.stall_cycles + interval_not_hidden(k1, 3, &m)),
         3.1898096504117137, EXACT);
    check_backprop(k1, 3, 38914.0 / 39956, 1860, 2.745050814633286, k1_ipc);
    check_backprop(k2, 8, 71684.0 / 76084, (15 * 46 + 15) * 16 * 54 / (54 + 1328.8169555664062),
                   1.3078479108302676, k2_ipc);
}

/* ---- contention: CFD ---- */

static struct interval_machine cfd_machine(double ratio)
{
    return (struct interval_machine){.warps = 42,
                                     .warps_per_scheduler = 42,
                                     .sms = 28,
                                     .issue_per_cycle = 4,
                                     .clock_ghz = 1.4,
                                     .noc_gbytes = 1075,
                                     .dram_gbytes = 480,
                                     .line_bytes = 128,
                                     .mshrs = 128,
                                     .l2_cycles = 120,
                                     .dram_extra_cycles = 100,
                                     .l2_miss_ratio = ratio};
}

static void cfd_kernels_without_divergence(void **state)
{
    static const struct {
        double n, base, reads, writes, queue, stored;
    } k[] = {{40, 1035.0, 0, 5, 1587.69116279, 0.640563412054},
             {63, 1922.46247492, 7, 0, 2222.76762791, 0.638324033736},
             {70, 3019.31927711, 11, 5, 5080.61172093, 0.362966054984}};
    struct interval_machine m = cfd_machine(1);
    near(interval_latency(&m), 220, 0);
    for (size_t i = 0; i < LEN(k); i++) {
        struct interval read = {.read_misses = 1}, write = {.write_requests = 1};
        double q = k[i].reads * both(interval_queue_mdm(&read, &m)) +
                   k[i].writes * both(interval_queue_mdm(&write, &m));
        near(q, k[i].queue, 1e-11);
        near(42 * k[i].n / (k[i].base + q), k[i].stored, 2e-12);
    }
    /* Round robin with 42 warps: 1440 slots of others, and 1.12 instructions a cycle of them. */
    struct interval whole = {.n = 70, .stall_cycles = 2597, .count = 1};
    struct interval_single s = interval_sum(&whole, 1, 4);
    near(s.probability * 42, 1.12449799197, 1e-11);
    near(s.base_cycles + s.stall_cycles + 1440 * s.probability * 42 / 4, 3019.31927711, 1e-11);
}

static void cfd_flux_is_divergent(void **state)
{
    struct interval_machine m = cfd_machine(160014.0 / 1161524);
    static const struct interval list[] = {{.count = 5, .read_misses = 4},
                                           {.count = 5, .read_misses = 13},
                                           {.count = 5, .read_misses = 18},
                                           {.count = 31, .read_misses = 1}};
    double base = 19029.789699171946, queue = 0, average = 0, ceiling = 0, fraction = 0;
    near(interval_latency(&m), 133.776211253, 1e-11);
    for (size_t i = 0; i < LEN(list); i++) {
        double q = both(interval_queue_mdm(&list[i], &m)), latency = interval_latency(&m) + q;
        queue += list[i].count * q;
        average += list[i].count * interval_mshr_average(&list[i], &m, latency);
        ceiling += list[i].count * interval_mshr_batches(&list[i], &m, latency);
        m.fractional_batches = true;
        fraction += list[i].count * interval_mshr_batches(&list[i], &m, latency);
        m.fractional_batches = false;
    }
    near(queue, 15702.6605967, 1e-11);
    near(fraction, 38839.3500572, 1e-11);
    near(ceiling, 45777.5028299, 1e-11);
    near(28980 / (base + queue + average), 0.530144042906, 2e-12);
    near(28980 / (base + queue + fraction), 0.393900922105, 2e-12);
    near(28980 / (base + queue + ceiling), 0.35995549463, 2e-12);
    near(28980 / (base + fraction), 0.500785049199, 2e-12);
}

/* ---- boundaries, figure 2, the stack ---- */

static void one_warp_has_nobody_to_hide_behind(void **state)
{
    for (int greedy = 0; greedy < 2; greedy++) {
        struct interval_machine m = gtx1080(1050);
        m.warps = m.warps_per_scheduler = 1;
        m.greedy = greedy;
        near(interval_not_hidden(synthetic, 5, &m), 0, 0);
        struct interval quiet = {.n = 10, .stall_cycles = 90, .count = 1};
        near(ipc(&quiet, 1, &m, STRATA_INTERVAL_MDM), 0.1, EXACT);
    }
}

static void as_many_misses_as_mshrs_are_not_divergent(void **state)
{
    struct interval_machine m = gtx1080(1050);
    struct interval i = {.n = 1, .count = 1, .read_misses = 2};
    assert_false(interval_divergent(&i, &m)); /* 2 x 64 = 128 */
    near(interval_mshr_batches(&i, &m, 100), 0, 0);
    near(both(interval_queue_mdm(&i, &m)), both(interval_queue_half(&i, &m)), 0);
    i.read_misses = 129.0 / 64;
    assert_true(interval_divergent(&i, &m));
    near(interval_mshr_batches(&i, &m, 100), 100, 0);
    m.mshrs = 0;
    assert_false(interval_divergent(&i, &m)); /* unlimited */
}

/* Figure 2 of paper 001: two warps, two MSHRs, two dependent loads. One miss a warp goes in one
 * batch; four misses a warp are eight requests, four batches, three of them waited for. */
static void two_warps_with_two_mshrs(void **state)
{
    struct interval_machine m = {.warps = 2,
                                 .warps_per_scheduler = 2,
                                 .sms = 1,
                                 .issue_per_cycle = 1,
                                 .clock_ghz = 1.4,
                                 .line_bytes = 128,
                                 .mshrs = 2,
                                 .l2_cycles = 120,
                                 .l2_miss_ratio = 0};
    struct interval good[] = {{.n = 3, .stall_cycles = 119, .count = 1, .read_misses = 1},
                              {.n = 1, .stall_cycles = 119, .count = 1, .read_misses = 1},
                              {.n = 3, .count = 1}};
    struct interval bad[] = {good[0], good[1], good[2]};
    bad[0].read_misses = bad[1].read_misses = 4;
    struct strata_interval_stack g, b;
    interval_stack(good, 3, &m, STRATA_INTERVAL_MDM, 0, &g);
    interval_stack(bad, 3, &m, STRATA_INTERVAL_MDM, 0, &b);
    near(g.mshr, 0, 0);
    near(b.mshr, 2 * 3 * 120, 0);
    near(b.total_cycles - g.total_cycles, 720, EXACT);
    interval_stack(bad, 3, &m, STRATA_INTERVAL_GPUMECH, 0, &b);
    near(b.mshr, 2 * (120 * 2.5 - 120), EXACT); /* the average of four batches, less the first */
}

static void the_stack_sums_to_its_total(void **state)
{
    struct interval list[5];
    memcpy(list, synthetic, sizeof list);
    for (int i = 0; i < 5; i++) {
        list[i].cause = i % 2 ? INTERVAL_CAUSE_MEMORY : INTERVAL_CAUSE_COMPUTE;
        list[i].p1 = 0.3 + 0.1 * i;
        list[i].p2 = 0.7;
        list[i].count = 3 + i;
    }
    struct interval_machine m = gtx1080(1050);
    for (int v = 0; v < STRATA_INTERVAL_DEFAULT; v++) {
        struct strata_interval_stack s;
        interval_stack(list, 5, &m, (enum strata_interval_variant)v, 34, &s);
        double sum = s.base + s.other_warps + s.compute_dependence + s.l1 + s.l2 + s.dram + s.mshr +
                     s.noc_queue + s.dram_queue + s.idle;
        assert_true(sum == s.total_cycles);
        near(s.compute_dependence + s.l1 + s.l2 + s.dram, interval_sum(list, 5, 1).stall_cycles,
             EXACT);
    }
}

/* ---- the representative warp, paths ---- */

static void backprop_clusters(void **state)
{
    struct cluster_point k1[] = {{171.0 / 1150, 171, 16384, 1},
                                 {178.0 / 1185, 178, 8192, 2},
                                 {185.0 / 1220, 185, 4096, 4},
                                 {192.0 / 1255, 192, 4096, 0}};
    struct cluster_choice c;
    assert_int_equal(cluster_representative(k1, 4, &c, NULL), STRATA_OK);
    near(c.share, 0.75, EXACT);
    assert_int_equal(c.id, 1);
    struct cluster_point k2[] = {{89.0 / 900, 89, 1, 0}, {62.0 / 619, 62, 32767, 1}};
    assert_int_equal(cluster_representative(k2, 2, &c, NULL), STRATA_OK);
    near(c.share, 0.99997, 1e-5);
    assert_int_equal(c.id, 1);
}

static void equal_warps_are_one_cluster(void **state)
{
    struct cluster_point p[] = {{0.5, 10, 3, 7}, {0.5, 10, 3, 2}};
    struct cluster_choice c;
    assert_int_equal(cluster_representative(p, 2, &c, NULL), STRATA_OK);
    near(c.share, 1, 0);
    assert_int_equal(c.id, 2);
}

static const struct path *find_count(const struct path_table *t, uint64_t first_warp)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->path[i].first_warp == first_warp)
            return &t->path[i];
    fail_msg("no path begins with warp %d", (int)first_warp);
    return NULL;
}

static void backprop_paths(void **state)
{
    struct path_table t = {0};
    bool is_new;
    for (uint32_t w = 0; w < 32768; w++) {
        uint64_t hash = 0;
        uint32_t n = 0;
        for (uint32_t bb = 0; bb < 10; bb++) {
            bool skipped = (bb == 3 && w % 2) || (bb == 5 && w % 4) || (bb == 7 && w % 8);
            if (!skipped) {
                hash = path_step(hash, bb);
                n++;
            }
        }
        assert_non_null(path_add(&t, hash, n, w, &is_new));
    }
    assert_int_equal(t.n, 4);
    assert_int_equal(find_count(&t, 0)->count, 4096);
    assert_int_equal(find_count(&t, 4)->count, 4096);
    assert_int_equal(find_count(&t, 2)->count, 8192);
    assert_int_equal(find_count(&t, 1)->count, 16384);
    path_table_release(&t);
    for (uint32_t w = 0; w < 32768; w++)
        path_add(&t, path_step(w ? 0 : path_step(0, 0), w ? 0 : 1), w ? 1 : 2, w, &is_new);
    assert_int_equal(t.n, 2);
    assert_int_equal(find_count(&t, 1)->count, 32767);
    assert_int_equal(find_count(&t, 0)->count, 1);
    path_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_instructions_make_eight_intervals),
        cmocka_unit_test(the_scripts_rules_are_reproduced),
        cmocka_unit_test(joining_equal_intervals_changes_no_sum),
        cmocka_unit_test(set_x_round_robin),
        cmocka_unit_test(set_x_greedy),
        cmocka_unit_test(set_x_terms),
        cmocka_unit_test(set_y),
        cmocka_unit_test(below_saturation_the_dram_queue_is_md1),
        cmocka_unit_test(backprop_stored_kernels),
        cmocka_unit_test(backprop_recovered_kernels),
        cmocka_unit_test(cfd_kernels_without_divergence),
        cmocka_unit_test(cfd_flux_is_divergent),
        cmocka_unit_test(one_warp_has_nobody_to_hide_behind),
        cmocka_unit_test(as_many_misses_as_mshrs_are_not_divergent),
        cmocka_unit_test(two_warps_with_two_mshrs),
        cmocka_unit_test(the_stack_sums_to_its_total),
        cmocka_unit_test(backprop_clusters),
        cmocka_unit_test(equal_warps_are_one_cluster),
        cmocka_unit_test(backprop_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
