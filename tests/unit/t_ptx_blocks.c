/* Blocks of a launch: independent ones in parallel, dependent ones in order, waiting ones in turns.
 */
#include <strata/gpu.h>

#include "ptxfix.h"

static struct strata_module *m;

static int open_module(void **state)
{
    if (open_arena(state))
        return -1;
    m = load_fixture("features.ptx");
    return 0;
}
static int close_module(void **state)
{
    strata_module_destroy(m);
    return close_arena(state);
}

/* ---- traces as text ---- */

struct text {
    char *bytes;
    size_t n, cap;
    uint64_t blocks, next;
};

static void put(struct text *t, const char *format, ...)
{
    char line[200];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (t->n + (size_t)n + 1 > t->cap) {
        t->cap = t->cap * 2 + 4096;
        t->bytes = realloc(t->bytes, t->cap);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->n, line, (size_t)n + 1);
    t->n += (size_t)n;
}

static strata_status begin(void *user, const struct strata_code *code, struct strata_error *err)
{
    (void)err;
    put(user, "code %u\n", strata_code_count(code));
    return STRATA_OK;
}

static strata_status take_block(void *user, struct strata_block *block, struct strata_error *err)
{
    struct text *t = user;
    assert_true(block->index >= t->next);
    t->next = block->index + 1;
    t->blocks++;
    put(t, "block %llu\n", (unsigned long long)block->index);
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct strata_cursor c;
        struct strata_winst i;
        memset(&c, 0, sizeof c);
        assert_int_equal(strata_cursor_init(&c, block, w, err), STRATA_OK);
        while (strata_cursor_next(&c, &i)) {
            uint64_t address[32];
            strata_winst_addresses(&i, address);
            put(t, "%u %x", i.inst_index, i.mask);
            for (unsigned l = 0; i.addr_kind && l < 32; l++)
                if (i.mask >> l & 1)
                    put(t, " %llx", (unsigned long long)address[l]);
            put(t, "\n");
        }
        strata_cursor_release(&c);
    }
    strata_block_destroy(block);
    return STRATA_OK;
}

/* Runs an entry recorded with 1, 2 and 3 threads on the same memory contents: result, trace and
 * counts must agree. */
static void same_for_all_threads(const char *name, struct run_setup setup, const void *params,
                                 void *memory, size_t bytes)
{
    uint8_t *before = malloc(bytes), *after = malloc(bytes);
    struct text first = {0};
    struct strata_run_stats stats = {0};
    memcpy(before, memory, bytes);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct text t = {0};
        struct strata_record_sink sink = {&t, begin, take_block};
        memcpy(memory, before, bytes);
        setup.host_threads = threads;
        setup.sink = &sink;
        run_ok(m, name, &setup, params);
        if (threads == 1) {
            first = t;
            memcpy(after, memory, bytes);
            stats = setup.stats;
            continue;
        }
        assert_memory_equal(memory, after, bytes);
        assert_memory_equal(&stats, &setup.stats, sizeof stats);
        assert_string_equal(t.bytes, first.bytes);
        free(t.bytes);
    }
    free(first.bytes);
    free(before);
    free(after);
}

static void independent_blocks_run_in_parallel(void **state)
{
    (void)state;
    struct strata_module *mm = load_fixture("matmul_clang.ptx"), *kept = m;
    enum { N = 64 };
    float *a = device_memory(4 * N * N), *b = device_memory(4 * N * N),
          *c = device_memory(4 * N * N);
    for (unsigned i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7) - 3;
        b[i] = (float)(i % 5) - 2;
    }
    struct {
        void *a, *b, *c;
        uint32_t n;
    } params = {a, b, c, N};
    m = mm;
    struct run_setup setup = {.threads = 64, .blocks = 1};
    /* the grid is two-dimensional in earnest elsewhere: one block of rows is enough here */
    same_for_all_threads("matmul", setup, &params, c, 4 * N);
    for (unsigned j = 0; j < N; j++) {
        float sum = 0;
        for (unsigned k = 0; k < N; k++)
            sum += a[k] * b[k * N + j];
        assert_true(c[j] == sum);
    }
    m = kept;
    strata_module_destroy(mm);
    uint32_t *out = device_memory(4 * 40);
    setup = (struct run_setup){.threads = 64, .blocks = 40, .shared_bytes = 256};
    same_for_all_threads("tree", setup, &out, out, 4 * 40);
    run_ok(m, "tree", &setup, &out);
    assert_true(setup.stats.ran_in_parallel);
    assert_int_equal(setup.stats.blocks, 40);
}

