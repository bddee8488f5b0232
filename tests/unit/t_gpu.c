/* GPU files: every type, every error with its place. */
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

static strata_status parse(const char *text, struct strata_error *err)
{
    return strata_gpu_parse(text, strlen(text), "a.yaml", &gpu, err);
}

static void accept(const char *text)
{
    struct strata_error err = {0};
    char message[1400];
    if (parse(text, &err) != STRATA_OK) {
        strata_error_text(&err, message, sizeof message);
        fail_msg("refused: %s\n%s", message, text);
    }
}

/* ---- values ---- */

static void every_type_is_read_with_and_without_its_unit(void **state)
{
    (void)state;
    accept(
        HEAD
        "name: card\n"
        "description: \"a: b\"\n"
        "l1: {enabled: off, size: 32 KiB, line: 128, sector: 32, ways: 0, hit: 34 cycles, "
        "replacement: plru}\n"
        "xbar: {clock: 1.5 GHz, response_bytes_per_cycle: 64 bytes/cycle}\n"
        "l2: {size: 2MB, line: 128B, sector: 32, slices: 5, ways: 25, clock: 900 MHz, fetch: 64}\n"
        "dram: {efficiency: 0.75, tRCD: 14 clocks}\n");
    assert_string_equal(gpu.name, "card");
    assert_string_equal(gpu.description, "a: b");
    assert_false(gpu.l1.enabled);
    assert_int_equal(gpu.l1.cache.size_bytes, 32768);
    assert_int_equal(gpu.l1.cache.sector_bytes, 32);
    assert_int_equal(gpu.l1.hit_cycles, 34);
    assert_int_equal(gpu.l1.cache.replacement, STRATA_REPL_PLRU);
    assert_int_equal(gpu.xbar.clock_mhz, 1500);
    assert_int_equal(gpu.xbar.response_bytes_per_cycle_per_sm, 64);
    assert_int_equal(gpu.l2.cache.size_bytes, 2000000);
    assert_int_equal(gpu.l2.clock_mhz, 900);
    assert_true(gpu.dram.efficiency == 0.75);
    assert_int_equal(gpu.dram.tRCD, 14);
}

static void lists_take_ranges_steps_and_repeats(void **state)
{
    (void)state;
    accept("sm_version: 90\nsm: {count: 10, clock: 1000}\n"
           "launch: {order: [9-6, 0-4/2, 1, 3, 5], gpcs: 3, gpc_of_sm: [0*4, 1, 2*5]}\n"
           "l1: {unified: 64KiB, carveouts: [0, 16KiB, 48KiB], size: 64KiB}\nshared: {per_sm: "
           "48KiB}\n");
    const uint32_t order[] = {9, 8, 7, 6, 0, 2, 4, 1, 3, 5};
    const uint32_t gpcs[] = {0, 0, 0, 0, 1, 2, 2, 2, 2, 2};
    assert_int_equal(gpu.launch.n_order, 10);
    assert_memory_equal(gpu.launch.order, order, sizeof order);
    assert_memory_equal(gpu.launch.gpc_of_sm, gpcs, sizeof gpcs);
    assert_int_equal(gpu.l1.n_carveout, 3);
    assert_int_equal(gpu.l1.carveout_bytes[2], 49152);
    char text[STRATA_GPU_TEXT];
    assert_string_equal(
        strata_gpu_value_text(&gpu, strata_gpu_find_key("launch.gpc_of_sm"), text, sizeof text),
        "0*4, 1-2, 2*4");
    assert_string_equal(
        strata_gpu_value_text(&gpu, strata_gpu_find_key("l1.carveouts"), text, sizeof text),
        "0, 16KiB, 48KiB");
}

