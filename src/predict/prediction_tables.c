/* prediction_tables.c - a prediction as one line a launch, and in the layout of Nsight Compute. */
#include "predict/prediction_tables.h"

#include <math.h>

#include <strata/kernel_name.h>

/* ---- one line a launch ---- */

static const struct {
    const char *metric, *title, *unit;
    double factor; /* from the metric's unit to the column's */
    int digits;
} columns[] = {
    {"gpu__time_duration.sum", "time", "us", 1e-3, 1},
    {"sm__cycles_elapsed.max", "cycles", "", 1, 0},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "L1 hits", "% loads", 1, 1},
    {"lts__t_sector_srcunit_tex_op_read_hit_rate.pct", "L2 hits", "% reads", 1, 1},
    {"dram__bytes_read.sum", "DRAM read", "MB", 1e-6, 3},
    {"dram__bytes_write.sum", "written", "MB", 1e-6, 3},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0], COLUMN_WIDTH = 12 };

void put_summary_row(struct strata_text *t, const struct strata_result *r)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        double value;
        if (strata_result_get(r, columns[i].metric, &value) && isfinite(value))
            strata_text_printf(t, "%*.*f", COLUMN_WIDTH, columns[i].digits,
                               value * columns[i].factor);
        else
            strata_text_printf(t, "%*s", COLUMN_WIDTH, "-");
    }
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
    strata_text_printf(t, "  %s\n", name);
}

void put_summary_head(struct strata_text *t, const struct strata_prediction *p)
{
    strata_text_printf(t, "model %s%s%s on %s", p->model, p->variant ? ":" : "",
                       p->variant ? p->variant : "", p->gpu);
    for (size_t i = 0; i < p->n_overrides; i++)
        strata_text_printf(t, " %s", p->override[i]);
    strata_text_put(t, "; - is unknown\n\n");
    for (size_t i = 0; i < N_COLUMNS; i++)
        strata_text_printf(t, "%*s", COLUMN_WIDTH, columns[i].title);
    strata_text_put(t, "  launch\n");
    for (size_t i = 0; i < N_COLUMNS; i++)
        strata_text_printf(t, "%*s", COLUMN_WIDTH, columns[i].unit);
    strata_text_put(t, "\n");
}

/* ---- Nsight Compute's long layout ---- */

static void put_quoted(struct strata_text *t, const char *words)
{
    strata_text_put(t, "\"");
    for (const char *c = words; *c; c++)
        strata_text_put_bytes(t, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    strata_text_put(t, "\"");
}

static void put_ncu_row(struct strata_text *t, const struct strata_prediction *p, size_t launch,
                        const struct strata_result *r, const struct strata_counter *counter)
{
    const struct strata_metric *known = strata_metric_find(counter->name);
    strata_text_printf(t, "\"%zu\",\"\",", launch);
    put_quoted(t, r->program);
    strata_text_put(t, ",\"\",");
    put_quoted(t, r->kernel);
    strata_text_printf(t, ",\"\",\"\",\"(%u, %u, %u)\",\"(%u, %u, %u)\",", r->block.x, r->block.y,
                       r->block.z, r->grid.x, r->grid.y, r->grid.z);
    put_quoted(t, p->gpu);
    strata_text_put(t, ",\"\",\"Command line profiler metrics\",");
    put_quoted(t, counter->name);
    strata_text_printf(t, ",\"%s\",\"", known ? known->unit : "");
    strata_text_put_number(t, counter->value);
    strata_text_put(t, "\",\"model\"\n");
}

void put_ncu_head(struct strata_text *t)
{
    strata_text_put(t, "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\","
                       "\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
                       "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\","
                       "\"Source\"\n");
}

void put_launch_ncu(struct strata_text *t, const struct strata_prediction *p, size_t number,
                    const struct strata_result *r)
{
    for (size_t k = 0; k < r->n_counters; k++)
        if (isfinite(r->counter[k].value))
            put_ncu_row(t, p, number, r, &r->counter[k]);
}