static void reductions_of_floats_keep_the_order_of_the_blocks(void **state)
{
    (void)state;
    uint32_t *sum = device_memory(8);
    struct run_setup setup = {.threads = 64, .blocks = 50};
    same_for_all_threads("float_sum", setup, &sum, sum, 8);
    float expected = 0;
    for (uint32_t block = 0; block < 50; block++)
        for (uint32_t thread = 0; thread < 64; thread++)
            expected += 1.0f / (float)(block * 37 + thread + 1);
    float got;
    memcpy(&got, sum, sizeof got);
    assert_true(got == expected);
    assert_int_equal(sum[1], 49 * 37 + 64);
    memset(sum, 0, 8);
    run_ok(m, "float_sum", &setup, &sum);
    assert_true(setup.stats.ran_in_parallel);
}

static void the_last_of_competing_stores_wins(void **state)
{
    (void)state;
    uint32_t *word = device_memory(4);
    struct run_setup setup = {.threads = 32, .blocks = 33};
    same_for_all_threads("last_wins", setup, &word, word, 4);
    assert_int_equal(*word, 32);
}

static void a_block_that_reads_what_another_wrote_sees_it(void **state)
{
    (void)state;
    uint32_t *data = device_memory(4 * 101);
    struct run_setup setup = {.threads = 1, .blocks = 100};
    same_for_all_threads("prefix", setup, &data, data, 4 * 101);
    for (uint32_t i = 0; i <= 100; i++)
        assert_int_equal(data[i], i * (i - 1) / 2);
}

/* Every thread of every block loads a word somewhere, changes it and stores it elsewhere, five
 * times; a byte and a reduction go to the same array. Whatever the threads and the size of the
 * array (small: every block depends on others), memory is what running block after block gives. */