static void what_is_not_given_follows_from_what_is(void **state)
{
    (void)state;
    accept(HEAD "l1: {line: 64, size: 8KiB}\ntlb: {page: 64KiB}\n");
    assert_string_equal(gpu.name, "a");
    assert_int_equal(gpu.l1.cache.sector_bytes, 64);
    assert_int_equal(gpu.tlb.l1.line_bytes, 65536);
    accept(HEAD
           "l1: {unified: 64KiB, carveouts: [16KiB, 48KiB], ways: 0}\nshared: {per_sm: 48KiB}\n");
    assert_int_equal(gpu.l1.cache.size_bytes, 49152);
}

static void defaults_pass_the_checks_and_have_no_source(void **state)
{
    (void)state;
    struct strata_error err;
    strata_gpu_init(&gpu);
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        assert_false(strata_gpu_is_set(&gpu, strata_gpu_key(i)));
        assert_string_equal(strata_gpu_source(&gpu, strata_gpu_key(i)), "");
    }
    assert_int_equal(strata_gpu_set(&gpu, "sm_version", "90", &err), STRATA_OK);
    assert_int_equal(strata_gpu_validate(&gpu, "", &err), STRATA_OK);
}

/* Each default must be a value its own key accepts: strata_gpu_init ignores refusals. */
static void every_default_is_accepted_by_its_own_key(void **state)
{
    (void)state;
    strata_gpu_init(&gpu);
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        struct strata_error err = {0};
        if (strcmp(key->path, "sm_version") &&
            strata_gpu_set(&gpu, key->path, key->default_text, &err) != STRATA_OK)
            fail_msg("%s: %s", key->path, err.message);
    }
}

static void every_value_reads_back_from_its_text(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(strata_gpu_load("gtx560ti", &gpu, &err), STRATA_OK);
    other = gpu;
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        char text[STRATA_GPU_TEXT];
        const struct strata_gpu_key *key = strata_gpu_key(i);
        strata_gpu_value_text(&gpu, key, text, sizeof text);
        assert_int_equal(strata_gpu_set(&other, key->path, text, &err), STRATA_OK);
    }
    assert_memory_equal(&gpu, &other, offsetof(struct strata_gpu, origin));
}

static void every_number_may_carry_the_unit_of_its_key(void **state)
{
    (void)state;
    strata_gpu_init(&gpu);
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        char text[64];
        struct strata_error err;
        if (!*key->unit || key->capacity)
            continue;
        snprintf(text, sizeof text, "%.0f %s", ceil(key->min), key->unit);
        if (strata_gpu_set(&gpu, key->path, text, &err) != STRATA_OK)
            fail_msg("%s", err.message);
    }
}

static void key_paths_are_unique_and_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        assert_int_equal(strata_gpu_key_index(key->path), i);
        assert_true(strlen(key->help) > 5);
        for (size_t j = 0; j < i; j++)
            if (strata_gpu_key(j)->offset == key->offset)
                fail_msg("%s and %s are the same field", key->path, strata_gpu_key(j)->path);
    }
    assert_null(strata_gpu_find_key("l1"));
}

/* ---- sources ---- */

static const char *source(const char *path)
{
    return strata_gpu_source(&gpu, strata_gpu_find_key(path));
}

static void a_source_is_taken_from_the_value_the_section_or_a_short_name(void **state)
{
    (void)state;
    accept("sources: {t: Table 2}\n" HEAD
           "l1:\n  source: measured\n  hit: 30\n  ways: {value: 8, source: t}\n"
           "l2: {ways: 8, hit: {source: t, value: 200 cycles}}\n"
           "tlb:\n  source: paper\n  l1: {ways: 0}\n");
    assert_string_equal(source("l1.hit"), "measured");
    assert_string_equal(source("l1.ways"), "Table 2");
    assert_string_equal(source("l2.ways"), "");
    assert_string_equal(source("l2.hit"), "Table 2");
    assert_string_equal(source("tlb.l1.ways"), "paper");
    assert_string_equal(source("l1.banks"), "");
    assert_int_equal(gpu.l1.cache.ways, 8);
}

