/* Which model reads which key of a GPU file: what the table claims is changed here, key by key, and
 * some number must change; of a key that a model does not claim to read nothing may. Prints the
 * keys that differ from the table. */
#include "keyfix.h"

static struct strata_result before[N_MACHINES][N_TRACES][N_RUNS];

static bool equal(const struct strata_result *a, const struct strata_result *b)
{
    if (a->n_counters != b->n_counters || a->n_details != b->n_details)
        return false;
    for (size_t i = 0; i < a->n_counters; i++)
        if (strcmp(a->counter[i].name, b->counter[i].name) ||
            a->counter[i].value != b->counter[i].value)
            return false;
    for (size_t i = 0; i < a->n_details; i++)
        if (strcmp(a->detail[i].path, b->detail[i].path) ||
            a->detail[i].value != b->detail[i].value)
            return false;
    return true;
}

/* ---- other values of a key ---- */

enum { MOST_VALUES = 12 };
struct values {
    char text[MOST_VALUES][STRATA_GPU_TEXT];
    unsigned n;
};

static void add_value(struct values *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_value(struct values *v, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (v->n < MOST_VALUES)
        vsnprintf(v->text[v->n++], STRATA_GPU_TEXT, format, list);
    va_end(list);
}

/* Lists that differ from each machine's in what they say, not in how long they are. */
static const struct {
    const char *key, *value;
} lists[] = {{"launch.order", "0, 1, 2, 3, 4, 5"},
             {"launch.order", "2, 5, 1, 4, 0, 3"},
             {"launch.gpc_of_sm", "0, 1, 0, 1, 0, 1"},
             {"l2.partition_of_gpc", "1, 0"},
             {"l1.carveouts", "0KiB, 12KiB"},
             {"l1.carveouts", "0KiB, 10KiB, 12KiB"},
             {"l1.tag_hash", "6, 15, 1"},
             {"l1.tag_banks", "3, 5"},
             {"l2.home_bits", "12, 14"},
             {"l2.dirty_at_start", "30KiB"},
             {"l1.index_bits", "8, 9, 10, 12"},
             {"l2.index_bits", "8, 9, 10, 11, 12, 14"},
             {"l1.way_weight", "0.7, 0.1, 0.1, 0.1"},
             {"l2.way_weight", "0.7, 0.1, 0.1, 0.1"},
             {"l1.set_ways", "8*8"},
             {"l1.set_ways", "8, 6*9, 2"},
             {"l1.set_ways", "4, 4, 4, 2, 6, 4*11"},
             {"l2.set_ways", "8*64"},
             {"l2.set_ways", "6, 2, 4*126"},
             {"l2.set_ways", "8*32"},
             {"texture.way_weight", "0.7, 0.1, 0.1, 0.1"},
             {"texture.index_bits", "8, 9, 10"},
             {"texture.set_ways", "6, 2, 4*6"},
             {"readonly.way_weight", "0.7, 0.1, 0.1, 0.1"},
             {"readonly.index_bits", "8, 9, 10"},
             {"readonly.set_ways", "6, 2, 4*6"},
             {"tlb.l1.way_weight", "0.9, 0.1"},
             {"tlb.l2.way_weight", "0.7, 0.1, 0.1, 0.1"},
             {"tlb.l1.index_bits", "18"},
             {"tlb.l2.index_bits", "18, 19"},
             {"tlb.l1.set_ways", "1, 3"},
             {"tlb.l2.set_ways", "1, 7, 4, 4"}};

static void other_values(const struct strata_gpu *g, const struct strata_gpu_key *key,
                         struct values *v)
{
    double x = 0;
    v->n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!strcmp(lists[i].key, key->path))
            add_value(v, "%s", lists[i].value);
    switch (key->type) {
    case STRATA_GPU_BOOL:
        add_value(v, strata_gpu_number(g, key, 0) != 0 ? "false" : "true");
        break;
    case STRATA_GPU_ENUM:
        for (unsigned i = 0; key->names[i]; i++)
            if (strata_gpu_number(g, key, 0) != i)
                add_value(v, "%s", key->names[i]);
        break;
    case STRATA_GPU_UINT:
    case STRATA_GPU_SIZE:
    case STRATA_GPU_SIZE32:
    case STRATA_GPU_DOUBLE:
        x = strata_gpu_number(g, key, 0);
        add_value(v, "%.15g", x * 2);
        add_value(v, "%.15g", key->type == STRATA_GPU_DOUBLE ? x / 2 : (double)(uint64_t)(x / 2));
        add_value(v, "%.15g", x + 1);
        add_value(v, "%.15g", x * 8);
        add_value(v, "%.15g", x + 3000);
        add_value(v, "%.15g", (double)(uint64_t)(x / 8) > 0 ? (double)(uint64_t)(x / 8) : 1.0);
        if (key->min == 0)
            add_value(v, "0");
        break;
    default:
        break;
    }
}

/* Keys that only change together with others. */
#define SMALL_PAGES                                                                                \
    {                                                                                              \
        "tlb.page=32KiB", "tlb.l1.line=32KiB", "tlb.l1.sector=32KiB", "tlb.l2.line=32KiB",         \
            "tlb.l2.sector=32KiB", NULL                                                            \
    }
#define BLOCKS_REFRESHED                                                                           \
    {                                                                                              \
        "dram.refresh_block=4KiB", "dram.refresh_bank=300", "dram.refresh_every=900", NULL         \
    }