static void in_place_kernels_give_the_result_of_block_order(void **state)
{
    (void)state;
    struct strata_module *chaos = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 data, .param .u32 mask) { .reg .b32 %r<20>; .reg .b64 "
        "%rd<12>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1,[data]; ld.param.u32 %r1,[mask]; mov.u32 %r2,%ctaid.x; mov.u32 "
        "%r3,%tid.x; mov.u32 %r4,0;\n"
        "LOOP: mad.lo.u32 %r5,%r2,5,%r4; mad.lo.u32 %r5,%r5,32,%r3; mul.lo.u32 %r6,%r5,2654435761; "
        "shr.u32 %r6,%r6,7;\n"
        "and.b32 %r6,%r6,%r1; mul.lo.u32 %r7,%r5,2246822519; shr.u32 %r7,%r7,9; and.b32 "
        "%r7,%r7,%r1;\n"
        "mul.wide.u32 %rd2,%r6,4; add.u64 %rd3,%rd1,%rd2; ld.global.u32 %r8,[%rd3]; mad.lo.u32 "
        "%r8,%r8,3,%r5;\n"
        "mul.wide.u32 %rd4,%r7,4; add.u64 %rd5,%rd1,%rd4; st.global.u32 [%rd5],%r8;\n"
        "add.u32 %r4,%r4,1; setp.lt.u32 %p1,%r4,5; @%p1 bra LOOP;\n"
        "and.b32 %r9,%r2,63; mul.wide.u32 %rd6,%r9,4; add.u64 %rd7,%rd1,%rd6; red.global.add.u32 "
        "[%rd7],%r2;\n"
        "cvt.u64.u32 %rd8,%r9; add.u64 %rd9,%rd1,%rd8; st.global.u8 [%rd9+1],%r2; ret; }\n");
    static const uint32_t masks[] = {63, 1023, 65535};
    enum { BLOCKS = 300 };
    for (unsigned k = 0; k < 3; k++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            size_t bytes = ((size_t)masks[k] + 1) * 4;
            uint32_t *data = device_memory(bytes);
            uint8_t *expected = calloc(1, bytes);
            for (uint32_t block = 0; block < BLOCKS; block++) {
                for (uint32_t step = 0; step < 5; step++) {
                    uint8_t *before = malloc(bytes); /* lanes load before any of them stores */
                    memcpy(before, expected, bytes);
                    for (uint32_t lane = 0; lane < 32; lane++) {
                        uint32_t key = (block * 5 + step) * 32 + lane, value;
                        uint32_t from = key * 2654435761u >> 7 & masks[k];
                        uint32_t to = key * 2246822519u >> 9 & masks[k];
                        memcpy(&value, before + 4 * (size_t)from, 4);
                        value = value * 3 + key;
                        memcpy(expected + 4 * (size_t)to, &value, 4);
                    }
                    free(before);
                }
                uint32_t sum;
                memcpy(&sum, expected + 4 * (block & 63), 4);
                sum += 32 * block;
                memcpy(expected + 4 * (block & 63), &sum, 4);
                expected[(block & 63) + 1] = (uint8_t)block;
            }
            struct {
                void *data;
                uint32_t mask;
            } params = {data, masks[k]};
            struct run_setup setup = {.threads = 32, .blocks = BLOCKS, .host_threads = threads};
            run_ok(chaos, "k", &setup, &params);
            assert_memory_equal(data, expected, bytes);
            assert_true(setup.stats.ran_in_parallel);
            free(expected);
            strata_arena_release(arena, data);
        }
    strata_module_destroy(chaos);
}

/* Only the last block reads what the others wrote: it must notice, whoever runs it. */
static void a_late_reader_is_noticed(void **state)
{
    (void)state;
    struct strata_module *late = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 data) { .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred "
        "%p<2>;\n"
        "ld.param.u64 %rd1,[data]; mov.u32 %r1,%ctaid.x; mov.u32 %r2,%nctaid.x; sub.u32 "
        "%r2,%r2,1;\n"
        "mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2; setp.eq.u32 %p1,%r1,%r2; @%p1 bra LAST;\n"
        "st.global.u32 [%rd3],%r1; ret;\n"
        "LAST: ld.global.u32 %r3,[%rd3+-4]; add.u32 %r3,%r3,1000; st.global.u32 [%rd3],%r3; ret; "
        "}\n");
    struct strata_module *kept = m;
    uint32_t *data = device_memory(4 * 64);
    struct run_setup setup = {.threads = 1, .blocks = 64};
    m = late;
    same_for_all_threads("k", setup, &data, data, 4 * 64);
    assert_int_equal(data[63], 1062);
    m = kept;
    strata_module_destroy(late);
}

static void a_failure_is_that_of_the_first_block(void **state)
{
    (void)state;
    struct strata_module *bad =
        load_text(PTX_HEAD ".visible .entry k(.param .u64 data) { .reg .b32 %r<6>; .reg .b64 "
                           "%rd<4>; .reg .pred %p<2>;\n"
                           "ld.param.u64 %rd1,[data]; mov.u32 %r1,%ctaid.x; setp.ge.u32 %p1,%r1,7; "
                           "@%p1 add.u64 %rd1,%rd1,4096;\n"
                           "st.global.u32 [%rd1],%r1; ret; }\n");
    for (uint32_t threads = 1; threads <= 3; threads++) {
        uint32_t *data = device_memory(4);
        struct run_setup setup = {.threads = 32, .blocks = 20, .host_threads = threads};
        assert_int_equal(run_entry(bad, "k", &setup, &data), STRATA_EFORMAT);
        assert_non_null(
            strstr(setup.err.message, "block (7,0,0), thread (0,0,0): illegal address"));
        assert_int_equal(*data, 6); /* blocks before it have stored */
        assert_int_equal(setup.stats.blocks, 7);
    }
    strata_module_destroy(bad);
}