static void setting_a_key_replaces_its_source(void **state)
{
    (void)state;
    struct strata_error err;
    accept(HEAD "l1: {hit: {value: 30, source: measured}}\n");
    assert_int_equal(strata_gpu_set(&gpu, "l1.hit", "40 cycles", &err), STRATA_OK);
    assert_int_equal(gpu.l1.hit_cycles, 40);
    assert_string_equal(source("l1.hit"), "set by hand");
    assert_int_equal(strata_gpu_set(&gpu, "l1.carveouts", "[0, 8KiB]", &err), STRATA_OK);
    assert_int_equal(gpu.l1.carveout_bytes[1], 8192);
    assert_int_equal(strata_gpu_set(&gpu, "launch.order", "3, 2,0-1", &err), STRATA_OK);
    assert_int_equal(gpu.launch.n_order, 4);
}

static void a_refused_setting_changes_nothing(void **state)
{
    (void)state;
    struct strata_error err;
    accept(HEAD "launch: {order: [3-0]}\n");
    other = gpu;
    assert_int_equal(strata_gpu_set(&gpu, "launch.order", "0,1,x", &err), STRATA_ECONFIG);
    assert_string_equal(err.message,
                        "the GPU key \"launch.order\" cannot be set: \"x\" is not a whole number.");
    assert_memory_equal(&gpu, &other, sizeof gpu);
    assert_int_equal(strata_gpu_set(&gpu, "name", "a\xff", &err), STRATA_ECONFIG);
    assert_string_equal(err.message, "the GPU key \"name\" cannot be set: the text is not UTF-8.");
    assert_int_equal(strata_gpu_set(&gpu, "l1.sise", "1", &err), STRATA_ECONFIG);
    assert_string_equal(err.message,
                        "there is no GPU key \"l1.sise\" (did you mean \"l1.size\"?).");
    assert_int_equal(strata_gpu_set(&gpu, "colour", "1", &err), STRATA_ECONFIG);
    assert_string_equal(err.message,
                        "there is no GPU key \"colour\"; `strata gpu keys` lists them.");
}

/* ---- errors ---- */

