/* GPU files on disk: how they extend each other, and that those that are shipped are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/gpu.h>

/* Large: kept off the stack. */
static struct strata_gpu gpu, other;

#define HEAD "sm_version: 90\nsm: {count: 4, clock: 1000}\n"

static const char *source(const char *path)
{
    return strata_gpu_source(&gpu, strata_gpu_find_key(path));
}

/* ---- files ---- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void a_file_extends_another_and_may_not_run_in_a_circle(void **state)
{
    (void)state;
    char folder[] = "/tmp/strata-gpu-XXXXXX", path[600], text[1400];
    struct strata_error err = {0};
    assert_non_null(mkdtemp(folder));
    write_file(folder, "base.yaml",
               HEAD "name: b\ndescription: the base\nl1: {source: s, hit: 30, ways: 8}\n");
    write_file(folder, "child.yaml", "extends: base\nl1: {hit: 31}\n");
    write_file(folder, "grandchild.yaml", "extends: child.yaml\nl1: {ways: 3}\n");
    write_file(folder, "loop.yaml", "extends: loop2\n");
    write_file(folder, "loop2.yaml", "extends: loop\n");
    write_file(folder, "lost.yaml", "extends: nowhere\n");
    snprintf(path, sizeof path, "%s/child.yaml", folder);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_OK);
    assert_string_equal(gpu.name, "child");
    assert_string_equal(gpu.description, "");
    assert_int_equal(gpu.l1.hit_cycles, 31);
    assert_int_equal(gpu.l1.cache.ways, 8);
    assert_string_equal(source("l1.ways"), "s");
    assert_string_equal(source("l1.hit"), "");
    /* A contradiction is reported where the offending value stands. */
    snprintf(path, sizeof path, "%s/grandchild.yaml", folder);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_ECONFIG);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 2);
    snprintf(path, sizeof path, "%s/loop.yaml", folder);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_ECONFIG);
    assert_string_equal(err.message,
                        "files extend one another more than 8 deep; is there a circle?");
    snprintf(path, sizeof path, "%s/lost.yaml", folder);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_ECONFIG);
    strata_error_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "lost.yaml:1:10: extends: there is no GPU \"nowhere\" in "));
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
}

/* Someone's own h200.yaml may build on the h200 further down the search list. */
static void a_file_may_extend_the_one_of_its_own_name(void **state)
{
    (void)state;
    char folder[] = "/tmp/strata-gpu-XXXXXX", path[600], command[700];
    struct strata_error err = {0};
    assert_non_null(mkdtemp(folder));
    write_file(folder, "h200.yaml", "extends: h200\nl1: {hit: 77}\n");
    snprintf(path, sizeof path, "%s/h200.yaml", folder);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_OK);
    assert_int_equal(gpu.l1.hit_cycles, 77);
    assert_int_equal(gpu.sm.count, 132);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void only_regular_files_of_a_sensible_size_are_read(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(strata_gpu_load("/dev/zero", &gpu, &err), STRATA_EIO);
    assert_string_equal(err.message, "this is not a file; name a GPU file (.yaml).");
    assert_int_equal(strata_gpu_load("/", &gpu, &err), STRATA_EIO);
    assert_int_equal(strata_gpu_load("/nonexistent/x.yaml", &gpu, &err), STRATA_EIO);
    assert_int_equal(strata_gpu_load("h2000", &gpu, &err), STRATA_ECONFIG);
    assert_non_null(strstr(err.message, "(did you mean \"h200\"?)"));
    char path[] = "/tmp/strata-gpu-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, 2 << 20) == 0);
    close(fd);
    assert_int_equal(strata_gpu_load(path, &gpu, &err), STRATA_ELIMIT);
    unlink(path);
}

static unsigned shipped; /* how many files a test went through */