static void a_spin_lock_is_passed_on_between_lanes_and_blocks(void **state)
{
    (void)state;
    uint32_t *words = device_memory(8);
    struct {
        void *lock, *counter;
    } params = {words, words + 1};
    struct run_setup setup = {.threads = 64, .blocks = 3};
    same_for_all_threads("lock", setup, &params, words, 8);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 3 * 64);
}

static void blocks_may_wait_for_later_blocks(void **state)
{
    (void)state;
    uint32_t *flags = device_memory(4 * 61);
    struct run_setup setup = {.threads = 32, .blocks = 60};
    same_for_all_threads("chain", setup, &flags, flags, 4 * 61);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(flags[i], i + 100);
}

/* Every block waits for the next one and then says that it is done: in a loop that reads two
 * places, in one that meets at a barrier each time round, and in one whose reads look like work. */
#define WAITING(entry, before, wait, done)                                                         \
    ".visible .entry " entry "(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg "     \
    ".pred %p<5>; .shared .align 4 .u32 said;\nld.param.u64 %rd1,[flags]; mov.u32 %r1,%ctaid.x; "  \
    "mov.u32 %r2,%nctaid.x; add.u32 %r3,%r1,1;\nmul.wide.u32 %rd2,%r1,8; add.u64 %rd3,%rd1,%rd2; " \
    "setp.eq.u32 %p1,%r3,%r2; mov.u32 %r6,%tid.x; setp.eq.u32 %p3,%r6,0;\n" before                 \
    "@%p1 bra PASS;\nWAIT: " wait "@%p2 bra WAIT;\nPASS: add.u32 %r5,%r1,100; " done "ret; }\n"

static const char waiting_kernels[] =
    PTX_HEAD WAITING("two", "",
                     "ld.volatile.global.u32 %r4,[%rd3+8]; ld.volatile.global.u32 %r7,[%rd3+12];\n"
                     "add.u32 %r4,%r4,%r7; setp.eq.u32 %p2,%r4,0;\n",
                     "st.volatile.global.u32 [%rd3+4],%r5;")
        WAITING("barrier", "",
                "@!%p3 bra MEET; ld.volatile.global.u32 %r4,[%rd3+8]; st.shared.u32 [said],%r4;\n"
                "MEET: bar.sync 0; ld.shared.u32 %r4,[said]; bar.sync 0; setp.eq.u32 %p2,%r4,0;\n",
                "bar.sync 0; st.volatile.global.u32 [%rd3],%r5;")
            WAITING("work",
                    "atom.global.add.u32 %r8,[%rd3+4],0; mul.wide.u32 %rd4,%r2,8; add.u64 "
                    "%rd4,%rd1,%rd4;",
                    "ld.global.u32 %r4,[%rd4-8]; setp.eq.u32 %p2,%r4,0;\n",
                    "add.u32 %r5,%r5,%r8; st.global.u32 [%rd3],%r5;");

static void waiting_has_many_forms(void **state)
{
    (void)state;
    static const char *const names[] = {"two", "barrier"};
    struct strata_module *waiting = load_text(waiting_kernels), *kept = m;
    m = waiting;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t *flags = device_memory(8 * 61);
        struct run_setup setup = {.threads = 96, .blocks = 60};
        same_for_all_threads(names[k], setup, &flags, flags, 8 * 61);
        for (uint32_t i = 0; i < 60; i++)
            assert_int_equal(flags[2 * i + (k == 0)], i + 100);
    }
    /* more blocks than take turns by themselves, and nothing that looks like waiting */
    uint32_t *flags = device_memory(8 * 35);
    struct run_setup setup = {.threads = 32, .blocks = 34, .limit = 400000000};
    run_ok(m, "work", &setup, &flags);
    for (uint32_t i = 0; i < 34; i++)
        assert_int_equal(flags[2 * i], i + 100);
    m = kept;
    strata_module_destroy(waiting);
}

