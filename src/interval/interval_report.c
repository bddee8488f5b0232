/* interval_report.c - the interval model as one of the models of `strata predict`. */
#include "interval/interval_report.h"

#include <stdio.h>
#include <string.h>

#include "interval/interval_profile.h"

static void report_stack(const struct strata_interval_result *e, struct strata_result *r)
{
    const struct strata_interval_stack *s = &e->stack;
    const struct {
        const char *name;
        double cycles;
    } part[] = {{"base", s->base},
                {"other_warps", s->other_warps},
                {"compute_dependence", s->compute_dependence},
                {"l1", s->l1},
                {"l2", s->l2},
                {"dram", s->dram},
                {"mshr", s->mshr},
                {"noc_queue", s->noc_queue},
                {"dram_queue", s->dram_queue},
                {"idle", s->idle}};
    double cpi = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "cpi_stack.%s", part[i].name);
        strata_result_detail(r, path, part[i].cycles / e->instructions_per_sm);
        cpi += part[i].cycles / e->instructions_per_sm;
    }
    strata_result_detail(r, "cpi_stack.total",
                         cpi); /* the sum of the parts above, to the last bit */
}

static void report_divergence(const struct strata_interval_result *e, struct strata_result *r)
{
    char why[256];
    strata_result_detail_text(r, "memory_divergent.is", e->divergent ? "yes" : "no");
    snprintf(
        why, sizeof why,
        "An SM's warps have %.0f read misses in the worst interval, and there are %.0f MSHRs%s.",
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

/* What the options say, apart from the GPU. */
struct choice {
    enum strata_interval_variant variant;
    unsigned parts;
    bool scripts;
};

/* "late=off": one of the default's parts is left out. */
static bool read_part(const char *word, struct choice *out)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (unsigned i = 0; equals && strata_interval_part_name(i); i++) {
        if (strlen(strata_interval_part_name(i)) != length ||
            strncmp(word, strata_interval_part_name(i), length))
            continue;
        if (!strcmp(equals + 1, "off"))
            out->parts &= ~(1u << i);
        return !strcmp(equals + 1, "off") || !strcmp(equals + 1, "on");
    }
    return false;
}

static strata_status read_setting(const char *word, struct choice *out, struct strata_error *err)
{
    if (!strncmp(word, "compat=", 7)) {
        out->scripts = !strcmp(word + 7, "authors");
        if (out->scripts || !strcmp(word + 7, "paper"))
            return STRATA_OK;
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "the interval model follows the \"paper\" or, with --compat authors, "
                           "its authors' scripts, not \"%s\".",
                           word + 7);
    }
    if (read_part(word, out))
        return STRATA_OK;
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "the interval model does not know \"model.%s\"; late, waves, launch, "
                       "slowest, overlap and sectors are on or off.",
                       word);
}

static strata_status read_options(const struct strata_model_options *opt, struct choice *out,
                                  struct strata_error *err)
{
    strata_status st = STRATA_OK;
    out->parts = STRATA_INTERVAL_ALL_PARTS;
    out->scripts = false;
    if (!strata_interval_variant_find(opt->variant, &out->variant))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "the interval model has no variant \"%s\"; there are: gpumech, "
                           "gpumech+, mdm-queue, mdm-mshr, mdm, gcom, default.",
                           opt->variant);
    for (const char *const *word = opt->settings; word && *word && st == STRATA_OK; word++)
        st = read_setting(*word, out, err);
    return st;
}

static strata_status create_profile(const struct strata_gpu *gpu, struct strata_reader *reader,
                                    const struct strata_model_options *opt, void **profile,
                                    struct strata_error *err)
{
    struct choice choice;
    struct strata_interval_profile *p = NULL;
    strata_status st = read_options(opt, &choice, err);
    if (st == STRATA_OK)
        st = strata_interval_create(&p, err);
    if (st == STRATA_OK) {
        strata_interval_follow_scripts(p, choice.scripts);
        st = strata_interval_profile_launch(p, gpu, reader, opt->seed, err);
    }
    if (st == STRATA_OK)
        *profile = p;
    else
        strata_interval_destroy(p);
    return st;
}