static const struct {
    const char *text, *error;
} bad[] = {
    {HEAD "l1:\n  sizee: 4\n", "a.yaml:4:3: unknown key \"l1.sizee\" (did you mean \"l1.size\"?)."},
    {HEAD "l1:\n  size_bytes: 4\n",
     "a.yaml:4:3: unknown key \"l1.size_bytes\" (did you mean \"l1.size\"?)."},
    {HEAD "l1:\n  wyas: 4\n", "a.yaml:4:3: unknown key \"l1.wyas\" (did you mean \"l1.ways\"?)."},
    {HEAD "carveouts: 4\n",
     "a.yaml:3:1: unknown key \"carveouts\" (did you mean \"l1.carveouts\"?)."},
    {HEAD "ll2: {size: 4}\n", "a.yaml:3:1: unknown key \"ll2\" (did you mean \"l2\"?)."},
    {HEAD "colour: blue\n",
     "a.yaml:3:1: unknown key \"colour\"; `strata gpu keys` lists those there are."},
    {HEAD "l1:\n  <<: {ways: 4}\n",
     "a.yaml:4:3: unknown key \"l1.<<\"; `strata gpu keys` lists those there are."},
    {HEAD "l1: {ways: many}\n", "a.yaml:3:12: l1.ways: \"many\" is not a whole number."},
    {HEAD "l1: {ways: -3}\n", "a.yaml:3:12: l1.ways: \"-3\" is not a whole number."},
    {HEAD "l1: {ways: 4.5}\n", "a.yaml:3:12: l1.ways: \"4.5\" is not a whole number."},
    {HEAD "l1: {hit: 4.5}\n", "a.yaml:3:11: l1.hit: \"4.5\" is not a whole number of cycles."},
    {HEAD "l1: {size: big}\n", "a.yaml:3:12: l1.size: \"big\" is not a size such as 96KiB."},
    {HEAD "dram: {efficiency: nan}\n", "a.yaml:3:20: dram.efficiency: \"nan\" is not a number."},
    {HEAD "dram: {efficiency: .inf}\n", "a.yaml:3:20: dram.efficiency: \".inf\" is not a number."},
    {HEAD "dram: {efficiency: 1e999}\n",
     "a.yaml:3:20: dram.efficiency: \"1e999\" is not a number."},
    {HEAD "l1: {hit: 34 MHz}\n",
     "a.yaml:3:11: l1.hit: \"MHz\" is not a unit of this key, which is in cycles."},
    {HEAD "l1: {hit: 0x10}\n",
     "a.yaml:3:11: l1.hit: \"x10\" is not a unit of this key, which is in cycles."},
    {HEAD "l1: {ways: 4 KiB}\n",
     "a.yaml:3:12: l1.ways: \"4 KiB\" is not a whole number (the key has no unit)."},
    {HEAD "launch: {gpcs: 65}\n",
     "a.yaml:3:16: launch.gpcs: \"65\" is above the most allowed, 64."},
    {HEAD "dram: {efficiency: 0}\n",
     "a.yaml:3:20: dram.efficiency: \"0\" is below the least allowed, 0.01."},
    {HEAD "l1: {enabled: maybe}\n",
     "a.yaml:3:15: l1.enabled: \"maybe\" is neither true nor false."},
    {HEAD "shared: {bank_mode: wide}\n",
     "a.yaml:3:21: shared.bank_mode: \"wide\" is not one of 4-byte, 8-byte."},
    {HEAD "l1: {ways: 4, ways: 4}\n", "a.yaml:3:15: the key \"ways\" is given twice; remove one."},
    {HEAD "l1: {ways: 4}\nl2: {ways: 8}\nl1: {hit: 4}\n",
     "a.yaml:5:1: the key \"l1\" is given twice; remove one."},
    {HEAD "sources: {a: x, a: y}\n", "a.yaml:3:17: the key \"a\" is given twice; remove one."},
    {HEAD "l1: {ways: {value: 4, value: 5}}\n",
     "a.yaml:3:23: \"value\" is given twice for l1.ways."},
    {HEAD "l1: {ways: &a 4}\nl2: {ways: *a}\n",
     "a.yaml:4:13: l2.ways is an alias; GPU files do not use aliases: write the value out."},
    {HEAD "launch: {order: &a [0-3, *a]}\n",
     "a.yaml:3:27: launch.order is an alias; GPU files do not use aliases: write the value out."},
    {HEAD "*a : 4\n", NULL /* in libfyaml's words */},
    {HEAD "l1: {ways: [4, 5]}\n", "a.yaml:3:13: l1.ways is a list where a single value belongs."},
    {HEAD "launch: {order: [[1, 2]]}\n",
     "a.yaml:3:19: launch.order is a list where a single value belongs."},
    {HEAD "? [a, b]\n: 4\n", "a.yaml:3:4: a key is a list where a single value belongs."},
    {HEAD "l1: {ways: {value: {value: 4}}}\n",
     "a.yaml:3:21: l1.ways is a mapping where a single value belongs."},
    {HEAD "l1: {ways: {value: 4, sauce: x}}\n",
     "a.yaml:3:23: l1.ways is a single value, so only `value` and `source` may stand below it, not "
     "\"sauce\"."},
    {HEAD "l1: {ways: {source: x}}\n",
     "a.yaml:3:6: l1.ways has no `value`; write {value: ..., source: ...}."},
    {HEAD "l1:\n  ways:\n", "a.yaml:4:3: l1.ways has no value; give one or remove the key."},
    {HEAD "l1: 5\n", "a.yaml:3:1: l1 is a section: its keys belong below it, indented."},
    {HEAD "l1: {source: [a], ways: 4}\n",
     "a.yaml:3:15: the source is a list where a single value belongs."},
    {HEAD "l1: {source: \"a\\nb\", ways: 4}\n",
     "a.yaml:3:14: the source holds a line break or a control character."},
    {HEAD "sources: x\n", "a.yaml:3:1: sources is a mapping of short names to texts."},
    {HEAD "launch: {order: 5}\n",
     "a.yaml:3:17: launch.order is a list: write it in brackets, [a, b, c]."},
    {HEAD "launch: {order: [0-, 1]}\n",
     "a.yaml:3:18: launch.order: \"0-\" is not a range such as 0-15 or 0-30/2."},
    {HEAD "launch: {order: [0-3/0]}\n",
     "a.yaml:3:18: launch.order: \"0-3/0\" is not a range such as 0-15 or 0-30/2."},
    {HEAD "launch: {order: [0-900]}\n",
     "a.yaml:3:18: launch.order: \"0-900\" goes above the most allowed, 255."},
    {HEAD "launch: {order: [0-200, 0-200]}\n",
     "a.yaml:3:25: launch.order: the list has more than 256 elements."},
    {HEAD "l1: {set_ways: [4*x]}\n",
     "a.yaml:3:17: l1.set_ways: \"4*x\" is not of the form value*times."},
    {HEAD "l1: {set_ways: [0*4]}\n",
     "a.yaml:3:17: l1.set_ways: \"0\" is below the least allowed, 1."},
    {HEAD "name: "
          "0123456789012345678901234567890123456789012345678901234567890123\n",
     "a.yaml:3:7: name: the text is longer than 63 bytes."},
    {HEAD "name: \"a\\tb\"\n",
     "a.yaml:3:7: name: the text holds a line break or a control character."},
    {HEAD "name: \"a\\0b\"\n", "a.yaml:3:7: name holds a NUL character."},
    {HEAD "name: \"\xc3\xa9\xff\"\n",
     "a.yaml:3:9: this byte is not UTF-8 text; is this a GPU file?"},
    {"",
     "a.yaml:1:1: the file is empty; a GPU file holds at least sm_version, sm.count and sm.clock."},
    {"# nothing\n",
     "a.yaml:1:1: the file is empty; a GPU file holds at least sm_version, sm.count and sm.clock."},
    {"- a\n", "a.yaml:1:1: this is not a GPU file: it does not consist of `key: value` lines."},
    {"hello\n", "a.yaml:1:1: this is not a GPU file: it does not consist of `key: value` lines."},
    {HEAD "l1: {ways: 4\n", "a.yaml:4:1: this is not YAML: missing comma in flow mapping."},
    {HEAD "l1:\n\tways: 4\n",
     "a.yaml:4:1: this is not YAML: tab character may not be used as indentation."},
    {HEAD "---\na: 1\n", "a.yaml:4:1: a second document begins (after ---); a GPU file holds one."},
    {"sm_version: 90\n",
     "a.yaml: the key sm.count is missing (streaming multiprocessors that are switched on)."},
    {"extends:\n", "a.yaml:1:1: extends names no GPU; give a name such as h200 or remove the key."},
    {"extends: [h200]\n", "a.yaml:1:11: extends is a list where a single value belongs."},
};