/* A block that waits for the next one in a loop of one load goes round nine times before it lets
 * others run, one that adds nothing and looks at the answer three times: each of these is a trip to
 * the L2. Both take six turns here, of three instructions a round. */
static void additions_of_nothing_are_told_sooner_than_loads(void **state)
{
    (void)state;
    static const char kernels[] =
        PTX_HEAD WAITING("load", "",
                         "ld.volatile.global.u32 %r4,[%rd3+8]; setp.eq.u32 %p2,%r4,0;\n",
                         "st.volatile.global.u32 [%rd3],%r5;")
            WAITING("add", "", "atom.global.add.u32 %r4,[%rd3+8],0; setp.eq.u32 %p2,%r4,0;\n",
                    "st.volatile.global.u32 [%rd3],%r5;");
    struct strata_module *waiting = load_text(kernels);
    struct run_setup load = {.threads = 32, .blocks = 2}, add = load;
    uint32_t *flags = device_memory(8 * 3);
    run_ok(waiting, "load", &load, &flags);
    memset(flags, 0, 8 * 3);
    run_ok(waiting, "add", &add, &flags);
    assert_int_equal(load.stats.warp_instructions - add.stats.warp_instructions, 6 * (9 - 3) * 3);
    strata_module_destroy(waiting);
}

/* Every block waits for the one before, as in a scan in one pass. One after the other none would
 * wait; by their clocks the last asks as often as the others take to come to it. */
static void blocks_that_add_nothing_wait_as_long_as_their_clocks_say(void **state)
{
    (void)state;
    static const char scan[] = PTX_HEAD
        ".visible .entry scan(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred "
        "%p<3>;\nld.param.u64 %rd1,[flags]; mov.u32 %r1,%ctaid.x; mul.wide.u32 %rd2,%r1,4; "
        "add.u64 %rd3,%rd1,%rd2;\nWAIT: atom.global.add.u32 %r4,[%rd3],0; setp.eq.u32 %p2,%r4,0; "
        "@%p2 bra WAIT;\nadd.u32 %r5,%r4,1; atom.global.add.u32 %r6,[%rd3+4],%r5; ret; }\n";
    enum { BLOCKS = 60 };
    struct strata_gpu gpu = {.sm = {.count = BLOCKS, .schedulers = 4, .min_issue_gap_cycles = 1}};
    struct strata_module *kept = m;
    gpu.l2.hit_cycles = 300;
    m = load_text(scan);
    uint32_t *flags = device_memory(4 * (BLOCKS + 1));
    struct run_setup in_order = {.threads = 1, .blocks = BLOCKS}, by_time = in_order;
    by_time.gpu = &gpu;
    flags[0] = 1;
    run_ok(m, "scan", &in_order, &flags);
    for (uint32_t i = 0; i <= BLOCKS; i++)
        assert_int_equal(flags[i], i + 1);
    memset(flags + 1, 0, 4 * BLOCKS);
    run_ok(m, "scan", &by_time, &flags);
    for (uint32_t i = 0; i <= BLOCKS; i++)
        assert_int_equal(flags[i], i + 1);
    uint64_t rounds = (by_time.stats.warp_instructions - in_order.stats.warp_instructions) / 3;
    assert_in_range(rounds, BLOCKS * BLOCKS / 4, BLOCKS * BLOCKS);
    memset(flags + 1, 0, 4 * BLOCKS);
    same_for_all_threads("scan", by_time, &flags, flags, 4 * (BLOCKS + 1));
    strata_module_destroy(m);
    m = kept;
}

/* More blocks wait for later ones than the SMs hold: a card would wait for ever. */
static void blocks_that_add_nothing_may_wait_for_later_ones(void **state)
{
    (void)state;
    static const char next[] =
        PTX_HEAD WAITING("next", "", "atom.global.add.u32 %r4,[%rd3+8],0; setp.eq.u32 %p2,%r4,0;\n",
                         "st.volatile.global.u32 [%rd3],%r5;");
    struct strata_gpu gpu = {.sm = {.count = 2, .schedulers = 4, .min_issue_gap_cycles = 1}};
    struct strata_module *waiting = load_text(next);
    uint32_t *flags = device_memory(8 * 21);
    struct run_setup setup = {.threads = 32, .blocks = 20, .gpu = &gpu};
    gpu.l2.hit_cycles = 300;
    run_ok(waiting, "next", &setup, &flags);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(flags[2 * i], i + 100);
    strata_module_destroy(waiting);
}

