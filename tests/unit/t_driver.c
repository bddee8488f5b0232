/* The driver: any number of threads, one answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/predict.h>

enum { N_LAUNCHES = 12, N_MANY = 200 };

/* A model of the test's own: counts warp instructions, and fails where it is told to. */
static strata_status count_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct strata_model_options *opt, struct strata_result *out,
                               struct strata_error *err)
{
    (void)gpu;
    uint64_t n = 0;
    const struct strata_launch *launch = strata_reader_launch(reader);
    const char *fail_at = opt->settings ? opt->settings[0] : NULL;
    for (;;) {
        struct strata_block *block;
        strata_status status = strata_reader_next(reader, &block, err);
        if (status == STRATA_END)
            break;
        if (status != STRATA_OK)
            return status;
        for (uint32_t w = 0; w < block->n_warps; w++)
            n += block->warp_instructions[w];
        strata_block_destroy(block);
    }
    /* later launches are done sooner, so that threads finish out of order */
    usleep((useconds_t)(1000 * (N_LAUNCHES - launch->id)));
    if (fail_at && launch->id >= strtoull(fail_at, NULL, 10))
        return strata_fail(err, STRATA_ELIMIT, launch->trace, 0, 0, "launch %llu was told to fail.",
                           (unsigned long long)launch->id);
    strata_result_set(out, "smsp__inst_executed.sum", (double)n);
    strata_result_set(out, "strata__seed", (double)opt->seed);
    return STRATA_OK;
}

static const struct strata_model counter = {
    .name = "count", .summary = "counts warp instructions", .run = count_run};

struct folder {
    char path[64];
};

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* A kernel of so many blocks of one warp with two instructions. */
static void write_kernel(const char *folder, const char *name, unsigned k, unsigned blocks)
{
    char text[8192];
    int at = snprintf(text, sizeof text,
                      "-kernel name = k%u\n-kernel id = %u\n-grid dim = (%u,1,1)\n-block dim = "
                      "(32,1,1)\n-shmem = "
                      "0\n-nregs = 16\n-binary version = 90\n-cuda stream id = 0\n-shmem "
                      "base_addr = 0x0\n-local "
                      "mem base_addr = 0x0\n-nvbit version = 1\n-accelsim tracer version = "
                      "3\n\n#traces format = "
                      "x\n",
                      k, k, blocks);
    for (unsigned b = 0; b < blocks; b++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "\n#BEGIN_TB\n\nthread block = %u,0,0\n\nwarp = 0\ninsts = 2\n0000 "
                       "ffffffff 1 R1 MOV 0 0 "
                       "\n0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
                       b);
    write_file(folder, name, text);
}

/* Launch k has k blocks, or `most`. */
static void write_trace(const char *folder, unsigned n, unsigned most)
{
    char list[8192] = "", name[32];
    assert_int_equal(mkdir(folder, 0700), 0);
    for (unsigned k = 1; k <= n; k++) {
        snprintf(name, sizeof name, "kernel-%u.traceg", k);
        write_kernel(folder, name, k, k < most ? k : most);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s\n", name);
    }
    write_file(folder, "kernelslist.g", list);
}

static int make_folder(void **state)
{
    static struct folder f;
    strcpy(f.path, "/tmp/strata-driver-XXXXXX");
    if (!mkdtemp(f.path))
        return -1;
    char path[128];
    snprintf(path, sizeof path, "%s/b_second", f.path);
    write_trace(path, 2, 2);
    snprintf(path, sizeof path, "%s/a_first", f.path);
    write_trace(path, N_LAUNCHES, N_LAUNCHES);
    snprintf(path, sizeof path, "%s/.many", f.path); /* not one of the folder's traces */
    write_trace(path, N_MANY, 2);
    write_file(f.path, "README", "not a trace\n");
    *state = &f;
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", ((struct folder *)*state)->path);
    return system(command);
}