static void every_error_names_its_place_and_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct strata_error err = {0};
        char text[1400];
        if (parse(bad[i].text, &err) == STRATA_OK)
            fail_msg("accepted:\n%s", bad[i].text);
        strata_error_text(&err, text, sizeof text);
        if (bad[i].error)
            assert_string_equal(text, bad[i].error);
        else
            assert_true(err.line == 3 && err.column >= 1);
    }
}

/* Values that are each allowed and do not go together; all have a place. */
static const struct {
    const char *text, *error;
} contradictory[] = {
    {"sm: {max_threads: 1024}\n", "3:19: sm.max_threads: 1024 threads are not 64 warps of 32."},
    {"sm: {schedulers: 3}\n",
     "3:18: sm.schedulers: 64 warps cannot be divided among 3 schedulers."},
    {"sm: {register_alloc_unit: 384}\n",
     "3:27: sm.register_alloc_unit: 65536 registers are not a whole number of units of 384."},
    {"launch: {order: [0, 1, 2]}\n", "3:10: launch.order: SM 3 is missing."},
    {"launch: {order: [0-3, 2]}\n", "3:10: launch.order: SM 2 appears twice."},
    {"launch: {order: [0-4]}\n", "3:10: launch.order: SM 4 does not exist (sm.count is 4)."},
    {"launch: {gpcs: 1, gpc_of_sm: [0]}\n", "3:19: launch.gpc_of_sm: 1 entries for 4 SMs."},
    {"launch: {gpcs: 1, gpc_of_sm: [0*3, 1]}\n",
     "3:19: launch.gpc_of_sm: SM 3 is in GPC 1, but launch.gpcs is 1."},
    {"shared: {per_block: 49KiB}\n", "3:21: shared.per_block: opting in (shared.per_block_optin) "
                                     "gives less than not opting in (shared.per_block)."},
    {"shared: {per_sm: 16KiB}\n", "3:18: shared.per_sm: one block could use more "
                                  "(shared.per_block_optin) than the SM has (shared.per_sm)."},
    {"l1: {carveouts: [0]}\n",
     "3:6: l1.carveouts: there is nothing to carve from; give l1.unified."},
    {"l1: {unified: 64KiB, carveouts: [0, 8KiB, 8KiB]}\n",
     "3:22: l1.carveouts: the sizes must ascend, but 8192 follows 8192."},
    {"l1: {unified: 64KiB, carveouts: [0, 64KiB]}\n",
     "3:22: l1.carveouts: 65536 bytes leave nothing of l1.unified for the L1."},
    {"l1: {unified: 64KiB, carveouts: [0, 8KiB]}\n",
     "3:22: l1.carveouts: shared.per_sm is more than the largest carve-out, 8192 bytes."},
    {"l1: {unified: 8KiB, size: 16KiB}\n",
     "3:27: l1.size: the L1 (l1.size) is larger than l1.unified."},
    {"l1: {line: 96}\n", "3:12: l1.line: 96 bytes is not a power of two."},
    {"l1: {sector: 24}\n", "3:14: l1.sector: 24 bytes is not a power of two."},
    {"l1: {sector: 256}\n", "3:14: l1.sector: a sector of 256 bytes is larger than a line of 128."},
    {"l1: {line: 1024, sector: 16}\n",
     "3:26: l1.sector: a line has 64 sectors, at most 32 are allowed."},
    {"l1: {size: 10000}\n",
     "3:12: l1.size: 10000 bytes is not a whole number of lines of 128 bytes."},
    {"l1: {ways: 3}\n",
     "3:12: l1.ways: 128 lines in sets of 3 do not give a whole number of sets."},
    {"l1: {set_ways: [4, 5]}\n",
     "3:6: l1.set_ways: the sets hold 9 lines, but the size gives 128."},
    {"l1: {index: fermi, ways: 1}\n",
     "3:13: l1.index: the fermi hash is defined for 32 and 64 sets, not for 128."},
    {"l1: {index: ipoly, size: 24KiB}\n",
     "3:13: l1.index: this hash needs a power of two of sets, not 48."},
    {"l1: {index: bits, index_bits: [7-10]}\n",
     "3:19: l1.index_bits: 4 bits do not select one of 32 sets."},
    {"l1: {replacement: weighted, way_weight: [1]}\n",
     "3:29: l1.way_weight: 1 weights for 4 ways."},
    {"l1: {replacement: weighted, way_weight: [0.5*4]}\n",
     "3:29: l1.way_weight: the weights add up to 2 instead of 1."},
    {"l2: {slices: 4, partitions: 3}\n",
     "3:29: l2.partitions: 4 slices cannot be divided among 3 partitions."},
    {"l2: {slices: 3}\n", "3:14: l2.slices: 1048576 bytes cannot be divided among 3 slices."},
    {"l2: {effective: 2MiB}\n", "3:17: l2.effective: l2.effective is more than l2.size."},
    {"l2: {slice_pair: 2}\n",
     "3:18: l2.slice_pair: 2 bytes is not a power of two of at least four lines."},
    {"l2: {slice_pair: 1536}\n",
     "3:18: l2.slice_pair: 1536 bytes is not a power of two of at least four lines."},
    {"l2: {sector: 32, fetch: 48}\n",
     "3:25: l2.fetch: a fetch of 48 bytes is not a whole number of sectors within a line."},
    {"dram: {banks: 6}\n", "3:15: dram.banks: 6 banks cannot be divided into 4 groups."},
    {"dram: {row: 1000}\n", "3:13: dram.row: 1000 bytes is not a power of two."},
    {"dram: {row: 128, burst_length: 32}\n",
     "3:13: dram.row: a row of 128 bytes is not a whole number of bursts."},
    {"dram: {tRC: 5}\n", "3:13: dram.tRC: a row cycle cannot be shorter than tRAS."},
    {"dram: {tRFC: 5}\n",
     "3:14: dram.tRFC: refresh needs both tRFC and tREFI, and tRFC the shorter of them."},
    {"dram: {tREFI: 2, tRFC: 1}\n",
     "3:15: dram.tREFI: a refresh every 2 clocks leaves no time for a row: the refresh (tRFC), "
     "opening, writing and closing a row take 53."},
    {"dram: {tRCD: 6000, tREFI: 6240, tRFC: 260}\n",
     "3:27: dram.tREFI: a refresh every 6240 clocks leaves no time for a row: the refresh (tRFC), "
     "opening, writing and closing a row take 6288."},
    {"dram: {tREFI: 60, tRFC: 1, per_bank_refresh: true}\n",
     "3:15: dram.tREFI: the refreshes of 16 banks in 60 clocks leave no room for other commands."},
    {"dram: {write_low: 5}\n",
     "3:19: dram.write_low: the marks must be write_low <= write_high <= write_queue."},
    {"tlb: {enabled: true, l1: {line: 4KiB}}\n",
     "3:33: tlb.l1.line: the line of a TLB is a page (tlb.page)."},
    {"l1: {size: 64GiB, line: 16, sector: 16, ways: 1}\n",
     "3:12: l1.size: 4294967296 lines of 16 bytes would take about 256 GiB of memory to model, and "
     "at most 268435456 lines can be; a smaller size or longer lines help."},
    {"l2: {size: 900GiB}\n",
     "3:12: l2.size: 7549747200 lines of 128 bytes would take about 450 GiB of memory to model, "
     "and "
     "at most 268435456 lines can be; a smaller size or longer lines help."},
    {"texture: {size: 100}\n",
     "3:17: texture.size: 100 bytes is not a whole number of lines of 32 bytes."},
};