static strata_status evaluate_profile(const void *profile, const struct strata_gpu *gpu,
                                      const struct strata_model_options *opt,
                                      struct strata_result *out, struct strata_error *err)
{
    const struct strata_interval_profile *p = profile;
    struct strata_interval_result e;
    struct choice choice;
    strata_status st = read_options(opt, &choice, err);
    if (st != STRATA_OK)
        return st;
    strata_interval_evaluate_parts(p, 0, gpu, choice.variant, choice.parts, &e);
    strata_result_set(out, "gpu__time_duration.sum", e.time_ns);
    strata_result_set(out, "sm__cycles_elapsed.max", e.cycles);
    strata_result_set(out, "smsp__inst_executed.sum", e.instructions);
    strata_result_set(out, "strata__ipc_sm.avg", e.ipc_sm);
    strata_result_set(out, "strata__ipc_gpu.avg", e.ipc_gpu);
    report_stack(&e, out);
    report_divergence(&e, out);
    report_launch(&p->launch[0], out);
    return STRATA_OK;
}

static strata_status run_interval(const struct strata_gpu *gpu, struct strata_reader *reader,
                                  const struct strata_model_options *opt, struct strata_result *out,
                                  struct strata_error *err)
{
    void *profile = NULL;
    strata_status st = create_profile(gpu, reader, opt, &profile, err);
    if (st == STRATA_OK)
        st = evaluate_profile(profile, gpu, opt, out, err);
    strata_interval_destroy(profile);
    return st;
}

static strata_status profile_to_text(const void *profile, char **text, size_t *length,
                                     struct strata_error *err)
{
    return interval_to_text(profile, text, length, err);
}

static strata_status profile_from_text(const char *text, size_t length, const char *file,
                                       void **profile, struct strata_error *err)
{
    struct strata_interval_profile *p;
    strata_status st = interval_from_text(text, length, file, &p, err);
    if (st == STRATA_OK && p->n != 1) {
        strata_interval_destroy(p);
        return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                           "a stored profile is of one launch, and this one is of %zu.", p->n);
    }
    if (st == STRATA_OK)
        *profile = p;
    return st;
}

static void destroy_profile(void *profile)
{
    strata_interval_destroy(profile);
}

/* What evaluate.c takes from the GPU of the evaluation, and what the model does not look at. Stalls
 * for memory follow new latencies; SMs are taken for equal, so that their number may differ. */
static const char *const free_keys[] = {"name",
                                        "description",
                                        "class",
                                        "sm.count",
                                        "sm.clock",
                                        "sm.schedulers",
                                        "sm.scheduler_policy",
                                        "sm.issue_per_scheduler",
                                        "sm.min_issue_gap",
                                        "sm.hold_wide",
                                        "sm.fetch_interval",
                                        "sm.fetch_miss",
                                        "sm.fetch_cold",
                                        "sm.fetch_ahead",
                                        "sm.lsu_queue",
                                        "launch.",
                                        "l1.mshrs",
                                        "l1.mshr_merges",
                                        "l1.mshrs_per_warp",
                                        "l1.hit",
                                        "l1.miss_requests_per_cycle",
                                        "l1.store_drain",
                                        "xbar.",
                                        "l2.slices",
                                        "l2.channel_hash",
                                        "l2.slice_pair",
                                        "l2.hit",
                                        "l2.far_extra",
                                        "l2.bytes_per_cycle_per_slice",
                                        "l2.fabric_bytes_per_cycle",
                                        "l2.request",
                                        "l2.partial_write",
                                        "l2.atomic_float",
                                        "l2.write_flit",
                                        "l2.atomic_whole",
                                        "l2.atomic",
                                        "l2.mshrs",
                                        "l2.mshr_merges",
                                        "l2.clock",
                                        "dram.",
                                        "tlb.",
                                        "texture.",
                                        "readonly.",
                                        "reuse.",
                                        "interval.",
                                        "model.late",
                                        "model.waves",
                                        "model.launch",
                                        "model.slowest",
                                        "model.overlap",
                                        "model.sectors",
                                        NULL};

const struct strata_profiled_model strata_profiled_interval = {
    .free_keys = free_keys,
    .create = create_profile,
    .evaluate = evaluate_profile,
    .to_text = profile_to_text,
    .from_text = profile_from_text,
    .destroy = destroy_profile,
};

const struct strata_model strata_model_interval = {
    .name = "interval",
    .has_variants = true,
    .summary = "cycles and a CPI stack from the intervals of one warp (GPUMech, MDM; --variant "
               "names them)",
    .run = run_interval,
};
