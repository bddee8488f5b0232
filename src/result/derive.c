/* derive.c - metrics that follow from other metrics, by the same rules for both sides. */
#include <strata/result.h>

enum rule { PERCENT_OF, DIFFERENCE, SUM_OF, TIMES_32, PER, PER_NANOSECOND, SAME };

struct derivation {
    const char *made;
    enum rule rule;
    const char *a, *b;
};

#define L1_LD   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
#define L1_ST   "l1tex__t_sectors_pipe_lsu_mem_global_op_st"
#define TIME    "gpu__time_duration.sum" /* in ns */
#define L2_READ "lts__t_sectors_srcunit_tex_op_read"

/* The L2 hit rate is hits by sectors read, not by hits and misses: the miss counter of the H200
 * also counts the partner sector of each 64-byte DRAM fetch. Strided readers show it: 539,089
 * sectors read, half of them hits because the partner was fetched before, and 1.5 times as many
 * lookups as sectors. */
static const struct derivation derivations[] = {
    {L1_LD "_lookup_hit.sum", DIFFERENCE, L1_LD ".sum", L1_LD "_lookup_miss.sum"},
    {L1_LD "_lookup_miss.sum", DIFFERENCE, L1_LD ".sum", L1_LD "_lookup_hit.sum"},
    {L1_ST "_lookup_miss.sum", DIFFERENCE, L1_ST ".sum", L1_ST "_lookup_hit.sum"},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", PERCENT_OF, L1_LD "_lookup_hit.sum",
     L1_LD ".sum"},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct", PERCENT_OF, L1_ST "_lookup_hit.sum",
     L1_ST ".sum"},
    {"lts__t_sector_srcunit_tex_op_read_hit_rate.pct", PERCENT_OF, L2_READ "_lookup_hit.sum",
     L2_READ ".sum"},
    {"strata__l2_read_misses.sum", DIFFERENCE, L2_READ ".sum", L2_READ "_lookup_hit.sum"},
    {"lts__t_sector_op_read_hit_rate.pct", PERCENT_OF, "lts__t_sectors_op_read_lookup_hit.sum",
     "lts__t_sectors_op_read.sum"},
    {"lts__t_sector_op_write_hit_rate.pct", PERCENT_OF, "lts__t_sectors_op_write_lookup_hit.sum",
     "lts__t_sectors_op_write.sum"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", PER, L1_LD ".sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", PER, L1_ST ".sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"dram__bytes_read.sum", TIMES_32, "dram__sectors_read.sum", NULL},
    {"dram__bytes_write.sum", TIMES_32, "dram__sectors_write.sum", NULL},
};

/* The same quantities under further names; comparing both would count one error twice. */
static const struct derivation other_names[] = {
    {"l1tex__m_xbar2l1tex_read_bytes.sum", TIMES_32, "l1tex__m_xbar2l1tex_read_sectors.sum", NULL},
    {"l1tex__m_l1tex2xbar_write_bytes.sum", TIMES_32, "l1tex__m_l1tex2xbar_write_sectors.sum",
     NULL},
    {L2_READ ".sum.per_second", PER_NANOSECOND, L2_READ ".sum", TIME},
    {"dram__bytes.sum", SUM_OF, "dram__bytes_read.sum", "dram__bytes_write.sum"},
    {"dram__bytes_read.sum.per_second", PER_NANOSECOND, "dram__bytes_read.sum", TIME},
    {"dram__bytes_write.sum.per_second", PER_NANOSECOND, "dram__bytes_write.sum", TIME},
    /* SMs run at their GPC's clock, and every unit counts the whole launch. */
    {"gpc__cycles_elapsed.max", SAME, "sm__cycles_elapsed.max", NULL},
    {"gpc__cycles_elapsed.avg", SAME, "gpc__cycles_elapsed.max", NULL},
};

static bool apply(const struct derivation *d, const struct strata_result *r, double *out)
{
    double a, b = 0;
    if (!strata_result_get(r, d->a, &a) || (d->b && !strata_result_get(r, d->b, &b)))
        return false;
    switch (d->rule) {
    case PERCENT_OF: /* of nothing: unknown */
        *out = 100 * a / b;
        return b > 0;
    case PER:
        *out = a / b;
        return b > 0;
    case DIFFERENCE:
        *out = a - b;
        return true;
    case SUM_OF:
        *out = a + b;
        return true;
    case TIMES_32:
        *out = 32 * a;
        return true;
    case PER_NANOSECOND:
        *out = 1e9 * a / b;
        return b > 0;
    case SAME:
        *out = a;
        return true;
    }
    return false;
}

static void derive(struct strata_result *r, const struct derivation *list, size_t n)
{
    double value;
    for (size_t i = 0; i < n; i++)
        if (!strata_result_get(r, list[i].made, NULL) && apply(&list[i], r, &value))
            strata_result_set(r, list[i].made, value);
}

#define LANES(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"

/* Operations of one width: additions and multiplications once, fused ones twice; packed ones twice
 * as many. False: not counted. */
static bool sum_flops(const struct strata_result *r, const char *const *lanes, double packed,
                      double *flops)
{
    double add, mul, fma;
    if (!strata_result_get(r, lanes[0], &add) || !strata_result_get(r, lanes[1], &mul) ||
        !strata_result_get(r, lanes[2], &fma))
        return false;
    *flops = packed * (add + mul + 2 * fma);
    return true;
}

static void derive_flops(struct strata_result *r)
{
    static const struct {
        const char *made;
        const char *lanes[3];
        double packed;
    } widths[] = {
        {"strata__flop_fp32.sum", {LANES("fadd"), LANES("fmul"), LANES("ffma")}, 1},
        {"strata__flop_fp64.sum", {LANES("dadd"), LANES("dmul"), LANES("dfma")}, 1},
        {"strata__flop_fp16.sum", {LANES("hadd"), LANES("hmul"), LANES("hfma")}, 2},
    };
    double all = 0, flops, tensor;
    bool complete = strata_result_get(r, "strata__flop_tensor.sum", &tensor);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        bool counted = sum_flops(r, widths[i].lanes, widths[i].packed, &flops);
        if (counted)
            strata_result_set(r, widths[i].made, flops);
        all += counted ? flops : 0;
        complete &= counted;
    }
    if (complete)
        strata_result_set(r, "strata__flop.sum", all + tensor);
}

void strata_derive_metrics(struct strata_result *r)
{
    derive(r, derivations, sizeof derivations / sizeof derivations[0]);
    derive_flops(r);
}

void strata_derive_other_names(struct strata_result *r)
{
    derive(r, other_names, sizeof other_names / sizeof other_names[0]);
}