static void for_each_shipped(void (*check)(const char *name))
{
    const char *folder = strata_gpu_path(0);
    DIR *dir = opendir(folder);
    struct dirent *entry;
    assert_non_null(dir);
    shipped = 0;
    while ((entry = readdir(dir))) {
        char name[64];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml"))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 5, entry->d_name);
        struct strata_error err = {0};
        char text[1400];
        if (strata_gpu_load(name, &gpu, &err) != STRATA_OK) {
            strata_error_text(&err, text, sizeof text);
            fail_msg("%s", text);
        }
        check(name);
        shipped++;
    }
    closedir(dir);
    assert_true(shipped >= 9);
}

static void has_sources(const char *name)
{
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        if (strata_gpu_is_set(&gpu, key) && key->type != STRATA_GPU_STRING &&
            strlen(strata_gpu_source(&gpu, key)) < 5)
            fail_msg("%s: %s has no source", name, key->path);
    }
    assert_string_equal(gpu.name, name);
    assert_true(strlen(gpu.description) > 10);
    assert_true(strlen(gpu.evidence) > 10);
}

static void every_shipped_file_is_right_and_gives_a_source_for_every_number(void **state)
{
    (void)state;
    for_each_shipped(has_sources);
}

/* What the vendor's documents give as peaks, GB/s and GFLOP/s, with the clock each file has. */
static const struct {
    const char *name;
    double dram_gb_s, fp32_gflop_s;
} vendor[] = {
    {"rtx2080ti", 616, 13450}, {"rtx3080", 760, 29770},  {"rtx4090", 1008, 82600},
    {"rtx5090", 1792, 104800}, {"a4000", 448, 19200},    {"a6000", 768, 38700},
    {"l40s", 864, 91600},      {"v100", 900, 15700},     {"gv100", 870, 14800},
    {"a100", 2039, 19500},     {"a100-40", 1555, 19500}, {"h100", 3350, 67000},
    {"gh200", 4000, 67000},    {"h200", 4800, 67000},    {"b200", 8000, 75000},
};

struct peaks {
    double dram_gb_s, fp32_gflop_s;
};

static bool note_peak(void *context, const char *name, double value, const char *unit,
                      const char *how)
{
    struct peaks *p = context;
    (void)unit;
    (void)how;
    if (!strcmp(name, "DRAM peak"))
        p->dram_gb_s = value;
    if (!strcmp(name, "FP32 peak"))
        p->fp32_gflop_s = value;
    return true;
}

static void derived_peaks_are_the_vendors_within_two_per_cent(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vendor / sizeof vendor[0]; i++) {
        struct strata_error err = {0};
        struct peaks p = {0};
        assert_int_equal(strata_gpu_load(vendor[i].name, &gpu, &err), STRATA_OK);
        strata_gpu_totals(&gpu, note_peak, &p);
        if (fabs(p.dram_gb_s / vendor[i].dram_gb_s - 1) > 0.02)
            fail_msg("%s: DRAM peak %g GB/s", vendor[i].name, p.dram_gb_s);
        if (fabs(p.fp32_gflop_s / vendor[i].fp32_gflop_s - 1) > 0.02)
            fail_msg("%s: FP32 peak %g GFLOP/s", vendor[i].name, p.fp32_gflop_s);
    }
}

static void a_class_is_one_of_three_and_is_not_inherited(void **state)
{
    (void)state;
    struct strata_error err = {0};
    static const char wrong[] = "sm_version: 90\nsm: {count: 1, clock: 1000}\nclass: guessed\n";
    static const char child[] = "extends: h200\nsm_version: 90\n";
    assert_int_not_equal(strata_gpu_parse(wrong, strlen(wrong), "w.yaml", &gpu, &err), STRATA_OK);
    assert_non_null(strstr(err.message, "class is \"guessed\""));
    assert_int_equal(strata_gpu_parse(child, strlen(child), "c.yaml", &gpu, &err), STRATA_OK);
    assert_string_equal(gpu.evidence, "");
}

