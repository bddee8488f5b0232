/* Sweeps: the points, the ranking, the front, stored profiles, and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/sweep.h>

#include "explore/part.h"

static struct strata_gpu gpu;

static int load(void **state)
{
    char folder[4096];
    struct strata_error err;
    (void)state;
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, &err) != STRATA_OK ||
           strata_gpu_load("h200", &gpu, &err) != STRATA_OK;
}

static struct strata_sweep *plan_of(const char *const *axes, const char *points)
{
    struct strata_sweep *s;
    struct strata_error err = {0};
    assert_int_equal(strata_sweep_create(&gpu, &s, &err), STRATA_OK);
    for (; axes && *axes; axes++)
        assert_int_equal(strata_sweep_vary(s, *axes, &err), STRATA_OK);
    if (points)
        assert_int_equal(strata_sweep_parse_points(s, points, strlen(points), "points", &err),
                         STRATA_OK);
    return s;
}

static void expect_point(const struct strata_sweep *s, size_t i, const char *settings)
{
    char *text;
    assert_int_equal(strata_sweep_settings(s, i, &text, NULL), STRATA_OK);
    assert_string_equal(text, settings);
    free(text);
}

static void points_are_all_combinations_and_the_last_axis_is_fastest(void **state)
{
    (void)state;
    const char *axes[] = {"l1.size=16KiB,32KiB", "l1.ways=4,8,16", NULL};
    struct strata_sweep *s = plan_of(axes, NULL);
    assert_int_equal(strata_sweep_count(s), 6);
    expect_point(s, 0, "l1.size=16KiB l1.ways=4");
    expect_point(s, 1, "l1.size=16KiB l1.ways=8");
    expect_point(s, 5, "l1.size=32KiB l1.ways=16");
    strata_sweep_destroy(s);
}

static void a_range_has_both_its_ends(void **state)
{
    (void)state;
    const char *axes[] = {"l1.size=16KiB..256KiB*2", "l1.ways=4..12+4",
                          "dram.efficiency=0.7..0.9+0.1", "l1.mshrs=7..9", NULL};
    struct strata_sweep *s = plan_of(axes, NULL);
    assert_int_equal(strata_sweep_count(s), 5 * 3 * 3 * 3);
    expect_point(s, 0, "l1.size=16KiB l1.ways=4 dram.efficiency=0.7 l1.mshrs=7");
    expect_point(s, 134, "l1.size=256KiB l1.ways=12 dram.efficiency=0.9 l1.mshrs=9");
    strata_sweep_destroy(s);
}

static void one_value_has_one_spelling(void **state)
{
    (void)state;
    const char *axes[] = {"l1.size=16384,0.25MiB", NULL};
    struct strata_sweep *s = plan_of(axes, NULL);
    expect_point(s, 0, "l1.size=16KiB");
    expect_point(s, 1, "l1.size=256KiB");
    strata_sweep_destroy(s);
}

static void lines_of_a_file_are_combined_with_axes(void **state)
{
    (void)state;
    const char *axes[] = {"l1.mshrs=1,2", NULL};
    struct strata_sweep *s =
        plan_of(axes, "# two\nl1.ways=4 l1.size=32KiB\n\n  l1.ways=8\t# half\n");
    assert_int_equal(strata_sweep_count(s), 4);
    expect_point(s, 0, "l1.ways=4 l1.size=32KiB l1.mshrs=1");
    expect_point(s, 3, "l1.ways=8 l1.mshrs=2");
    strata_sweep_destroy(s);
}

static void a_sweep_without_axes_is_the_gpu_itself(void **state)
{
    (void)state;
    struct strata_sweep *s = plan_of(NULL, NULL);
    assert_int_equal(strata_sweep_count(s), 1);
    expect_point(s, 0, "");
    strata_sweep_destroy(s);
}

static void what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"l1.size",
                                      "=4",
                                      "l1.size=",
                                      "l1.size=16KiB,,32KiB",
                                      "l1.sise=4",
                                      "l1.ways=8..4",
                                      "l1.ways=4..8*1",
                                      "l1.ways=4..x",
                                      "l1.ways=4..8+0",
                                      "l1.ways=0..8*2",
                                      "l1.replacement=lru..fifo",
                                      "l1.ways=4..8*x",
                                      "dram.efficiency=0..1+0.0000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct strata_sweep *s = plan_of(NULL, NULL);
        struct strata_error err = {0};
        if (strata_sweep_vary(s, bad[i], &err) != STRATA_EUSAGE)
            fail_msg("%s was taken", bad[i]);
        assert_true(strlen(err.message) > 20);
        strata_sweep_destroy(s);
    }
}

static void a_key_varied_twice_and_too_many_points_are_refused(void **state)
{
    (void)state;
    struct strata_error err = {0};
    struct strata_sweep *s = plan_of(NULL, NULL);
    assert_int_equal(strata_sweep_vary(s, "l1.ways=1,2", &err), STRATA_OK);
    assert_int_equal(strata_sweep_vary(s, "l1.ways=4", &err), STRATA_EUSAGE);
    strata_sweep_destroy(s);
    s = plan_of(NULL, NULL);
    assert_int_equal(strata_sweep_vary(s, "l1.hit=1..100000", &err), STRATA_OK);
    assert_int_equal(strata_sweep_vary(s, "l2.hit=1..100000", &err), STRATA_ELIMIT);
    strata_sweep_destroy(s);
}

static void a_bad_line_is_named(void **state)
{
    (void)state;
    struct strata_error err = {0};
    struct strata_sweep *s = plan_of(NULL, NULL);
    static const char text[] = "l1.ways=4\nl1.ways\n", key[] = "\n\nl1.wys=4\n",
                      none[] = "# nothing\n";
    assert_int_equal(strata_sweep_parse_points(s, text, sizeof text - 1, "p.txt", &err),
                     STRATA_EFORMAT);
    assert_string_equal(err.file, "p.txt");
    assert_int_equal(err.line, 2);
    assert_int_equal(strata_sweep_parse_points(s, key, sizeof key - 1, "p.txt", &err),
                     STRATA_ECONFIG);
    assert_int_equal(err.line, 3);
    assert_int_equal(strata_sweep_parse_points(s, none, sizeof none - 1, "p.txt", &err),
                     STRATA_EFORMAT);
    strata_sweep_destroy(s);
}

/* ---- goals, on results made by hand ---- */