/* Eight warps read a word, work for a while and store it raised by one. Warps that run until they
 * wait add eight; finely interleaved they all read the same, as on hardware, and add one. */
static void warps_can_be_interleaved_finely(void **state)
{
    (void)state;
    struct strata_module *race = load_text(
        PTX_HEAD ".visible .entry k(.param .u64 word)\n{ .reg .b32 %r<6>; .reg .b64 %rd<3>; .reg "
                 ".pred %p<2>; ld.param.u64 %rd1,[word]; ld.global.u32 %r1,[%rd1];\n"
                 "mov.u32 %r2,0; LOOP: add.u32 %r2,%r2,1; setp.lt.u32 %p1,%r2,20; @%p1 bra LOOP;\n"
                 "add.u32 %r1,%r1,1; st.global.u32 [%rd1],%r1; ret; }\n");
    static const struct {
        uint32_t blocks, interleave, expected;
    } cases[] = {{1, 0, 8}, {1, 1, 1}, {1, 4, 1}, {1, 1000, 8}, {3, 0, 24}, {3, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            uint32_t *word = device_memory(4);
            struct run_setup setup = {.threads = 256,
                                      .blocks = cases[i].blocks,
                                      .host_threads = threads,
                                      .interleave = cases[i].interleave};
            run_ok(race, "k", &setup, &word);
            assert_int_equal(*word, cases[i].expected);
        }
    strata_module_destroy(race);
}

/* Thread 0 takes tasks from a queue until there are none; a task runs 20 rounds, every fourth 500.
 * Words: the queue, then for each block its tasks and its rounds. */
static const char queue_kernel[] = PTX_HEAD
    ".visible .entry queue(.param .u64 words)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>; .shared .align 4 .u32 at;\nld.param.u64 %rd1,[words]; mov.u32 %r1,%ctaid.x; "
    "mul.wide.u32 %rd2,%r1,8; add.u64 %rd2,%rd1,%rd2; mov.u32 %r2,%tid.x; setp.ne.u32 %p1,%r2,0;\n"
    "NEXT: @%p1 bra MEET; atom.global.add.u32 %r3,[%rd1],1; st.shared.u32 [at],%r3;\n"
    "MEET: bar.sync 0; ld.shared.u32 %r3,[at]; bar.sync 0; setp.ge.u32 %p2,%r3,400; @%p2 ret;\n"
    "and.b32 %r4,%r3,3; setp.eq.u32 %p2,%r4,0; selp.u32 %r4,500,20,%p2; mov.u32 %r5,0;\n"
    "ROUND: add.u32 %r5,%r5,1; setp.lt.u32 %p3,%r5,%r4; @%p3 bra ROUND;\n"
    "@%p1 bra NEXT; red.global.add.u32 [%rd2+4],1; red.global.add.u32 [%rd2+8],%r4; bra NEXT; }\n";

static void blocks_that_take_work_from_a_queue_share_it(void **state)
{
    (void)state;
    enum { BLOCKS = 40, TASKS = 400, ROUNDS = 100 * 500 + 300 * 20 };
    struct strata_module *queue = load_text(queue_kernel), *kept = m;
    uint32_t *words = device_memory(4 * (1 + 2 * BLOCKS)), tasks = 0;
    struct run_setup setup = {.threads = 64, .blocks = BLOCKS};
    m = queue;
    same_for_all_threads("queue", setup, &words, words, 4 * (1 + 2 * BLOCKS));
    for (unsigned i = 0; i < BLOCKS; i++) {
        tasks += words[1 + 2 * i];
        assert_true(words[2 + 2 * i] > ROUNDS / BLOCKS / 2); /* nobody goes without */
        assert_true(words[2 + 2 * i] < ROUNDS / BLOCKS * 2);
    }
    assert_int_equal(tasks, TASKS);
    assert_int_equal(words[0], TASKS + BLOCKS);
    m = kept;
    strata_module_destroy(queue);
}

/* The same with a first task before the loop and the next at its end, each block a thread; every
 * fourth of 160 runs 500 rounds. Words: the queue, then the tasks and rounds of each block. */
static const char early_kernel[] = PTX_HEAD
    ".visible .entry early(.param .u64 words)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[words]; mov.u32 %r1,%ctaid.x; mul.wide.u32 %rd2,%r1,8; add.u64 "
    "%rd2,%rd1,%rd2; atom.global.add.u32 %r3,[%rd1],1;\nNEXT: setp.ge.u32 %p2,%r3,160; @%p2 ret;\n"
    "and.b32 %r4,%r3,3; setp.eq.u32 %p2,%r4,0; selp.u32 %r4,500,20,%p2; mov.u32 %r5,0;\n"
    "ROUND: add.u32 %r5,%r5,1; setp.lt.u32 %p3,%r5,%r4; @%p3 bra ROUND;\n"
    "red.global.add.u32 [%rd2+4],1; red.global.add.u32 [%rd2+8],%r4;\n"
    "atom.global.add.u32 %r3,[%rd1],1; bra NEXT; }\n";

static void each_block_has_its_first_task_before_one_has_a_second(void **state)
{
    (void)state;
    enum { BLOCKS = 40, TASKS = 160 };
    struct strata_module *early = load_text(early_kernel), *kept = m;
    uint32_t *words = device_memory(4 * (1 + 2 * BLOCKS));
    struct run_setup setup = {.threads = 1, .blocks = BLOCKS};
    m = early;
    words[0] = TASKS - BLOCKS;
    same_for_all_threads("early", setup, &words, words, 4 * (1 + 2 * BLOCKS));
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(words[1 + 2 * i], 1);
    assert_int_equal(words[0], TASKS + BLOCKS);
    m = kept;
    strata_module_destroy(early);
}

static void blocks_with_short_tasks_come_back_the_sooner(void **state)
{
    (void)state;
    enum { BLOCKS = 40 };
    struct strata_module *early = load_text(early_kernel), *kept = m;
    uint32_t *words = device_memory(4 * (1 + 2 * BLOCKS)), most = 0;
    struct run_setup setup = {.threads = 1, .blocks = BLOCKS};
    m = early;
    same_for_all_threads("early", setup, &words, words, 4 * (1 + 2 * BLOCKS));
    for (unsigned i = 0; i < BLOCKS; i++) {
        assert_true(words[2 + 2 * i] < 2 * 500); /* as many long tasks as blocks: none has two */
        most = words[1 + 2 * i] > most ? words[1 + 2 * i] : most;
    }
    assert_true(most > 10);
    m = kept;
    strata_module_destroy(early);
}

static void a_barrier_of_the_whole_grid_opens(void **state)
{
    (void)state;
    uint32_t *words = device_memory(4 * 25);
    struct {
        void *count, *out;
    } params = {words, words + 1};
    for (unsigned cooperative = 0; cooperative < 2; cooperative++) {
        struct run_setup setup = {.threads = 64, .blocks = 24, .cooperative = cooperative};
        memset(words, 0, 4 * 25);
        same_for_all_threads("grid_barrier", setup, &params, words, 4 * 25);
        for (unsigned i = 0; i < 24; i++)
            assert_int_equal(words[1 + i], 24);
    }
}

static void a_sample_of_blocks_is_spread_evenly(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 100);
    static const struct {
        uint64_t sample, expected;
    } cases[] = {{10, 10}, {7, 7}, {100, 100}, {1000, 100}, {1, 1}, {0, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        struct strata_record_sink sink = {&t, begin, take_block};
        struct run_setup setup = {.threads = 32,
                                  .blocks = 100,
                                  .shared_bytes = 128,
                                  .sink = &sink,
                                  .sample_blocks = cases[i].sample,
                                  .host_threads = 2};
        run_ok(m, "tree", &setup, &out);
        assert_int_equal(t.blocks, cases[i].expected);
        assert_int_equal(setup.stats.recorded_blocks, cases[i].expected);
        assert_int_equal(setup.stats.blocks, 100);
        if (cases[i].sample == 10)
            assert_non_null(strstr(t.bytes, "block 9\n"));
        free(t.bytes);
    }
}

static strata_status refuse(void *user, struct strata_block *block, struct strata_error *err)
{
    unsigned *left = user;
    strata_block_destroy(block);
    return --*left ? STRATA_OK : strata_fail(err, STRATA_EIO, "disk", 0, 0, "the disk is full");
}
static strata_status accept(void *user, const struct strata_code *code, struct strata_error *err)
{
    (void)user;
    (void)code;
    (void)err;
    return STRATA_OK;
}

static void a_sink_that_fails_stops_the_launch(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 100);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        unsigned left = 5;
        struct strata_record_sink sink = {&left, accept, refuse};
        struct run_setup setup = {.threads = 32,
                                  .blocks = 100,
                                  .shared_bytes = 128,
                                  .sink = &sink,
                                  .host_threads = threads};
        assert_int_equal(run_entry(m, "tree", &setup, &out), STRATA_EIO);
        assert_string_equal(setup.err.message, "the disk is full");
        assert_int_equal(left, 0);
    }
}