static void every_contradiction_names_its_place_and_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof contradictory / sizeof contradictory[0]; i++) {
        struct strata_error err = {0};
        char text[1400], whole[400];
        /* `sm` stands in the header already, so those cases bring their own. */
        bool own_sm = !strncmp(contradictory[i].text, "sm: {", 5);
        snprintf(whole, sizeof whole, "sm_version: 90\n%s%s%s",
                 own_sm ? "# \n" : "sm: {count: 4, clock: 1000}\n", contradictory[i].text, "");
        if (own_sm) {
            char *brace = strrchr(whole, '}');
            strcpy(brace, ", count: 4, clock: 1000}\n");
        }
        if (parse(whole, &err) == STRATA_OK)
            fail_msg("accepted:\n%s", whole);
        strata_error_text(&err, text, sizeof text);
        assert_int_equal(strncmp(text, "a.yaml:", 7), 0);
        assert_string_equal(text + 7, contradictory[i].error);
    }
}

static void values_out_of_bounds_in_memory_are_found(void **state)
{
    (void)state;
    struct strata_error err;
    accept(HEAD);
    gpu.l2.slices = 0;
    assert_int_equal(strata_gpu_validate(&gpu, "x", &err), STRATA_ECONFIG);
    assert_string_equal(err.message, "l2.slices: 0 is below the least allowed, 1.");
    accept(HEAD);
    gpu.l1.cache.replacement = 99;
    assert_int_equal(strata_gpu_validate(&gpu, "x", &err), STRATA_ECONFIG);
    accept(HEAD);
    gpu.launch.n_order = 1000;
    assert_int_equal(strata_gpu_validate(&gpu, "x", &err), STRATA_ECONFIG);
    accept(HEAD);
    gpu.dram.efficiency = NAN;
    assert_int_equal(strata_gpu_validate(&gpu, "x", &err), STRATA_ECONFIG);
}