static struct strata_sweep_results hand_made(const double (*value)[2], size_t n)
{
    struct strata_sweep_results r = {.n_metrics = 2, .n_points = n};
    r.metric = calloc(2, sizeof *r.metric);
    r.metric[0] = strdup("sm__cycles_elapsed.max");
    r.metric[1] = strdup("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct");
    r.point = calloc(n, sizeof *r.point);
    for (size_t i = 0; i < n; i++) {
        r.point[i].settings = strdup("");
        r.point[i].value = calloc(2, sizeof(double));
        memcpy(r.point[i].value, value[i], sizeof value[i]);
    }
    return r;
}

static void least_cycles_and_most_hits_are_best(void **state)
{
    (void)state;
    static const double v[][2] = {{300, 10}, {100, 50}, {200, 90}, {100, NAN}, {50, 60}};
    struct strata_sweep_results r = hand_made(v, 5);
    r.point[4].failed = true;
    assert_int_equal(strata_sweep_rank(&r, "sm__cycles_elapsed.max", NULL), STRATA_OK);
    const uint32_t by_cycles[] = {4, 1, 3, 1, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(r.point[i].rank, by_cycles[i]);
    assert_int_equal(strata_sweep_rank(&r, r.metric[1], NULL), STRATA_OK);
    const uint32_t by_hits[] = {3, 2, 1, 0, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(r.point[i].rank, by_hits[i]);
    assert_int_equal(strata_sweep_rank(&r, "sm__cycles_elapsed.max:max", NULL), STRATA_OK);
    assert_int_equal(r.point[0].rank, 1);
    assert_int_equal(strata_sweep_rank(&r, "sm__cycles_elapsed.max:most", NULL), STRATA_EUSAGE);
    assert_int_equal(strata_sweep_rank(&r, "dram__sectors_read.sum", NULL), STRATA_EUSAGE);
    strata_sweep_results_release(&r);
}

/* The definition, without our order of comparing. */
static bool beaten(const double (*v)[2], size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++)
        if (v[j][0] <= v[i][0] && v[j][1] >= v[i][1] && (v[j][0] < v[i][0] || v[j][1] > v[i][1]))
            return true;
    return false;
}

static void the_front_is_what_nothing_beats(void **state)
{
    (void)state;
    enum { N = 200 };
    double v[N][2];
    uint32_t x = 7;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) {
            x = x * 1664525u + 1013904223u;
            v[i][k] = (x >> 24) % 40;
        }
    struct strata_sweep_results r = hand_made((const double(*)[2])v, N);
    char goals[256];
    snprintf(goals, sizeof goals, "%s,%s:max", r.metric[0], r.metric[1]);
    assert_int_equal(strata_sweep_front(&r, goals, NULL), STRATA_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(r.point[i].on_front, !beaten((const double(*)[2])v, N, (size_t)i));
    assert_int_equal(strata_sweep_front(&r, "sm__cycles_elapsed.max", NULL), STRATA_EUSAGE);
    strata_sweep_results_release(&r);
}

/* ---- runs ---- */

static void open_launches(struct strata_launch_set *set, const char *name)
{
    char path[4096];
    struct strata_error err;
    memset(set, 0, sizeof *set);
    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("STRATA_SOURCE"), name);
    assert_int_equal(strata_launch_set_add(set, path, NULL, NULL, NULL, &err), STRATA_OK);
}

