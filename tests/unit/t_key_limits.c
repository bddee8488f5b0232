/* What a GPU file may say is what a model does: every number is taken over the ends of 8 and 16
 * bits, and to both of its documented limits, in every model that reads it. A value that is cut on
 * the way gives the cycles of what is left of it, to the last one; or it shows as a jump where one
 * more of a thing should change next to nothing, or as fewer cycles where the same thing takes
 * longer. Prints each key that fails. */
#include "keyfix.h"

static double elapsed_cycles(const struct strata_result *r)
{
    for (size_t i = 0; i < r->n_counters; i++)
        if (!strcmp(r->counter[i].name, "sm__cycles_elapsed.max"))
            return r->counter[i].value;
    return -1;
}

/* The clocked model takes a minute for all of it; `make soak` has that, `make check` the times. */
static bool walk_all;

static double usual_cycles[N_MACHINES][N_RUNS];
static unsigned n_felt; /* keys that made a difference, each in each model */

/* Takes the key to a value; false where the value does not go with the rest of the machine. */
static bool cycles_with(unsigned at, unsigned k, const struct strata_gpu_key *key, double value,
                        double *cycles)
{
    static struct strata_gpu g;
    char text[64];
    struct strata_result r = {0};
    g = machine[at];
    snprintf(text, sizeof text, "%.17g", value);
    if (strata_gpu_override(&g, key->path, text, NULL) || strata_gpu_validate(&g, "changed", NULL))
        return false;
    bool done = run(&g, 0, k, &r);
    *cycles = done ? elapsed_cycles(&r) : -1;
    strata_result_release(&r);
    return done && *cycles >= 0;
}

/* More of these is not slower: they are room or patience, not time. */
static bool is_patience(const struct strata_gpu_key *key)
{
    static const char *const names[] = {"sm.lsu_queue",          "l1.store_idle",
                                        "l1.store_wait",         "xbar.coalescer_window",
                                        "xbar.coalescer_return", "dram.tREFI"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], key->path))
            return true;
    return false;
}

struct walk {
    unsigned at, k;
    const struct strata_gpu_key *key;
};

static bool complain(const struct walk *w, double x, double cycles, double y, double more)
{
    print_error("%s: %s%s%s: %.0f cycles at %.15g, %.0f at %.15g\n", w->key->path, runs[w->k].model,
                runs[w->k].variant ? "/" : "", runs[w->k].variant ? runs[w->k].variant : "", cycles,
                x, more, y);
    return false;
}

/* Some machines take either of two orders of warps, and which of them changes with any number:
 * where smaller values, none of them at the end of a word, give as many cycles and as few, a jump
 * says nothing of how the value is kept. */
static bool jumps_anyway(const struct walk *w, double value, double cycles)
{
    double least = cycles * 2, most = 0, now;
    for (double below = value - 4; below > value - 100 && below > w->key->min; below -= 8)
        if (cycles_with(w->at, w->k, w->key, below, &now)) {
            least = now < least ? now : least;
            most = now > most ? now : most;
        }
    return cycles >= 0.9 * least && cycles <= 1.1 * most;
}

/* One more at the end of 8 or 16 bits is no jump. Orders of warps may change with any number, so
 * the share is not small. */
static bool is_smooth(const struct walk *w, double value, double *cycles)
{
    double less, more;
    *cycles = 0;
    if (value <= w->key->min || value > w->key->max ||
        !cycles_with(w->at, w->k, w->key, value - 1, &less) ||
        !cycles_with(w->at, w->k, w->key, value, &more))
        return true;
    *cycles = more;
    double change = more > less ? more - less : less - more;
    return change <= 0.25 * less || jumps_anyway(w, value, more) ||
           complain(w, value - 1, less, value, more);
}

/* Both limits end in an answer or a sentence; where the key is a time, more of it is not less. */
static bool is_longest_at_limit(const struct walk *w, double below, double cycles_below)
{
    double least, most;
    cycles_with(w->at, w->k, w->key, w->key->min, &least);
    if (!cycles_with(w->at, w->k, w->key, w->key->max, &most) || strcmp(w->key->unit, "cycles") ||
        is_patience(w->key))
        return true;
    return most >= 0.9 * cycles_below || complain(w, below, cycles_below, w->key->max, most);
}