static void deep_nesting_and_many_aliases_are_refused_at_once(void **state)
{
    (void)state;
    struct strata_error err;
    char deep[5001], laughs[1200] = "a: &a [x,x,x,x,x,x,x,x,x]\n";
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    assert_int_equal(parse(deep, &err), STRATA_ECONFIG);
    for (char c = 'b'; c < 'k'; c++) {
        size_t used = strlen(laughs);
        snprintf(laughs + used, sizeof laughs - used,
                 "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1, c - 1,
                 c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
    }
    assert_int_equal(parse(laughs, &err), STRATA_ECONFIG);
    assert_int_equal(err.line, 1);
}

/* A description in which every plain number that may be 1 has a source of its own of 390
 * characters; `without` is the part that HEAD already has. */
static char *sources_of_every_number(const char *without)
{
    char *text = calloc(strata_gpu_n_keys(), 500), *end = text, group[40] = "";
    end += sprintf(end, HEAD);
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        const char *dot = strchr(key->path, '.');
        if (key->type != STRATA_GPU_UINT || key->min > 1 || key->max < 1 || !dot ||
            strchr(dot + 1, '.') || !strncmp(key->path, without, strlen(without)))
            continue;
        size_t length = (size_t)(dot - key->path);
        if (strlen(group) != length || strncmp(group, key->path, length) != 0) {
            snprintf(group, sizeof group, "%.*s", (int)length, key->path);
            end += sprintf(end, "%s:\n", group);
        }
        end += sprintf(end, "  %s: {value: 1, source: %zu%0390d}\n", dot + 1, i, 0);
    }
    return text;
}