static char *run_to_csv(const char *model, const char *const *axes, const char *database,
                        uint32_t jobs, const struct strata_team *team)
{
    struct strata_launch_set set;
    struct strata_sweep *s = plan_of(axes, NULL);
    struct strata_sweep_results r;
    struct strata_error err = {0};
    char *text = NULL;
    size_t length;
    open_launches(&set, "rod_bfs.strata");
    struct strata_sweep_options opt = {.model = strata_model_find(model),
                                       .model_options = {.seed = 1},
                                       .jobs = jobs,
                                       .database = database,
                                       .keep_launch_values = true,
                                       .team = team};
    struct strata_sweep_print_options print = {.each_launch = true};
    if (strata_sweep_run(s, &set, &opt, &r, &err) != STRATA_OK)
        fail_msg("%s", err.message);
    assert_int_equal(strata_sweep_print(&r, STRATA_FORMAT_CSV, &print, &text, &length, &err),
                     STRATA_OK);
    strata_sweep_results_release(&r);
    strata_sweep_destroy(s);
    strata_launch_set_release(&set);
    return text;
}

static const char *const small_axes[] = {"l1.ways=4,8,3", "l2.hit=200,250", NULL};

static void the_number_of_threads_changes_nothing(void **state)
{
    (void)state;
    static const char *const models[] = {"coalesce", "interval"};
    for (int m = 0; m < 2; m++) {
        char *one = run_to_csv(models[m], small_axes, NULL, 1, NULL),
             *four = run_to_csv(models[m], small_axes, NULL, 4, NULL);
        assert_string_equal(one, four);
        assert_non_null(strstr(one, "whole number of sets"));
        free(one);
        free(four);
    }
}

static void equal_points_are_run_once_and_shown_twice(void **state)
{
    (void)state;
    static const char *const axes[] = {"l1.ways=4,8,4", NULL};
    char *text = run_to_csv("coalesce", axes, NULL, 2, NULL), *again = strstr(text, "\n5"),
         *first = strstr(text, "\n1,");
    (void)again;
    assert_non_null(first);
    char *third = strstr(text, "\n3,");
    assert_non_null(third);
    assert_memory_equal(first + 3, third + 3, 16);
    free(text);
}

/* An interval profile of the base GPU serves other latencies: what comes out is what an evaluation
 * of that very profile gives, not a second profile. */
static void points_of_one_profile_do_not_depend_on_one_another(void **state)
{
    (void)state;
    static const char *const both[] = {"l2.hit=200,250", NULL}, *const one[] = {"l2.hit=250", NULL};
    char *two = run_to_csv("interval", both, NULL, 1, NULL),
         *alone = run_to_csv("interval", one, NULL, 1, NULL);
    const char *row = strchr(alone, '\n') + 2;
    const char *second = strstr(two, "\n2,");
    assert_non_null(second);
    assert_memory_equal(second + 2, row, strcspn(row, "\n"));
    free(two);
    free(alone);
}

