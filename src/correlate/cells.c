/* cells.c - numbers, sizes and labels in a profiler's table. */
#include "correlate/cells.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies without the commas that stand between groups of three digits; false if one stands
 * elsewhere or the text does not fit. */
static bool strip_separators(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (const char *s = text; *s; s++) {
        bool grouped = s > text && isdigit((unsigned char)s[-1]) && isdigit((unsigned char)s[1]) &&
                       isdigit((unsigned char)s[2]) && isdigit((unsigned char)s[3]) &&
                       !isdigit((unsigned char)s[4]);
        if (*s == ',' && !grouped)
            return false;
        if (*s != ',' && n + 1 >= size)
            return false;
        if (*s != ',')
            out[n++] = *s;
    }
    out[n] = 0;
    return true;
}

static bool means_unknown(const char *text)
{
    size_t n = strlen(text);
    return !n ||
           (n >= 3 && (!strcasecmp(text + n - 3, "n/a") || !strcasecmp(text + n - 3, "nan"))) ||
           !strcmp(text, "-");
}

enum cell_kind strata_cell_number(const char *text, double *out)
{
    char plain[64], *end;
    while (*text == ' ')
        text++;
    if (means_unknown(text))
        return CELL_UNKNOWN;
    const char *instances = strstr(text, " (");
    char head[64];
    if (instances && instances > text && (size_t)(instances - text) < sizeof head) {
        memcpy(head, text, (size_t)(instances - text));
        head[instances - text] = 0;
        text = head;
    }
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
        return CELL_WORDS;
    if (!strip_separators(text, plain, sizeof plain))
        return CELL_WORDS;
    double value = strtod(plain, &end);
    while (*end == ' ')
        end++;
    if (end == plain || *end)
        return CELL_WORDS;
    if (!isfinite(value))
        return CELL_UNKNOWN;
    *out = value;
    return CELL_NUMBER;
}

bool strata_cell_dim3(const char *text, struct strata_dim3 *out)
{
    static const char *const spellings[] = {" (%9u ,%9u ,%9u )%n", "%9ux%9ux%9u%n",
                                            " %9u ,%9u ,%9u%n"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct strata_dim3 d;
        int used = 0;
        if (sscanf(text, spellings[i], &d.x, &d.y, &d.z, &used) == 3 && used && !text[used]) {
            *out = d;
            return true;
        }
    }
    return false;
}

bool strata_cell_id(const char *text, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !errno && !*end;
}

const char *strata_metric_of_label(const char *text)
{
    static const struct {
        const char *label, *metric;
    } labels[] = {
        {"Duration", "gpu__time_duration.sum"},
        {"Elapsed Cycles", "gpc__cycles_elapsed.max"},
        {"SM Active Cycles", "sm__cycles_active.avg"},
        {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
        {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
        /* "Issue Slots Busy" is the share of elapsed cycles, this one that of active cycles: the
         * same launch has 2.00 and 2.15 % */
        {"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
        {"Executed Instructions", "smsp__inst_executed.sum"},
        {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
        {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
        {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
        {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
        {"Block Limit SM", "launch__occupancy_limit_blocks"},
        {"Block Limit Registers", "launch__occupancy_limit_registers"},
        {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
        {"Block Limit Warps", "launch__occupancy_limit_warps"},
        {"Block Size", "launch__block_size"},
        {"Grid Size", "launch__grid_size"},
        {"Threads", "launch__thread_count"},
        {"Registers Per Thread", "launch__registers_per_thread"},
        {"Shared Memory Configuration Size", "launch__shared_mem_config_size"},
        {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
        {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
        {"Waves Per SM", "launch__waves_per_multiprocessor"},
    };
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        if (!strcmp(labels[i].label, text))
            return labels[i].metric;
    return text;
}