static char *predict_as_json(const char *path, uint32_t jobs)
{
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_predict_options opt = {
        .model = &counter, .model_options = {.seed = 5}, .jobs = jobs};
    struct strata_error err;
    char *text;
    size_t length;
    if (strata_launch_set_add(&set, path, NULL, NULL, NULL, &err) != STRATA_OK)
        fail_msg("%s: %s", err.file, err.message);
    assert_int_equal(strata_prediction_init(&p, "g", counter.name, NULL, 5, &err), STRATA_OK);
    if (strata_predict(&set, gpu, &opt, &p, &err) != STRATA_OK)
        fail_msg("%s: %s", err.file, err.message);
    assert_int_equal(strata_prediction_print(&p, STRATA_FORMAT_JSON, &text, &length, &err),
                     STRATA_OK);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
    free(gpu);
    return text;
}

static void results_are_the_same_bytes_for_any_number_of_threads(void **state)
{
    struct folder *f = *state;
    char *one = predict_as_json(f->path, 1);
    for (uint32_t jobs = 2; jobs <= 32; jobs *= 2) {
        char *many = predict_as_json(f->path, jobs);
        assert_string_equal(one, many);
        free(many);
    }
    /* and they are right */
    assert_non_null(strstr(
        one, "\"program\": \"a_first\", \"trace\": \"kernel-12.traceg\", \"id\": 12, \"kernel\": "
             "\"k12\",\n   \"grid\": [12, 1, 1], \"block\": [32, 1, 1],\n   \"metrics\": "
             "{\"smsp__inst_executed.sum\": 24, \"strata__seed\": 5}"));
    free(one);
}

static void a_folder_of_programs_is_taken_by_name(void **state)
{
    struct folder *f = *state;
    struct strata_launch_set set = {0};
    assert_int_equal(strata_launch_set_add(&set, f->path, NULL, NULL, NULL, NULL), STRATA_OK);
    assert_int_equal(set.n_traces, 2);
    assert_int_equal(set.n_launches, N_LAUNCHES + 2);
    assert_string_equal(strata_trace_launch(set.launch[0].trace, 0)->program, "a_first");
    assert_string_equal(strata_trace_launch(set.launch[N_LAUNCHES].trace, 0)->program, "b_second");
    strata_launch_set_release(&set);
}

static bool only_even(void *context, const struct strata_launch *launch, size_t index)
{
    ++*(size_t *)context;
    assert_int_equal(launch->id, index + 1);
    return launch->id % 2 == 0;
}

static void a_choice_leaves_launches_out(void **state)
{
    struct folder *f = *state;
    struct strata_launch_set set = {0};
    size_t asked = 0;
    assert_int_equal(strata_launch_set_add(&set, f->path, NULL, only_even, &asked, NULL),
                     STRATA_OK);
    assert_int_equal(asked, N_LAUNCHES + 2);
    assert_int_equal(set.n_launches, N_LAUNCHES / 2 + 1);
    strata_launch_set_release(&set);
}

static void the_first_failure_in_order_is_the_one_told(void **state)
{
    struct folder *f = *state;
    static const char *const settings[] = {"5", NULL};
    for (uint32_t jobs = 1; jobs <= 16; jobs *= 2) {
        struct strata_launch_set set = {0};
        struct strata_prediction p;
        struct strata_gpu *gpu = calloc(1, sizeof *gpu);
        struct strata_error err;
        struct strata_predict_options opt = {
            .model = &counter, .model_options = {.settings = settings}, .jobs = jobs};
        assert_int_equal(strata_launch_set_add(&set, f->path, NULL, NULL, NULL, &err), STRATA_OK);
        assert_int_equal(strata_prediction_init(&p, "g", "m", NULL, 1, &err), STRATA_OK);
        assert_int_equal(strata_predict(&set, gpu, &opt, &p, &err), STRATA_ELIMIT);
        assert_string_equal(err.message, "launch 5 was told to fail.");
        strata_prediction_release(&p);
        strata_launch_set_release(&set);
        free(gpu);
    }
}

/* ---- results that are handed over ---- */

/* The first launch ends when all others have. */
static atomic_uint n_ended;
static strata_status wait_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                              const struct strata_model_options *opt, struct strata_result *out,
                              struct strata_error *err)
{
    (void)gpu, (void)opt, (void)err;
    const struct strata_launch *launch = strata_reader_launch(reader);
    for (int i = 0; launch->id == 1 && i < 10000 && n_ended < N_MANY - 1; i++)
        usleep(1000);
    n_ended++;
    strata_result_set(out, "strata__number", (double)launch->id);
    strata_result_set(out, "strata__third", (double)launch->id / 3);
    strata_result_detail_text(out, "words.of", launch->kernel);
    strata_result_warn(out, "this is launch %llu", (unsigned long long)launch->id);
    return STRATA_OK;
}
static const struct strata_model waiter = {
    .name = "wait", .summary = "waits for others", .run = wait_run};