static const struct {
    const char *key, *with[6];
} together[] = {
    {"dram.refresh_block", BLOCKS_REFRESHED},
    {"dram.refresh_bank", BLOCKS_REFRESHED},
    {"dram.refresh_every", BLOCKS_REFRESHED},
    {"sm.max_warps", {"sm.max_warps=8", "sm.max_threads=256", NULL}},
    {"sm.max_threads", {"sm.max_warps=8", "sm.max_threads=256", NULL}},
    {"shared.per_sm",
     {"shared.per_block=4KiB", "shared.per_block_optin=4KiB", "shared.per_sm=4KiB", NULL}},
    {"dram.write_queue", /* its marks lie within it */
     {"dram.write_low=1", "dram.write_high=1", "dram.write_queue=1", NULL}},
    {"tlb.page", SMALL_PAGES},
    {"tlb.l1.line", SMALL_PAGES},
    {"tlb.l2.line", SMALL_PAGES}};

/* ---- the test ---- */

/* The first kernel does most and takes thirty times as long as the others: they are asked before
 * it. */
static bool differs(const struct strata_gpu *g, unsigned at, unsigned k, unsigned n_traces)
{
    bool changed = false;
    for (unsigned t = n_traces; t-- > 0 && !changed;) {
        struct strata_result r = {0};
        changed = !run(g, t, k, &r) || !equal(&before[at][t][k], &r);
        strata_result_release(&r);
    }
    return changed;
}

static bool changes_with(unsigned at, unsigned k, const struct strata_gpu_key *key,
                         const char *value, unsigned n_traces)
{
    static struct strata_gpu g;
    g = machine[at];
    return !strata_gpu_override(&g, key->path, value, NULL) &&
           !strata_gpu_validate(&g, "changed", NULL) && differs(&g, at, k, n_traces);
}

static bool changes_together(unsigned at, unsigned k, const struct strata_gpu_key *key)
{
    static struct strata_gpu g;
    bool changed = false;
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        if (strcmp(together[i].key, key->path))
            continue;
        g = machine[at];
        for (const char *const *w = together[i].with; *w; w++)
            if (!set_key(&g, *w))
                fail_msg("%s", *w);
        changed |= !strata_gpu_validate(&g, "changed", NULL) && differs(&g, at, k, N_TRACES);
    }
    return changed;
}

/* With what another model, a cheaper one, last saw the key change its numbers. */
static struct {
    const struct strata_gpu_key *key;
    unsigned at;
    char text[STRATA_GPU_TEXT];
} last_seen;

static bool changes_as_before(unsigned k, const struct strata_gpu_key *key)
{
    return last_seen.key == key && changes_with(last_seen.at, k, key, last_seen.text, N_TRACES);
}

/* Keys that a run is known to leave unread on a machine, because another value of all of them at
 * once changed nothing. */
enum { MOST_KEYS = 1024 };
static bool known_unread[N_RUNS][N_MACHINES][MOST_KEYS];

static void change_unread_keys_together(unsigned k, unsigned at)
{
    static struct strata_gpu g, tried;
    static struct values v;
    bool *unread = known_unread[k][at];
    g = machine[at];
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        if (strata_model_reads_key(runs[k].model, key->path))
            continue;
        other_values(&machine[at], key, &v);
        tried = g;
        unread[i] = v.n && !strata_gpu_override(&tried, key->path, v.text[0], NULL) &&
                    !strata_gpu_validate(&tried, "changed", NULL);
        if (unread[i])
            g = tried;
    }
    if (differs(&g, at, k, 1)) /* one of them is read after all: each is asked by itself */
        memset(unread, 0, MOST_KEYS * sizeof *unread);
}

/* Of a key that is not read one other value a machine and one kernel must do. */
static bool changes(unsigned k, size_t i, bool claimed)
{
    static struct values v;
    const struct strata_gpu_key *key = strata_gpu_key(i);
    if (claimed && changes_as_before(k, key))
        return true;
    for (unsigned at = 0; at < N_MACHINES; at++) {
        other_values(&machine[at], key, &v);
        unsigned n = claimed ? v.n : v.n && !known_unread[k][at][i];
        for (unsigned j = 0; j < n; j++)
            if (changes_with(at, k, key, v.text[j], claimed ? N_TRACES : 1)) {
                last_seen.key = key, last_seen.at = at;
                memcpy(last_seen.text, v.text[j], sizeof last_seen.text);
                return true;
            }
        if (changes_together(at, k, key))
            return true;
    }
    return false;
}

static int set_up(void **state)
{
    (void)state;
    open_keyfix();
    for (unsigned m = 0; m < N_MACHINES; m++)
        for (unsigned k = 0; k < N_TRACES * N_RUNS; k++)
            assert_true(run(&machine[m], k % N_TRACES, k / N_TRACES,
                            &before[m][k % N_TRACES][k / N_TRACES]));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_MACHINES * N_TRACES * N_RUNS; i++)
        strata_result_release(&before[0][0][0] + i);
    return close_keyfix();
}

static void a_key_changes_a_number_of_the_models_that_read_it_and_of_no_other(void **state)
{
    (void)state;
    unsigned wrong = 0;
    assert_true(strata_gpu_n_keys() <= MOST_KEYS);
    for (unsigned k = 0; k < N_RUNS * N_MACHINES; k++)
        change_unread_keys_together(k / N_MACHINES, k % N_MACHINES);
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        for (unsigned k = 0; k < N_RUNS;) {
            const char *model = runs[k].model;
            bool claimed = strata_model_reads_key(model, key->path), seen = false;
            for (; k < N_RUNS && !strcmp(runs[k].model, model); k++)
                seen = seen || changes(k, i, claimed);
            if (claimed != seen)
                print_error("%s: %s %s it, but its numbers %s\n", key->path, model,
                            claimed ? "reads" : "does not read", seen ? "change" : "stay");
            wrong += claimed != seen;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_changes_a_number_of_the_models_that_read_it_and_of_no_other),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