static void the_clock_only_goes_forward(void **state)
{
    (void)state;
    struct strata_module *clock = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<8>; ld.param.u64 "
        "%rd1,[out];\n"
        "mov.u32 %r1,%clock; mov.u64 %rd2,%clock64; mov.u64 %rd3,%globaltimer; mov.u32 "
        "%r2,%clock;\n"
        "st.global.u32 [%rd1],%r1; st.global.u32 [%rd1+4],%r2; st.global.u64 [%rd1+8],%rd2;\n"
        "st.global.u64 [%rd1+16],%rd3; ret; }\n");
    struct {
        uint32_t a, b;
        uint64_t c, d;
    } *out = device_memory(24);
    struct run_setup setup = {.threads = 1};
    run_ok(clock, "k", &setup, &out);
    assert_true(out->a < out->b);
    assert_true(out->a < out->c && out->c < out->d && out->d < out->b);
    strata_module_destroy(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_blocks_run_in_parallel),
        cmocka_unit_test(reductions_of_floats_keep_the_order_of_the_blocks),
        cmocka_unit_test(the_last_of_competing_stores_wins),
        cmocka_unit_test(a_block_that_reads_what_another_wrote_sees_it),
        cmocka_unit_test(in_place_kernels_give_the_result_of_block_order),
        cmocka_unit_test(a_late_reader_is_noticed),
        cmocka_unit_test(a_failure_is_that_of_the_first_block),
        cmocka_unit_test(a_spin_lock_is_passed_on_between_lanes_and_blocks),
        cmocka_unit_test(blocks_may_wait_for_later_blocks),
        cmocka_unit_test(waiting_has_many_forms),
        cmocka_unit_test(additions_of_nothing_are_told_sooner_than_loads),
        cmocka_unit_test(blocks_that_add_nothing_wait_as_long_as_their_clocks_say),
        cmocka_unit_test(blocks_that_add_nothing_may_wait_for_later_ones),
        cmocka_unit_test(warps_can_be_interleaved_finely),
        cmocka_unit_test(blocks_that_take_work_from_a_queue_share_it),
        cmocka_unit_test(each_block_has_its_first_task_before_one_has_a_second),
        cmocka_unit_test(blocks_with_short_tasks_come_back_the_sooner),
        cmocka_unit_test(a_barrier_of_the_whole_grid_opens),
        cmocka_unit_test(a_sample_of_blocks_is_spread_evenly),
        cmocka_unit_test(a_sink_that_fails_stops_the_launch),
        cmocka_unit_test(the_clock_only_goes_forward),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