struct taken {
    size_t n, fail_at;
};

/* Launches one after another, whole, whether they have waited in memory or in a file. */
static strata_status take(void *context, size_t launch, struct strata_result *r,
                          struct strata_error *err)
{
    struct taken *t = context;
    char words[32];
    double value;
    assert_int_equal(launch, t->n);
    snprintf(words, sizeof words, "k%zu", launch + 1);
    assert_string_equal(r->kernel, words);
    assert_true(strata_result_get(r, "strata__third", &value));
    assert_true(value == (double)(launch + 1) / 3);
    assert_int_equal(r->n_details, 1);
    assert_string_equal(r->detail[0].text, words);
    snprintf(words, sizeof words, "this is launch %zu", launch + 1);
    assert_string_equal(r->warning[0], words);
    if (++t->n == t->fail_at)
        return strata_fail(err, STRATA_EIO, NULL, 0, 0, "no more than %zu.", t->n);
    return STRATA_OK;
}

static strata_status predict_many(struct folder *f, struct taken *taken, struct strata_error *err)
{
    char path[128];
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_predict_options opt = {
        .model = &waiter, .jobs = 3, .take = take, .take_context = taken};
    n_ended = 0;
    snprintf(path, sizeof path, "%s/.many", f->path);
    assert_int_equal(strata_launch_set_add(&set, path, NULL, NULL, NULL, err), STRATA_OK);
    assert_int_equal(strata_prediction_init(&p, "g", "m", NULL, 1, err), STRATA_OK);
    strata_status status = strata_predict(&set, gpu, &opt, &p, err);
    assert_int_equal(p.n_results, 0);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
    free(gpu);
    return status;
}

static void results_are_handed_over_in_order_however_long_they_waited(void **state)
{
    struct taken taken = {0};
    struct strata_error err;
    assert_int_equal(predict_many(*state, &taken, &err), STRATA_OK);
    assert_int_equal(taken.n, N_MANY);
}

static void who_takes_results_may_fail(void **state)
{
    struct taken taken = {.fail_at = 100};
    struct strata_error err;
    assert_int_equal(predict_many(*state, &taken, &err), STRATA_EIO);
    assert_string_equal(err.message, "no more than 100.");
    assert_int_equal(taken.n, 100);
}

static void remember_progress(void *context, size_t n_done, size_t n_launches,
                              uint64_t warp_instructions)
{
    size_t *last = context;
    assert_int_equal(n_done, *last + 1);
    assert_int_equal(n_launches, N_LAUNCHES + 2);
    assert_true(warp_instructions >= 2 * n_done);
    *last = n_done;
}

static void progress_counts_every_launch_once(void **state)
{
    struct folder *f = *state;
    size_t last = 0;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_predict_options opt = {
        .model = &counter, .jobs = 4, .progress = remember_progress, .progress_context = &last};
    assert_int_equal(strata_launch_set_add(&set, f->path, NULL, NULL, NULL, NULL), STRATA_OK);
    assert_int_equal(strata_prediction_init(&p, "g", "m", NULL, 1, NULL), STRATA_OK);
    assert_int_equal(strata_predict(&set, gpu, &opt, &p, NULL), STRATA_OK);
    assert_int_equal(last, N_LAUNCHES + 2);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
    free(gpu);
}

static void a_path_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_error err;
    assert_int_not_equal(strata_launch_set_add(&set, "/nowhere/at/all", NULL, NULL, NULL, &err),
                         STRATA_OK);
    assert_non_null(strstr(err.file, "/nowhere/at/all"));
    strata_launch_set_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(a_folder_of_programs_is_taken_by_name),
        cmocka_unit_test(a_choice_leaves_launches_out),
        cmocka_unit_test(the_first_failure_in_order_is_the_one_told),
        cmocka_unit_test(results_are_handed_over_in_order_however_long_they_waited),
        cmocka_unit_test(who_takes_results_may_fail),
        cmocka_unit_test(progress_counts_every_launch_once),
        cmocka_unit_test(a_path_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
