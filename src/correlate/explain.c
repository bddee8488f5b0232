/* explain.c - one launch level by level: where prediction and measurement part.
 *
 * Each level is fed by the one before it: a model that lets 10 % too many sectors out of the L1
 * has, all else being right, 10 % too many L2 reads. The "own" factor of a level is its ratio
 * predicted / measured divided by the ratio of the level that feeds it: what the level itself adds.
 */
#include <math.h>
#include <string.h>

#include <strata/correlate.h>

#include "correlate/print.h"

enum { NONE = -1 };

/* Own factors within this of 1 count as agreement. */
static const double TOLERANCE = 0.05;

enum step {
    INSTRUCTIONS,
    LOAD_REQUESTS,
    LOAD_SECTORS,
    L1_MISSES,
    RETURNED,
    L2_READS,
    L2_MISSES,
    DRAM_READS,
    STORE_SECTORS,
    L2_WRITES,
    DRAM_WRITES,
    CYCLES,
    N_STEPS
};

static const struct {
    const char *level, *metric;
    int fed_by; /* NONE: nothing before it */
    const char *look_at;
} steps[N_STEPS] = {
    [INSTRUCTIONS] = {"code", "smsp__inst_executed.sum", NONE,
                      "whether both ran the same code: PTX and machine code, or two compilers, "
                      "differ in instructions; a cut trace or another input also in requests"},
    [LOAD_REQUESTS] = {"coalescer", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", NONE,
                       "which instructions count as global loads"},
    [LOAD_SECTORS] = {"coalescer", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", LOAD_REQUESTS,
                      "the coalescing rule, or data-dependent addresses"},
    [L1_MISSES] = {"L1", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", LOAD_SECTORS,
                   "what the L1 holds: carve-out, replacement, index hash, which blocks share an "
                   "SM and when"},
    [RETURNED] = {"crossbar", "l1tex__m_xbar2l1tex_read_sectors.sum", L1_MISSES,
                  "loads that pass the L1 by (asynchronous copies, atomics, local memory)"},
    [L2_READS] = {"crossbar", "lts__t_sectors_srcunit_tex_op_read.sum", RETURNED,
                  "merging of requests of neighbouring SMs on the way to the L2"},
    [L2_MISSES] =
        {"L2", "strata__l2_read_misses.sum", L2_READS,
         "what the L2 holds: effective size, replacement, what a DRAM fetch brings along"},
    [DRAM_READS] = {"DRAM", "dram__sectors_read.sum", L2_MISSES,
                    "the size of a DRAM fetch, and reads that are not the kernel's"},
    [STORE_SECTORS] = {"coalescer", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", NONE,
                       "the coalescing rule of stores"},
    [L2_WRITES] = {"L2", "lts__t_sectors_srcunit_tex_op_write.sum", STORE_SECTORS,
                   "merging of stores before the L2, and atomics"},
    [DRAM_WRITES] = {"DRAM", "dram__sectors_write.sum", L2_WRITES,
                     "when dirty sectors are written back"},
    [CYCLES] = {"time", "sm__cycles_elapsed.max", NONE,
                "latencies and throughputs; wrong only if the traffic above is right"},
};

struct line {
    bool known;
    double predicted, measured, ratio, own; /* NaN where they do not exist */
};

/* ---- which launch ---- */

/* "kernel-8" is exactly kernel-8.traceg.xz, not one of kernel-80 to kernel-89. */
static bool is_stem_of(const char *words, const char *file)
{
    size_t n = strlen(words);
    return n && !strncmp(file, words, n) && (!file[n] || file[n] == '.');
}

static bool fits(const struct strata_result *r, const char *words, bool exactly)
{
    if (exactly && is_stem_of(words, r->trace))
        return true;
    struct strata_text name = {0};
    strata_print_launch(&name, r);
    bool same =
        name.data && (exactly ? !strcmp(name.data, words) : strstr(name.data, words) != NULL);
    strata_text_release(&name);
    return same || (exactly ? !strcmp(r->kernel, words) : strstr(r->kernel, words) != NULL);
}