static void survives_writing(const char *name)
{
    char *first = NULL, *second = NULL;
    struct strata_error err = {0};
    assert_int_equal(strata_gpu_to_yaml(&gpu, &first, &err), STRATA_OK);
    other = gpu;
    if (strata_gpu_parse(first, strlen(first), "b.yaml", &gpu, &err) != STRATA_OK)
        fail_msg("%s:%u: %s", name, err.line, err.message);
    assert_memory_equal(&gpu, &other, offsetof(struct strata_gpu, origin));
    assert_int_equal(strata_gpu_to_yaml(&gpu, &second, &err), STRATA_OK);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void writing_and_reading_a_description_changes_nothing(void **state)
{
    (void)state;
    for_each_shipped(survives_writing);
}

/* Where a file stands is kept with its sources, once for every file it extends: a checkout in a
 * deep folder must not fill the room that a checkout near the root leaves. */
static void leaves_room_for_long_paths(const char *name)
{
    enum { LONGEST_PATH = 4096, FILES_OF_A_CHAIN = 3 };
    if (gpu.n_notes + FILES_OF_A_CHAIN * LONGEST_PATH > sizeof gpu.notes)
        fail_msg("%s: %u of %zu bytes of sources are used", name, gpu.n_notes, sizeof gpu.notes);
}

static void shipped_files_can_stand_in_deep_folders(void **state)
{
    (void)state;
    for_each_shipped(leaves_room_for_long_paths);
}

/* A description made in memory says what reading would otherwise derive from other keys. */
static void writing_a_description_made_in_memory_keeps_its_values(void **state)
{
    (void)state;
    struct strata_error err;
    strata_gpu_init(&gpu);
    assert_int_equal(strata_gpu_set(&gpu, "sm_version", "70", &err), STRATA_OK);
    assert_int_equal(strata_gpu_set(&gpu, "sm.count", "80", &err), STRATA_OK);
    assert_int_equal(strata_gpu_set(&gpu, "sm.clock", "1200", &err), STRATA_OK);
    assert_int_equal(strata_gpu_set(&gpu, "name", "b", &err), STRATA_OK);
    assert_int_equal(strata_gpu_set(&gpu, "l1.unified", "64KiB", &err), STRATA_OK);
    assert_int_not_equal(gpu.l2.cache.sector_bytes, gpu.l2.cache.line_bytes);
    gpu.l1.hit_cycles = 77;
    survives_writing("b");
}

/* Facts of the papers and the card that a slip of the pen would change. */
static void the_shipped_files_say_what_their_sources_say(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double dram_gb_s;
        uint32_t sms, max_warps, l1_sets;
        uint64_t l2_bytes;
    } facts[] = {
        {"gtx470", 133.92, 14, 48, 32, 640 << 10},
        {"gtx470-48k", 133.92, 14, 48, 64, 640 << 10},
        {"gtx560ti", 134.40, 8, 48, 32, 512 << 10},
        {"gtx780", 288.38, 12, 64, 32, 1536 << 10},
        {"gtx980", 224.38, 16, 64, 4, 2048 << 10},
        {"pascal-mdm", 480, 28, 64, 64, 3 << 20},
        {"titanv-old", 652.8, 80, 64, 64, 4608 << 10},
        {"titanv-new", 652.8, 80, 64, 4, 4608 << 10},
        {"a100", 2039.0, 108, 64, 0, 40 << 20},
        {"h100", 3352.3, 132, 64, 0, 50 << 20},
        {"h200", 4814.3, 132, 64, 0, 62914560},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct strata_error err;
        assert_int_equal(strata_gpu_load(facts[i].gpu, &gpu, &err), STRATA_OK);
        assert_int_equal(gpu.sm.count, facts[i].sms);
        assert_int_equal(gpu.sm.max_warps, facts[i].max_warps);
        if (facts[i].l1_sets) /* 0: not known */
            assert_int_equal(gpu.l1.cache.size_bytes / gpu.l1.cache.line_bytes / gpu.l1.cache.ways,
                             facts[i].l1_sets);
        assert_int_equal(gpu.l2.cache.size_bytes, facts[i].l2_bytes);
        assert_true(fabs(1e-9 * strata_gpu_dram_bytes_per_second(&gpu) / facts[i].dram_gb_s - 1) <
                    1e-3);
    }
}

struct find_total {
    const char *name;
    double value;
    unsigned n;
};