static void sources_without_end_are_refused(void **state)
{
    (void)state;
    struct strata_error err;
    char long_source[600] = HEAD "l1: {source: \"";
    size_t used = strlen(long_source);
    memset(long_source + used, 'x', 450);
    strcpy(long_source + used + 450, "\", ways: 4}\n");
    assert_int_equal(parse(long_source, &err), STRATA_ECONFIG);
    assert_string_equal(err.message, "the source is longer than 400 characters.");
    char *many = sources_of_every_number("sm.");
    assert_int_equal(parse(many, &err), STRATA_ELIMIT);
    assert_true(err.line > 20);
    free(many);
}

int main(void)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/gpus",
             getenv("STRATA_SOURCE") ? getenv("STRATA_SOURCE") : ".");
    strata_gpu_add_path(folder, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_with_and_without_its_unit),
        cmocka_unit_test(lists_take_ranges_steps_and_repeats),
        cmocka_unit_test(what_is_not_given_follows_from_what_is),
        cmocka_unit_test(defaults_pass_the_checks_and_have_no_source),
        cmocka_unit_test(every_default_is_accepted_by_its_own_key),
        cmocka_unit_test(every_value_reads_back_from_its_text),
        cmocka_unit_test(every_number_may_carry_the_unit_of_its_key),
        cmocka_unit_test(key_paths_are_unique_and_documented),
        cmocka_unit_test(a_source_is_taken_from_the_value_the_section_or_a_short_name),
        cmocka_unit_test(setting_a_key_replaces_its_source),
        cmocka_unit_test(a_refused_setting_changes_nothing),
        cmocka_unit_test(every_error_names_its_place_and_cause),
        cmocka_unit_test(every_contradiction_names_its_place_and_cause),
        cmocka_unit_test(values_out_of_bounds_in_memory_are_found),
        cmocka_unit_test(deep_nesting_and_many_aliases_are_refused_at_once),
        cmocka_unit_test(sources_without_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