/* A profiler's page has no traces; those of the predictions it was joined with do as well. */
static bool fits_either(const struct strata_correlation *c, size_t launch, const char *words,
                        bool exactly)
{
    bool is_one = fits(&c->measured->launch[launch], words, exactly);
    for (size_t i = 0; i < c->n_models && !is_one; i++)
        is_one =
            c->model[i].of_launch[launch] && fits(c->model[i].of_launch[launch], words, exactly);
    return is_one;
}

static size_t count_fits(const struct strata_correlation *c, const char *words, bool exactly,
                         size_t *last)
{
    size_t n = 0;
    for (size_t i = 0; i < c->measured->n_launches; i++)
        if (fits_either(c, i, words, exactly)) {
            *last = i;
            n++;
        }
    return n;
}

static strata_status find_launch(const struct strata_correlation *c, const char *words, size_t *out,
                                 struct strata_error *err)
{
    const struct strata_measured *m = c->measured;
    if (count_fits(c, words, true, out) == 1)
        return STRATA_OK;
    size_t n = count_fits(c, words, false, out);
    if (n == 1)
        return STRATA_OK;
    struct strata_text names = {0};
    size_t shown = 0;
    for (size_t i = 0; i < m->n_launches && shown < 4; i++)
        if (n == 0 || fits_either(c, i, words, false)) {
            strata_text_put(&names, shown++ ? ", " : "");
            strata_print_launch(&names, &m->launch[i]);
        }
    strata_fail(err, STRATA_EUSAGE, m->file, 0, 0,
                n ? "\"%s\" fits %zu launches (%s%s); give more of the name."
                  : "\"%s\" fits %zu launches; there are %s%s.",
                words, n, names.data ? names.data : "",
                (n ? n : m->n_launches) > shown ? " and others" : "");
    strata_text_release(&names);
    return STRATA_EUSAGE;
}

/* ---- the levels ---- */

static double ratio_of(double predicted, double measured)
{
    return measured != 0 ? predicted / measured : predicted == 0 ? 1 : NAN;
}

static void fill_lines(const struct strata_result *measured, const struct strata_result *predicted,
                       struct line line[N_STEPS])
{
    for (int s = 0; s < N_STEPS; s++) {
        struct line *l = &line[s];
        *l = (struct line){.ratio = NAN, .own = NAN};
        l->known = strata_result_get(predicted, steps[s].metric, &l->predicted) &&
                   strata_result_get(measured, steps[s].metric, &l->measured);
        if (!l->known)
            continue;
        l->ratio = ratio_of(l->predicted, l->measured);
        int feed = steps[s].fed_by;
        while (feed != NONE && !line[feed].known)
            feed = steps[feed].fed_by;
        l->own = feed == NONE ? l->ratio : l->ratio / line[feed].ratio;
    }
}

/* A level whose count is right is right, whatever fed it. */
static double own_error(const struct line *l)
{
    if (l->known && isfinite(l->ratio) && l->ratio > 0 && fabs(log(l->ratio)) <= log(1 + TOLERANCE))
        return 0;
    return l->known && isfinite(l->own) && l->own > 0 ? fabs(log(l->own))
           : l->known && !isfinite(l->own)            ? INFINITY
                                                      : 0;
}

/* Counts of a few hundred sectors are noise of the launch: they explain nothing. */
static bool matters(const struct line *l, int s)
{
    size_t n;
    const struct strata_minimum *minimum = strata_default_minimums(&n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(minimum[i].metric, steps[s].metric))
            return l->measured > minimum[i].above || l->predicted > minimum[i].above;
    return true;
}

static bool is_off(const struct line *l)
{
    return own_error(l) > log(1 + TOLERANCE);
}

/* Another compiler, or PTX in place of machine code, needs another number of instructions for the
 * same accesses; then nothing is wrong with the trace. */