/* Whether 250 more make a difference to this model on this machine. */
static bool is_felt(const struct walk *w, double now)
{
    double other;
    return cycles_with(w->at, w->k, w->key, now + 250 <= w->key->max ? now + 250 : w->key->max,
                       &other) &&
           other != usual_cycles[w->at][w->k];
}

/* Does `period` more make no difference to the cycles of this value? */
static bool is_same(const struct walk *w, double value, double period)
{
    double less, more;
    return value + period <= w->key->max && cycles_with(w->at, w->k, w->key, value, &less) &&
           cycles_with(w->at, w->k, w->key, value + period, &more) && more == less;
}

/* Of a value kept in so many bits, `period` more leaves what was there: the same cycles, where
 * fewer more made a difference. A model's answer is the same for the same machine. One value alone
 * may have the same cycles by chance, where blocks end at a fixed rate. */
static bool is_cut(const struct walk *w, double now, double period)
{
    double usual = usual_cycles[w->at][w->k];
    return is_same(w, now, period) && is_same(w, now + 250, period) &&
           is_same(w, now + 125, period) && !complain(w, now, usual, now + period, usual);
}

static bool is_longest_and_smooth(const struct walk *w)
{
    double at_8_bits, at_16_bits;
    bool good = is_smooth(w, 65536, &at_16_bits);
    good = is_smooth(w, 256, &at_8_bits) && good;
    return is_longest_at_limit(w, 65536, at_16_bits) && good;
}

static bool holds(unsigned k, const struct strata_gpu_key *key)
{
    struct walk w = {0, k, key};
    double now = 0;
    bool felt = false;
    while (!felt && w.at < N_MACHINES) {
        now = strata_gpu_number(&machine[w.at], key, 0);
        felt = is_felt(&w, now);
        w.at += !felt;
    }
    w.at = felt ? w.at : 0;
    n_felt += felt;
    /* Without a limit (0 of many keys that are no times) is the same as one that is never met. */
    bool tells = felt && (now > 0 || !strcmp(key->unit, "cycles"));
    bool good = !tells || !(is_cut(&w, now, 256) | is_cut(&w, now, 65536));
    return (!walk_all || is_longest_and_smooth(&w)) && good;
}

static void every_key_is_stored_as_wide_as_its_limits_say(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        if (key->type != STRATA_GPU_UINT && key->type != STRATA_GPU_SIZE &&
            key->type != STRATA_GPU_SIZE32 && key->type != STRATA_GPU_DOUBLE)
            continue;
        if (!walk_all && strcmp(key->unit, "cycles"))
            continue;
        for (unsigned k = 0; k < N_RUNS; k++)
            wrong += strata_model_reads_key(runs[k].model, key->path) && !holds(k, key);
    }
    print_message("%u times a key made a difference to a model\n", n_felt);
    assert_int_equal(wrong, 0);
    assert_true(n_felt >= 100); /* else nothing was compared */
}

/* Timings that validation refuses, given by a program that does not ask it: the channel is
 * refreshed before one row is open. */
static void a_clocked_model_that_has_stopped_says_so(void **state)
{
    (void)state;
    static struct strata_gpu g;
    struct strata_reader *reader;
    struct strata_result r;
    struct strata_error err;
    const struct strata_model_options opt = {.seed = 1, .threads = 1};
    g = machine[0];
    g.dram.tREFI = 2;
    g.dram.tRFC = 1;
    assert_int_equal(strata_reader_open(trace[1], 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&r, strata_trace_launch(trace[1], 0), &err), STRATA_OK);
    assert_int_equal(strata_model_find("sim")->run(&g, reader, &opt, &r, &err), STRATA_ECONFIG);
    assert_non_null(strstr(err.message, "has stopped at cycle"));
    strata_result_release(&r);
    strata_reader_close(reader);
}

static int set_up(void **state)
{
    (void)state;
    struct strata_result r;
    open_keyfix();
    for (unsigned at = 0; at < N_MACHINES; at++)
        for (unsigned k = 0; k < N_RUNS; k++) {
            r = (struct strata_result){0};
            assert_true(run(&machine[at], 0, k, &r));
            usual_cycles[at][k] = elapsed_cycles(&r);
            strata_result_release(&r);
        }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return close_keyfix();
}

int main(int argc, char **argv)
{
    walk_all = argc > 1 && !strcmp(argv[1], "all");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clocked_model_that_has_stopped_says_so),
        cmocka_unit_test(every_key_is_stored_as_wide_as_its_limits_say),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
