/* speed_of_light.c - per cent of peak of each unit, from one result's counters. */
#include <string.h>

#include <strata/speed_of_light.h>

enum { SECTOR_BYTES = 32 };

static double sum_of(const struct strata_result *r, const char *const *metrics)
{
    double sum = 0, value;
    bool any = false;
    for (; *metrics; metrics++)
        if (strata_result_get(r, *metrics, &value)) {
            sum += value;
            any = true;
        }
    return any ? sum : -1;
}

static double percent(double part, double whole)
{
    return part < 0 || !(whole > 0) ? -1 : 100 * part / whole;
}

/* The profiler tells a pipe's share of its active cycles: here it is that of the whole launch. */
static double pipe_share(const struct strata_result *r, const char *metric)
{
    double pct, active, elapsed;
    if (!strata_result_get(r, metric, &pct) ||
        !strata_result_get(r, "sm__cycles_active.avg", &active) ||
        !strata_result_get(r, "sm__cycles_elapsed.max", &elapsed) || !(elapsed > 0))
        return -1;
    return pct * active / elapsed;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

#define PIPE_PCT(pipe) "sm__" pipe ".avg.pct_of_peak_sustained_active"
static void pipes_of(const struct strata_result *r, struct strata_speed_of_light *out)
{
    out->fma = pipe_share(r, PIPE_PCT("inst_executed_pipe_fma"));
    out->alu = pipe_share(r, PIPE_PCT("inst_executed_pipe_alu"));
    out->fp64 = pipe_share(r, PIPE_PCT("inst_executed_pipe_fp64"));
    out->fp16 = larger(pipe_share(r, PIPE_PCT("inst_executed_pipe_fp16")),
                       pipe_share(r, PIPE_PCT("inst_executed_pipe_fma_type_fp16")));
    out->xu = pipe_share(r, PIPE_PCT("inst_executed_pipe_xu"));
    out->tensor = larger(pipe_share(r, PIPE_PCT("inst_executed_pipe_tensor")),
                         pipe_share(r, PIPE_PCT("pipe_tensor_cycles_active")));
}

void strata_speed_of_light(const struct strata_gpu *gpu, const struct strata_result *r,
                           struct strata_speed_of_light *out)
{
    static const char *const instructions[] = {"smsp__inst_executed.sum", NULL},
                             *const accesses[] = {"smsp__inst_executed_op_global_ld.sum",
                                                  "smsp__inst_executed_op_global_st.sum",
                                                  "smsp__inst_executed_op_shared_ld.sum",
                                                  "smsp__inst_executed_op_shared_st.sum", NULL},
                             *const at_l1[] = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                               NULL},
                             *const at_l2[] = {"lts__t_sectors_op_read.sum",
                                               "lts__t_sectors_op_write.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                                               "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                               NULL},
                             *const requests[] = {"lts__t_requests_srcunit_tex.sum", NULL},
                             *const dram[] = {"dram__bytes_read.sum", "dram__bytes_write.sum",
                                              NULL};
    double cycles = 0, to_sm = 0, from_sm = 0, ns = 0;
    bool both = strata_result_get(r, "l1tex__m_xbar2l1tex_read_sectors.sum", &to_sm) &&
                strata_result_get(r, "l1tex__m_l1tex2xbar_write_sectors.sum", &from_sm);
    strata_result_get(r, "sm__cycles_elapsed.max", &cycles);
    strata_result_get(r, "gpu__time_duration.sum", &ns);
    double sms = gpu->sm.count, l1_sectors = gpu->l1.bytes_per_cycle / (double)SECTOR_BYTES,
           slice = gpu->l2.bytes_per_cycle_per_slice / (double)SECTOR_BYTES,
           crossbar = gpu->xbar.total_bytes_per_cycle
                          ? gpu->xbar.total_bytes_per_cycle
                          : sms * gpu->xbar.response_bytes_per_cycle_per_sm,
           busier = to_sm > from_sm ? to_sm : from_sm, /* each way has its own wires */
        l2_cycles = gpu->l2.clock_mhz ? cycles * gpu->l2.clock_mhz / gpu->sm.clock_mhz : cycles;
    out->issue = percent(sum_of(r, instructions), cycles * sms * gpu->sm.schedulers);
    pipes_of(r, out);
    out->lsu = percent(sum_of(r, accesses), cycles * sms);
    out->l1 = percent(sum_of(r, at_l1), cycles * sms * l1_sectors);
    /* A slice is taken by each sector it moves, and by each request at least l2.request long. */
    double by_sectors = percent(sum_of(r, at_l2), l2_cycles * gpu->l2.slices * slice),
           by_requests =
               percent(sum_of(r, requests) * gpu->l2.request_cycles, cycles * gpu->l2.slices);
    out->l2 = larger(by_sectors, by_requests);
    out->crossbar = percent(both ? busier * SECTOR_BYTES : -1, cycles * crossbar);
    out->dram = percent(sum_of(r, dram), ns * 1e-9 * strata_gpu_dram_bytes_per_second(gpu));
}

#define UNIT(field) "speed_of_light." #field "_pct", offsetof(struct strata_speed_of_light, field)
static const struct {
    const char *path;
    size_t offset; /* in struct strata_speed_of_light */
    const char *name;
} units[] = {
    {UNIT(issue), "issue"},    {UNIT(lsu), "LSU"},           {UNIT(l1), "L1"},
    {UNIT(l2), "L2"},          {UNIT(crossbar), "crossbar"}, {UNIT(dram), "DRAM"},
    {UNIT(fma), "FMA pipe"},   {UNIT(alu), "ALU pipe"},      {UNIT(fp64), "FP64 pipe"},
    {UNIT(fp16), "FP16 pipe"}, {UNIT(xu), "XU pipe"},        {UNIT(tensor), "tensor pipe"}};
enum { N_UNITS = sizeof units / sizeof units[0] };

static double percent_of(const struct strata_speed_of_light *s, size_t k)
{
    double pct;
    memcpy(&pct, (const char *)s + units[k].offset, sizeof pct);
    return pct;
}

const char *strata_limiter(const struct strata_speed_of_light *s)
{
    size_t most = 0;
    for (size_t k = 0; k < N_UNITS; k++)
        most = percent_of(s, k) > percent_of(s, most) ? k : most;
    /* Below this no unit is what a launch waits for. */
    return percent_of(s, most) >= 60 ? units[most].name : "latency";
}

void strata_speed_of_light_detail(const struct strata_gpu *gpu, struct strata_result *r)
{
    struct strata_speed_of_light s;
    if (!strata_result_get(r, "sm__cycles_elapsed.max", NULL))
        return;
    strata_speed_of_light(gpu, r, &s);
    for (size_t k = 0; k < N_UNITS; k++)
        if (percent_of(&s, k) >= 0)
            strata_result_detail(r, units[k].path, percent_of(&s, k));
    strata_result_detail_text(r, "limiter.unit", strata_limiter(&s));
}