static bool only_code_differs(const struct line line[N_STEPS])
{
    return is_off(&line[INSTRUCTIONS]) &&
           (line[LOAD_REQUESTS].known || line[STORE_SECTORS].known) &&
           !is_off(&line[LOAD_REQUESTS]) && !is_off(&line[STORE_SECTORS]);
}

static bool is_wrong(const struct line line[N_STEPS], int s)
{
    return matters(&line[s], s) && is_off(&line[s]) &&
           !(s == INSTRUCTIONS && only_code_differs(line));
}

static int worst_step(const struct line line[N_STEPS])
{
    int worst = NONE;
    for (int s = 0; s < N_STEPS; s++)
        if (is_wrong(line, s) && (worst == NONE || own_error(&line[s]) > own_error(&line[worst])))
            worst = s;
    return worst;
}

static int first_step(const struct line line[N_STEPS])
{
    for (int s = 0; s < N_STEPS; s++)
        if (is_wrong(line, s))
            return s;
    return NONE;
}

/* ---- writers ---- */

static void put_verdict(struct strata_text *t, const struct line line[N_STEPS])
{
    int first = first_step(line), worst = worst_step(line);
    if (only_code_differs(line))
        strata_text_printf(t,
                           "\nThe code differs: %.3g times the measured instructions for the same "
                           "accesses, as PTX and machine code, or two compilers, do.\n",
                           line[INSTRUCTIONS].ratio);
    if (first == NONE) {
        strata_text_printf(t, "\nThey agree within %.0f %% at every level both know.\n",
                           100 * TOLERANCE);
        return;
    }
    strata_text_printf(t, "\nThey part first at the %s (%s, own factor %.3g)", steps[first].level,
                       steps[first].metric, line[first].own);
    if (worst != first)
        strata_text_printf(t, " and most at the %s (%s, own factor %.3g)", steps[worst].level,
                           steps[worst].metric, line[worst].own);
    strata_text_printf(t, ".\nLook at %s", steps[first].look_at);
    if (worst != first)
        strata_text_printf(t, "; then at %s", steps[worst].look_at);
    strata_text_put(t, ".\n");
}

/* ---- miss kinds ---- */

/* A model that knows them gives the L1's misses by kind (paper 000, section 4). */
static const char *const kinds[] = {"compulsory", "capacity", "conflict", "latency", "mshr"};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], COMPULSORY = 0, LATENCY = 3 };

struct miss_kinds {
    bool known;
    double count[N_KINDS], sum;
};

static struct miss_kinds kinds_of(const struct strata_result *r)
{
    struct miss_kinds m = {0};
    for (size_t i = 0; i < r->n_details; i++)
        for (int k = 0; k < N_KINDS; k++)
            if (!strncmp(r->detail[i].path, "miss_kinds.", 11) &&
                !strcmp(r->detail[i].path + 11, kinds[k])) {
                m.known = true;
                m.count[k] = r->detail[i].value;
                m.sum += r->detail[i].value;
            }
    m.known &= m.sum > 0;
    return m;
}

static int largest_kind(const struct miss_kinds *m, int from)
{
    int most = from;
    for (int k = from; k < N_KINDS; k++)
        if (k != LATENCY && m->count[k] > m->count[most])
            most = k;
    return most;
}

/* Every first touch of a line misses on any cache, so a difference in misses is one of the other
 * kinds, unless fewer were measured than there are first touches. */
static void put_kind_verdict(struct strata_text *t, const struct line *l1,
                             const struct miss_kinds *m)
{
    /* Kinds count lines and the profiler sectors, and it takes data on its way for a hit. What the
     * levels before the L1 did wrong is not its doing: the own factor decides. */
    double counted = m->sum - m->count[LATENCY], more = 100 * (1 / l1->own - 1);
    double first_touches = counted > 0 ? m->count[COMPULSORY] / counted : 0;
    if (!isfinite(l1->own) || l1->own <= 0)
        strata_text_put(t, "; none were measured");
    else if (own_error(l1) <= log(1 + TOLERANCE))
        strata_text_put(t, "; they agree in the sum");
    else if (more > 0)
        strata_text_printf(t,
                           "; %.3g %% more were measured, which are no first touches: capacity, "
                           "conflict or MSHR misses that the model has not",
                           more);
    else if (1 / l1->own < first_touches)
        strata_text_put(t, "; fewer were measured than there are compulsory ones: lines were there "
                           "before the launch, or the blocks of an SM share more of them");
    else
        strata_text_printf(
            t,
            "; %.3g %% fewer were measured: some of the %s misses, the most of those "
            "that a cache can avoid",
            -more, kinds[largest_kind(m, COMPULSORY + 1)]);
    strata_text_put(t, ".\n");
}