static bool find_total(void *context, const char *name, double value, const char *unit,
                       const char *how)
{
    struct find_total *f = context;
    (void)unit;
    (void)how;
    f->n++;
    if (!strcmp(name, f->name)) {
        f->value = value;
        return false;
    }
    return true;
}

static double total(const char *name)
{
    struct find_total f = {name, -1, 0};
    strata_gpu_totals(&gpu, find_total, &f);
    return f.value;
}

static void totals_are_computed_from_the_values(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(strata_gpu_load("h200", &gpu, &err), STRATA_OK);
    assert_true(total("resident threads") == 132 * 2048);
    assert_true(total("L2 of a slice") == 655360);
    assert_true(total("L1 beside 228KiB shared") == 28672);
    assert_int_equal(strata_gpu_load("pascal-mdm", &gpu, &err), STRATA_OK);
    assert_true(total("L2 sets of a slice") == 128);
    assert_true(total("crossbar bandwidth") == 1050);
    assert_true(total("load to use from DRAM") == 340);
    assert_int_equal(strata_gpu_load("gtx560ti", &gpu, &err), STRATA_OK);
    assert_true(total("entries of the second TLB") == 65);
    assert_true(total("no such total") == -1);
}

static void the_h200_order_deals_whole_clusters_in_pairs(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(strata_gpu_load("h200", &gpu, &err), STRATA_OK);
    assert_int_equal(gpu.launch.n_order, 132);
    assert_int_equal(gpu.launch.order[0], 124);
    assert_int_equal(gpu.launch.order[8], 0);
    unsigned size[8] = {0};
    for (size_t i = 0; i < 132; i++) {
        uint32_t sm = gpu.launch.order[i];
        size[gpu.launch.gpc_of_sm[sm]]++;
        if (i % 2)
            assert_int_equal(sm, gpu.launch.order[i - 1] + 1);
        if (i)
            assert_true(gpu.launch.gpc_of_sm[sm] >= gpu.launch.gpc_of_sm[gpu.launch.order[i - 1]]);
    }
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(size[i], i < 6 ? 16 : 18);
}

static void the_search_list_has_a_limit_and_no_repeats(void **state)
{
    (void)state;
    struct strata_error err;
    const char *first = strata_gpu_path(0);
    assert_int_equal(strata_gpu_add_path(first, &err), STRATA_OK);
    assert_null(strata_gpu_path(1));
    char folder[32];
    for (int i = 1; i < 16; i++) {
        snprintf(folder, sizeof folder, "/nonexistent/%d", i);
        assert_int_equal(strata_gpu_add_path(folder, &err), STRATA_OK);
    }
    assert_int_equal(strata_gpu_add_path("/nonexistent/16", &err), STRATA_ELIMIT);
    assert_string_equal(strata_gpu_path(0), "/nonexistent/15");
    assert_int_equal(strata_gpu_load("h200", &gpu, &err), STRATA_OK);
}

int main(void)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/gpus",
             getenv("STRATA_SOURCE") ? getenv("STRATA_SOURCE") : ".");
    strata_gpu_add_path(folder, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_extends_another_and_may_not_run_in_a_circle),
        cmocka_unit_test(a_file_may_extend_the_one_of_its_own_name),
        cmocka_unit_test(only_regular_files_of_a_sensible_size_are_read),
        cmocka_unit_test(every_shipped_file_is_right_and_gives_a_source_for_every_number),
        cmocka_unit_test(derived_peaks_are_the_vendors_within_two_per_cent),
        cmocka_unit_test(a_class_is_one_of_three_and_is_not_inherited),
        cmocka_unit_test(writing_and_reading_a_description_changes_nothing),
        cmocka_unit_test(shipped_files_can_stand_in_deep_folders),
        cmocka_unit_test(writing_a_description_made_in_memory_keeps_its_values),
        cmocka_unit_test(the_shipped_files_say_what_their_sources_say),
        cmocka_unit_test(totals_are_computed_from_the_values),
        cmocka_unit_test(the_h200_order_deals_whole_clusters_in_pairs),
        cmocka_unit_test(the_search_list_has_a_limit_and_no_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
