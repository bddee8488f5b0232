/* report.c - the interval model as one of the models of `strata predict`. */
#include "interval/report.h"

#include <stdio.h>
#include <string.h>

#include "interval/profile.h"

static void report_stack(const struct strata_interval_result *e, struct strata_result *r)
{
    const struct strata_interval_stack *s = &e->stack;
    const struct {
        const char *name;
        double cycles;
    } part[] = {{"base", s->base}, {"other_warps", s->other_warps}, {"compute_dependence", s->compute_dependence},
                {"l1", s->l1}, {"l2", s->l2}, {"dram", s->dram}, {"mshr", s->mshr}, {"noc_queue", s->noc_queue},
                {"dram_queue", s->dram_queue}, {"idle", s->idle}};
    double cpi = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "cpi_stack.%s", part[i].name);
        strata_result_detail(r, path, part[i].cycles / e->instructions_per_sm);
        cpi += part[i].cycles / e->instructions_per_sm;
    }
    strata_result_detail(r, "cpi_stack.total", cpi); /* the sum of the parts above, to the last bit */
}

static void report_divergence(const struct strata_interval_result *e, struct strata_result *r)
{
    char why[256];
    strata_result_detail_text(r, "memory_divergent.is", e->divergent ? "yes" : "no");
    snprintf(why, sizeof why, "An SM's warps have %.0f read misses in the worst interval, and there are %.0f MSHRs%s.",
             e->worst_misses, e->mshrs, e->divergent ? "" : ", so all fit at once");
    strata_result_detail_text(r, "memory_divergent.why", why);
    strata_result_detail(r, "memory_divergent.instruction_share", e->divergent_share);
}

static void report_launch(const struct interval_launch *l, struct strata_result *r)
{
    strata_result_detail(r, "profile.paths", l->paths);
    strata_result_detail(r, "profile.representative_warp", l->representative);
    strata_result_detail(r, "profile.cluster_share", l->cluster_share);
    strata_result_detail(r, "profile.kinds_of_intervals", (double)l->n_intervals);
    strata_result_detail(r, "profile.l2_miss_ratio", l->l2_miss_ratio);
}

/* "late=off": one of the default's parts is left out. */
static strata_status read_setting(const char *word, unsigned *parts, struct strata_error *err)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (unsigned i = 0; equals && strata_interval_part_name(i); i++) {
        if (strlen(strata_interval_part_name(i)) != length || strncmp(word, strata_interval_part_name(i), length))
            continue;
        if (!strcmp(equals + 1, "off"))
            *parts &= ~(1u << i);
        else if (strcmp(equals + 1, "on"))
            break;
        return STRATA_OK;
    }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "the interval model does not know \"model.%s\"; late, waves, launch, slowest, overlap and sectors are on or off.", word);
}

static strata_status run_interval(const struct strata_gpu *gpu, struct strata_reader *reader,
                                  const struct strata_model_options *opt, struct strata_result *out, struct strata_error *err)
{
    enum strata_interval_variant variant;
    if (!strata_interval_variant_find(opt->variant, &variant))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "the interval model has no variant \"%s\"; there are: gpumech, gpumech+, mdm-queue, mdm-mshr, mdm, gcom, default.",
                           opt->variant);
    unsigned parts = STRATA_INTERVAL_ALL_PARTS;
    for (const char *const *word = opt->settings; word && *word; word++) {
        strata_status bad = read_setting(*word, &parts, err);
        if (bad != STRATA_OK)
            return bad;
    }
    struct strata_interval_profile p = {0};
    struct strata_interval_result e;
    strata_status st = strata_interval_profile_launch(&p, gpu, reader, opt->seed, err);
    if (st != STRATA_OK) {
        free_launches(&p);
        return st;
    }
    strata_interval_evaluate_parts(&p, 0, gpu, variant, parts, &e);
    strata_result_set(out, "gpu__time_duration.sum", e.time_ns);
    strata_result_set(out, "sm__cycles_elapsed.max", e.cycles);
    strata_result_set(out, "smsp__inst_executed.sum", e.instructions);
    strata_result_set(out, "strata__ipc_sm.avg", e.ipc_sm);
    strata_result_set(out, "strata__ipc_gpu.avg", e.ipc_gpu);
    report_stack(&e, out);
    report_divergence(&e, out);
    report_launch(&p.launch[0], out);
    for (size_t i = 0; i < strata_reader_warning_count(reader); i++)
        strata_result_warn(out, "%s", strata_reader_warning(reader, i));
    free_launches(&p);
    return STRATA_OK;
}

const struct strata_model strata_model_interval = {
    .name = "interval",
    .summary = "cycles and a CPI stack from the intervals of one warp (GPUMech, MDM; --variant names them)",
    .run = run_interval,
};