/* Kinds of the model itself, or of the first other one that knows them for this launch. */
static void put_kinds(struct strata_text *t, const struct strata_correlation *c, size_t launch,
                      const struct line *l1, const struct strata_result *predicted)
{
    struct miss_kinds m = kinds_of(predicted);
    const char *by = NULL;
    for (size_t i = 0; !m.known && i < c->n_models; i++)
        if (c->model[i].of_launch[launch]) {
            m = kinds_of(c->model[i].of_launch[launch]);
            by = c->model[i].label;
        }
    if (!m.known || !l1->known)
        return;
    strata_text_printf(t, "\nL1 misses by kind%s%s:", by ? ", by " : "", by ? by : "");
    for (int k = 0; k < N_KINDS; k++)
        strata_text_printf(t, "%s %s %.1f %%", k ? "," : "", kinds[k], 100 * m.count[k] / m.sum);
    put_kind_verdict(t, l1, &m);
}

/* Hit rates say more to people than counts of misses; they follow the table. */
static void put_rates(struct strata_text *t, const struct strata_result *measured,
                      const struct strata_result *predicted)
{
    static const char *const rates[] = {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
                                        "lts__t_sector_srcunit_tex_op_read_hit_rate.pct",
                                        "sm__warps_active.avg.pct_of_peak_sustained_active"};
    double p, m;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (strata_result_get(predicted, rates[i], &p) && strata_result_get(measured, rates[i], &m))
            strata_text_printf(t, "%-10s %-62s %14.2f %14.2f %+8.2f points\n", "", rates[i], p, m,
                               p - m);
}

static void put_text(struct strata_text *t, const struct strata_correlation *c, size_t launch,
                     const struct strata_model_errors *model)
{
    const struct strata_result *measured = &c->measured->launch[launch];
    const struct strata_result *predicted = model->of_launch[launch];
    struct line line[N_STEPS];
    fill_lines(measured, predicted, line);
    strata_print_launch_name(t, measured);
    strata_text_printf(t, "  by %s\n\n%-10s %-62s %14s %14s %8s %8s\n", model->label, "level",
                       "metric", "predicted", "measured", "ratio", "own");
    for (int s = 0; s < N_STEPS; s++) {
        if (!line[s].known)
            continue;
        strata_text_printf(t, "%-10s %-62s ", steps[s].level, steps[s].metric);
        strata_print_grouped(t, line[s].predicted, 14);
        strata_text_put(t, " ");
        strata_print_grouped(t, line[s].measured, 14);
        strata_print_fixed(t, line[s].ratio, 9, 3);
        strata_print_fixed(t, line[s].own, 9, 3);
        strata_text_put(t, is_wrong(line, s) ? "  <\n" : "\n");
    }
    put_rates(t, measured, predicted);
    put_kinds(t, c, launch, &line[L1_MISSES], predicted);
    put_verdict(t, line);
    for (size_t i = 0; i < predicted->n_warnings; i++)
        strata_text_printf(t, "warning: %s\n", predicted->warning[i]);
}