/* ---- two processes, played by two threads over a queue ---- */

struct mail {
    pthread_mutex_t lock;
    pthread_cond_t there;
    struct letter {
        int from;
        void *data;
        size_t length;
    } letter[2][64];
    size_t n[2], read[2];
};
struct end {
    struct mail *mail;
    int rank;
};

static strata_status post(void *context, int to, const void *data, size_t length,
                          struct strata_error *err)
{
    struct end *e = context;
    void *copy = malloc(length + 1);
    (void)err;
    memcpy(copy, data, length);
    pthread_mutex_lock(&e->mail->lock);
    e->mail->letter[to][e->mail->n[to]++ % 64] = (struct letter){e->rank, copy, length};
    pthread_cond_broadcast(&e->mail->there);
    pthread_mutex_unlock(&e->mail->lock);
    return STRATA_OK;
}

static strata_status fetch(void *context, int *from, void **data, size_t *length,
                           struct strata_error *err)
{
    struct end *e = context;
    (void)err;
    pthread_mutex_lock(&e->mail->lock);
    while (e->mail->read[e->rank] == e->mail->n[e->rank])
        pthread_cond_wait(&e->mail->there, &e->mail->lock);
    struct letter l = e->mail->letter[e->rank][e->mail->read[e->rank]++ % 64];
    pthread_mutex_unlock(&e->mail->lock);
    *from = l.from;
    *data = l.data;
    *length = l.length;
    return STRATA_OK;
}

struct second {
    const char *model;
    struct strata_team team;
};

static void *second_process(void *context)
{
    struct second *p = context;
    free(run_to_csv(p->model, small_axes, NULL, 2, &p->team));
    return NULL;
}

static void two_processes_give_what_one_gives(void **state)
{
    (void)state;
    static const char *const models[] = {"coalesce", "interval"};
    for (int m = 0; m < 2; m++) {
        struct mail mail = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{{0}}}, {0}, {0}};
        struct end a = {&mail, 0}, b = {&mail, 1};
        struct strata_team first = {.size = 2, .context = &a, .send = post, .receive = fetch};
        struct second second = {
            models[m], {.rank = 1, .size = 2, .context = &b, .send = post, .receive = fetch}};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, second_process, &second), 0);
        char *shared = run_to_csv(models[m], small_axes, NULL, 1, &first),
             *alone = run_to_csv(models[m], small_axes, NULL, 1, NULL);
        pthread_join(thread, NULL);
        assert_string_equal(shared, alone);
        free(shared);
        free(alone);
    }
}

static void a_message_cut_short_is_noticed(void **state)
{
    (void)state;
    struct message m = {0};
    struct part_outcome o = {.failed = true, .error = strdup("no"), .n = 1}, back;
    o.counter = calloc(1, sizeof *o.counter);
    o.counter[0] = (struct strata_counter){strdup("a"), 0.1};
    message_put_outcome(&m, &o);
    size_t whole = m.length;
    for (size_t n = 0; n <= whole; n++) {
        m.length = n;
        m.at = 0;
        m.bad = false;
        message_get_outcome(&m, &back);
        assert_int_equal(m.bad, n < whole);
        part_outcome_release(&back);
    }
    part_outcome_release(&o);
    message_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_all_combinations_and_the_last_axis_is_fastest),
        cmocka_unit_test(a_range_has_both_its_ends),
        cmocka_unit_test(one_value_has_one_spelling),
        cmocka_unit_test(lines_of_a_file_are_combined_with_axes),
        cmocka_unit_test(a_sweep_without_axes_is_the_gpu_itself),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(a_key_varied_twice_and_too_many_points_are_refused),
        cmocka_unit_test(a_bad_line_is_named),
        cmocka_unit_test(least_cycles_and_most_hits_are_best),
        cmocka_unit_test(the_front_is_what_nothing_beats),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(equal_points_are_run_once_and_shown_twice),
        cmocka_unit_test(points_of_one_profile_do_not_depend_on_one_another),
        cmocka_unit_test(two_processes_give_what_one_gives),
        cmocka_unit_test(a_message_cut_short_is_noticed),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
