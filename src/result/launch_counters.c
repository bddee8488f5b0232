/* launch_counters.c - the one table from counts to metrics. */
#include "result/launch_counters.h"

#define PROFILER_SECTOR_BYTES 32.0

enum unit { EACH, BYTES, SECTORS_L2 };

/* clang-format off */
static const struct row {
    const char *metric;
    size_t offset;
    enum unit unit;
} rows[N_LAUNCH_COUNTERS] = {
#define X(field, unit, metric) {metric, offsetof(struct launch_counters, field), unit},
    LAUNCH_COUNTERS(X)
#undef X
};
/* clang-format on */

static uint64_t count_of(const struct launch_counters *c, const struct row *row)
{
    return *(const uint64_t *)((const char *)c + row->offset);
}

static double as_the_profiler_counts(uint64_t n, enum unit unit, uint32_t l2_sector_bytes)
{
    switch (unit) {
    case BYTES:
        return (double)n / PROFILER_SECTOR_BYTES;
    case SECTORS_L2:
        return (double)n * l2_sector_bytes / PROFILER_SECTOR_BYTES;
    default:
        return (double)n;
    }
}

static double others_of(const struct other_sectors *o, int counter)
{
    switch (counter) {
    case LAUNCH_COUNTER_dram_read:
        return o->dram;
    case LAUNCH_COUNTER_l2_read:
        return o->l2;
    case LAUNCH_COUNTER_l2_read_hit:
        return o->l2_hits;
    case LAUNCH_COUNTER_l2_read_miss:
        return o->l2 - o->l2_hits;
    case LAUNCH_COUNTER_dram_write:
        return o->dram_writes;
    case LAUNCH_COUNTER_l2_write:
    case LAUNCH_COUNTER_l2_write_hit:
        return o->l2_writes;
    case LAUNCH_COUNTER_fabric:
    case LAUNCH_COUNTER_fabric_read:
        return o->fabric;
    default:
        return 0;
    }
}

void launch_counters_report(const struct launch_counters *c, uint64_t counted,
                            uint32_t l2_sector_bytes, struct strata_result *r)
{
    for (int i = 0; i < N_LAUNCH_COUNTERS; i++) {
        if (!(counted >> i & 1))
            continue;
        uint64_t n =
            i == LAUNCH_COUNTER_ld_misses ? c->ld_sectors - c->ld_hits : count_of(c, &rows[i]);
        double value = as_the_profiler_counts(n, rows[i].unit, l2_sector_bytes);
        strata_result_set(r, rows[i].metric, value + others_of(&c->other, i));
    }
}

void launch_counters_add(struct launch_counters *sum, const struct launch_counters *more)
{
    for (int i = 0; i < N_LAUNCH_COUNTERS; i++)
        *(uint64_t *)((char *)sum + rows[i].offset) += count_of(more, &rows[i]);
#define X(field) sum->field += more->field;
    LAUNCH_SUMS(X)
#undef X
    sum->other.dram += more->other.dram;
    sum->other.l2 += more->other.l2;
    sum->other.l2_hits += more->other.l2_hits;
    sum->other.fabric += more->other.fabric;
    sum->other.dram_writes += more->other.dram_writes;
    sum->other.l2_writes += more->other.l2_writes;
}