static void put_rows(struct strata_text *t, const struct strata_model_errors *model,
                     const struct strata_result *measured, const struct strata_result *predicted,
                     bool json)
{
    struct line line[N_STEPS];
    const char *separator = "";
    fill_lines(measured, predicted, line);
    int first = first_step(line), worst = worst_step(line);
    if (json) {
        strata_text_put(t, "{\"model\": ");
        strata_text_put_json_string(t, model->label);
        strata_text_printf(t, ", \"parts_first_at\": ");
        strata_text_put_json_string(t, first == NONE ? "" : steps[first].metric);
        strata_text_printf(t, ", \"parts_most_at\": ");
        strata_text_put_json_string(t, worst == NONE ? "" : steps[worst].metric);
        strata_text_put(t, ", \"levels\": [");
    }
    for (int s = 0; s < N_STEPS; s++) {
        const double numbers[] = {line[s].predicted, line[s].measured, line[s].ratio, line[s].own};
        static const char *const names[] = {"predicted", "measured", "ratio", "own"};
        if (!line[s].known)
            continue;
        if (json)
            strata_text_printf(t, "%s\n  {\"level\": \"%s\", \"metric\": \"%s\"", separator,
                               steps[s].level, steps[s].metric);
        else
            strata_text_put_csv_field(t, model->label);
        if (!json)
            strata_text_printf(t, ",%s,%s", steps[s].level, steps[s].metric);
        separator = ",";
        for (size_t v = 0; v < sizeof numbers / sizeof numbers[0]; v++) {
            if (json)
                strata_text_printf(t, ", \"%s\": ", names[v]);
            else
                strata_text_put(t, ",");
            (json ? strata_print_json_number : strata_print_csv_number)(t, numbers[v]);
        }
        strata_text_put(t, json ? "}" : "\n");
    }
    struct miss_kinds m = kinds_of(predicted);
    strata_text_put(t, json ? "]" : "");
    for (int k = 0; json && m.known && k < N_KINDS; k++) {
        strata_text_printf(t, "%s\"%s\": ", k ? ", " : ", \"miss_kinds\": {", kinds[k]);
        strata_print_json_number(t, m.count[k]);
        strata_text_put(t, k + 1 == N_KINDS ? "}" : "");
    }
    strata_text_put(t, json ? "}" : "");
}

static strata_status refuse_unpredicted(const struct strata_result *r, struct strata_error *err)
{
    struct strata_text name = {0};
    strata_print_launch(&name, r);
    strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                "%s was measured but is not in any prediction given.", name.data ? name.data : "");
    strata_text_release(&name);
    return STRATA_EFORMAT;
}

strata_status strata_correlation_explain(const struct strata_correlation *c, const char *launch,
                                         enum strata_format format, char **text, size_t *length,
                                         struct strata_error *err)
{
    size_t index = 0, n_shown = 0;
    struct strata_text t = {0};
    strata_status status = find_launch(c, launch, &index, err);
    if (status != STRATA_OK)
        return status;
    const struct strata_result *measured = &c->measured->launch[index];
    if (format == STRATA_FORMAT_CSV)
        strata_text_put(&t, "model,level,metric,predicted,measured,ratio,own\n");
    if (format == STRATA_FORMAT_JSON) {
        strata_text_put(&t, "{\"schema\": \"strata.explanation/1\", \"launch\": ");
        struct strata_text name = {0};
        strata_print_launch(&name, measured);
        strata_text_put_json_string(&t, name.data ? name.data : "");
        strata_text_release(&name);
        strata_text_put(&t, ", \"models\": [");
    }
    for (size_t i = 0; i < c->n_models; i++) {
        const struct strata_result *predicted = c->model[i].of_launch[index];
        if (!predicted)
            continue;
        if (n_shown++ && format != STRATA_FORMAT_CSV)
            strata_text_put(&t, format == STRATA_FORMAT_JSON ? ",\n " : "\n");
        if (format == STRATA_FORMAT_TEXT)
            put_text(&t, c, index, &c->model[i]);
        else
            put_rows(&t, &c->model[i], measured, predicted, format == STRATA_FORMAT_JSON);
    }
    strata_text_put(&t, format == STRATA_FORMAT_JSON ? "]}\n" : "");
    if (!n_shown) {
        strata_text_release(&t);
        return refuse_unpredicted(measured, err);
    }
    return strata_print_finish(&t, text, length, err);
}
