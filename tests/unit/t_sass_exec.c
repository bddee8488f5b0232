/* t_sass_exec.c - machine code against the PTX it was made of: both must leave the same memory.
 *
 * tests/data/sass holds kernels as PTX and as cubins of several architectures, packed in one file
 * (see tests/data/sass/README.md). Each reads 16 words a thread and writes 64. */
#include "ptxfix.h"

#include <lzma.h>
#include <strata/gpu.h>
#include <strata/sass.h>

#define MAX_PACK_BYTES ((size_t)1 << 24)

#define THREADS   128 /* at most: what the kernel asks for, or 64 */
#define BLOCKS    2
#define IN_BYTES  (THREADS * BLOCKS * 64)
#define OUT_BYTES (THREADS * BLOCKS * 256)

/* ---- the packed file: lines "name bytes", each followed by so many bytes ---- */

struct member {
    char name[64];
    char *bytes;
    size_t length;
};
static struct member members[256];
static size_t n_members;
static char *packed;

static int unpack(void **state)
{
    char path[600];
    uint8_t *stored = malloc(MAX_PACK_BYTES);
    size_t n = 0, in_at = 0;
    uint64_t limit = UINT64_MAX;
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/sass/kernels.pack.xz", root ? root : ".");
    FILE *f = fopen(path, "rb");
    packed = malloc(MAX_PACK_BYTES);
    if (!f || !packed || !stored)
        fail_msg("cannot read %s", path);
    size_t length = fread(stored, 1, MAX_PACK_BYTES, f);
    fclose(f);
    assert_int_equal(lzma_stream_buffer_decode(&limit, 0, NULL, stored, &in_at, length,
                                               (uint8_t *)packed, &n, MAX_PACK_BYTES),
                     LZMA_OK);
    free(stored);
    for (size_t at = 0; at < n && n_members < 256;) {
        struct member *m = &members[n_members++];
        int head = 0;
        assert_int_equal(sscanf(packed + at, "%63s %zu%n", m->name, &m->length, &head), 2);
        m->bytes = packed + at + head + 1;
        at += (size_t)head + 1 + m->length;
        assert_true(at <= n);
    }
    return open_arena(state);
}
static int forget(void **state)
{
    free(packed);
    return close_arena(state);
}

static const struct member *find(const char *name)
{
    for (size_t i = 0; i < n_members; i++)
        if (!strcmp(members[i].name, name))
            return &members[i];
    return NULL;
}

/* ---- running ---- */

static void fill(uint32_t *words, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        words[i] = (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 20);
    }
}

static struct strata_module *load_cubin(const struct member *cubin)
{
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_module *m = NULL;
    struct strata_error err;
    if (strata_sass_module_create(cubin->bytes, cubin->length, cubin->name, &memory, &m, &err) !=
        STRATA_OK)
        fail_msg("%s: %s", cubin->name, err.message);
    return m;
}

static void run_one(struct strata_module *m, uint32_t *in, uint32_t *out, uint32_t host_threads,
                    uint32_t interleave)
{
    uint32_t asked = strata_module_entry_find(m, "k")->required_threads[0];
    struct run_setup setup = {.blocks = BLOCKS,
                              .threads = asked ? asked : 64,
                              .host_threads = host_threads,
                              .interleave = interleave};
    struct {
        void *in, *out;
    } params = {in, out};
    fill(in, IN_BYTES / 4, 7);
    memset(out, 0, OUT_BYTES);
    run_ok(m, "k", &setup, &params);
}

static void compare(const struct member *ptx, const struct member *cubin)
{
    static const struct {
        uint32_t threads, interleave;
    } ways[] = {{1, 0}, {2, 0}, {1, 1}, {1, 3}, {1, 8}};
    uint32_t *in = device_memory(IN_BYTES), *out = device_memory(OUT_BYTES);
    uint32_t *expected = malloc(OUT_BYTES);
    char *text = strndup(ptx->bytes, ptx->length);
    struct strata_module *from_ptx = load_text(text), *from_cubin = load_cubin(cubin);
    assert_int_equal(strata_module_isa(from_ptx), STRATA_ISA_PTX);
    assert_int_equal(strata_module_isa(from_cubin), STRATA_ISA_SASS);
    run_one(from_ptx, in, out, 1, 0);
    memcpy(expected, out, OUT_BYTES);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        run_one(from_cubin, in, out, ways[k].threads, ways[k].interleave);
        for (size_t i = 0; i < OUT_BYTES / 4; i++)
            if (out[i] != expected[i])
                fail_msg("%s, %u thread(s), turns of %u: word %zu of thread %zu is 0x%08x instead "
                         "of 0x%08x",
                         cubin->name, ways[k].threads, ways[k].interleave, i % 64, i / 64, out[i],
                         expected[i]);
    }
    strata_module_destroy(from_ptx);
    strata_module_destroy(from_cubin);
    strata_arena_release(arena, in);
    strata_arena_release(arena, out);
    free(expected);
    free(text);
}

/* In the cubin's section the two are 4 bytes apart; the driver gives each a place of its own. */
static void variables_are_placed_one_by_one(void **state)
{
    (void)state;
    char path[600], bytes[16384];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/sass/small90.cubin", root ? root : ".");
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct member cubin = {.name = "small90.cubin", .bytes = bytes};
    cubin.length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct strata_module *m = load_cubin(&cubin);
    const struct strata_symbol *counter = strata_module_symbol_find(m, "counter"),
                               *text = strata_module_symbol_find(m, "$str");
    assert_non_null(counter);
    assert_non_null(text);
    assert_int_equal((uintptr_t)counter->address % 256, 0);
    assert_int_equal((uintptr_t)text->address % 256, 0);
    assert_ptr_not_equal(counter->address, text->address);
    assert_int_equal(((const char *)text->address)[text->bytes - 1], 0);
    assert_int_not_equal(((const char *)text->address)[0], 0);
    strata_module_destroy(m);
}

static void machine_code_leaves_the_memory_its_ptx_leaves(void **state)
{
    (void)state;
    size_t compared = 0;
    for (size_t i = 0; i < n_members; i++) {
        const char *dot = strchr(members[i].name, '.');
        char ptx[80];
        if (!dot || !strstr(dot, "cubin"))
            continue;
        snprintf(ptx, sizeof ptx, "%.*s.ptx", (int)(dot - members[i].name), members[i].name);
        assert_non_null(find(ptx));
        compare(find(ptx), &members[i]);
        compared++;
    }
    assert_true(compared >= 40);
}

/* The system's part of shared memory is not the kernel's: cooperative groups meet in it. */
static void reserved_shared_memory_is_not_counted(void **state)
{
    (void)state;
    const struct member *ptx = find("reserved.ptx");
    assert_non_null(ptx);
    char *text = strndup(ptx->bytes, ptx->length);
    struct strata_module *m = load_text(text);
    assert_int_equal(strata_module_entry_find(m, "k")->shared_static_bytes, 512);
    strata_module_destroy(m);
    free(text);
}

/* An H200 counts 50 instructions a warp for a kernel of 50 in which every lane waits for itself. */
static void lanes_that_meet_in_groups_stay_together(void **state)
{
    (void)state;
    struct strata_module *m = load_cubin(find("together.sm_90.cubin"));
    uint32_t *in = device_memory(IN_BYTES), *out = device_memory(OUT_BYTES);
    struct run_setup setup = {.blocks = 1, .threads = 32};
    struct {
        void *in, *out;
    } params = {in, out};
    fill(in, IN_BYTES / 4, 7);
    run_ok(m, "k", &setup, &params);
    assert_int_not_equal(out[1], out[64 + 1]); /* there are several groups */
    assert_int_equal(setup.stats.warp_instructions, 31);
    strata_module_destroy(m);
    strata_arena_release(arena, in);
    strata_arena_release(arena, out);
}

static uint64_t instructions_of_spinning(struct strata_module *m, uint32_t threads,
                                         const struct strata_gpu *gpu)
{
    uint32_t *in = device_memory(IN_BYTES), *out = device_memory(OUT_BYTES);
    struct run_setup setup = {.blocks = 1, .threads = threads, .gpu = gpu};
    struct {
        void *in, *out;
    } params = {in, out};
    memset(in, 0, IN_BYTES);
    for (uint32_t t = 0; t < threads; t++) /* each adds one, all of them to the same sums */
        in[t * 16 + 1] = in[t * 16 + 3] = 1;
    run_ok(m, "k", &setup, &params);
    strata_arena_release(arena, in);
    strata_arena_release(arena, out);
    return setup.stats.warp_instructions;
}

/* A sum of floats in shared memory is a loop around a compare and swap. A warp alone needs 32
 * rounds; of several, one swaps in each round and all others try again, by turns. */
static void warps_that_swap_get_into_each_others_way(void **state)
{
    (void)state;
    struct strata_module *m = load_cubin(find("spin.sm_90.cubin"));
    uint64_t one = instructions_of_spinning(m, 32, NULL),
             two = instructions_of_spinning(m, 64, NULL);
    /* Of the 128 rounds of each of the two sums, 64 are in vain. */
    assert_in_range(two - 2 * one, 2 * 60 * 4, 2 * 66 * 8);
    strata_module_destroy(m);
}

/* With clocks warps come one after the other, and several may swap in the time of a round: of four
 * warps fewer than half of the rounds are in vain (an H200: 61 of 189, shared_spin_probe.cu) where
 * without them it is three of four. */
static void warps_with_clocks_get_out_of_each_others_way(void **state)
{
    (void)state;
    struct strata_gpu gpu;
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/gpus/h200.yaml", root ? root : ".");
    assert_int_equal(strata_gpu_load(path, &gpu, NULL), STRATA_OK);
    struct strata_module *m = load_cubin(find("spin.sm_90.cubin"));
    uint64_t one = instructions_of_spinning(m, 32, &gpu),
             four = instructions_of_spinning(m, 128, &gpu),
             apart = instructions_of_spinning(m, 128, NULL);
    assert_in_range(four - 4 * one, 2 * 40 * 4, 4 * one);
    assert_true(apart > 8 * one);
    strata_module_destroy(m);
}

/* ---- what a module says ---- */

static const struct member *first_cubin(void)
{
    for (size_t i = 0; i < n_members; i++)
        if (strstr(members[i].name, "cubin"))
            return &members[i];
    fail_msg("no cubin");
    return NULL;
}

static void an_entry_says_what_the_cubin_says(void **state)
{
    (void)state;
    struct strata_module *m = load_cubin(first_cubin());
    const struct strata_entry *e = strata_module_entry_find(m, "k");
    assert_non_null(e);
    assert_true(e->registers_are_exact);
    assert_in_range(e->registers, 16, 255);
    assert_int_equal(e->n_params, 2);
    assert_int_equal(e->param_bytes, 16);
    assert_int_equal(e->params[1].offset_bytes, 8);
    assert_int_equal(e->shared_static_bytes, 2048);
    assert_int_equal(strata_module_entry_check(m, e, NULL), STRATA_OK);
    assert_null(strata_module_entry_find(m, "nothing"));
    strata_module_destroy(m);
}

static void damaged_cubins_are_refused(void **state)
{
    (void)state;
    const struct member *cubin = first_cubin();
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_module *m = NULL;
    struct strata_error err;
    assert_int_not_equal(strata_sass_module_create("no cubin", 8, "x", &memory, &m, &err),
                         STRATA_OK);
    assert_null(m);
    assert_int_not_equal(
        strata_sass_module_create(cubin->bytes, cubin->length / 2, "x", &memory, &m, &err),
        STRATA_OK);
    assert_null(m);
}

/* Puts an instruction in the place of every NOP (0x918 with guard PT: the padding at the end); why
 * the entry cannot be run then. */
static void refusal_of(const uint8_t instruction[16], struct strata_error *err)
{
    const struct member *cubin = first_cubin();
    struct member copy = *cubin;
    copy.bytes = malloc(cubin->length);
    memcpy(copy.bytes, cubin->bytes, cubin->length);
    unsigned nops = 0;
    for (size_t at = 0; at + 16 <= copy.length; at++)
        if (!memcmp(copy.bytes + at, "\x18\x79\0\0\0\0\0\0", 8)) {
            memcpy(copy.bytes + at, instruction, 16);
            nops++;
        }
    assert_int_not_equal(nops, 0);
    struct strata_module *m = load_cubin(&copy);
    assert_int_equal(strata_module_entry_check(m, strata_module_entry_get(m, 0), err),
                     STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err->message, "kernel \"k\""));
    strata_module_destroy(m);
    free(copy.bytes);
}

/* An instruction nobody knows is named, with its place, and the entry cannot be run. */
static void an_instruction_that_is_not_known_is_named(void **state)
{
    (void)state;
    struct strata_error err;
    refusal_of((const uint8_t[16]){0x00, 0x70}, &err);
    assert_non_null(strstr(err.message, "cannot be executed"));
}

/* It differs from the product of whole matrices in one bit. */
/* ---- the record ---- */

struct recorded {
    uint64_t blocks, accesses, instructions;
    const struct strata_code *code;
};
static strata_status record_begin(void *user, const struct strata_code *code,
                                  struct strata_error *err)
{
    (void)err;
    ((struct recorded *)user)->code = code;
    return STRATA_OK;
}
static strata_status record_block(void *user, struct strata_block *block, struct strata_error *err)
{
    struct recorded *r = user;
    struct strata_cursor cursor = {0};
    struct strata_winst inst;
    (void)err;
    for (uint32_t w = 0; w < block->n_warps; w++) {
        assert_int_equal(strata_cursor_init(&cursor, block, w, NULL), STRATA_OK);
        while (strata_cursor_next(&cursor, &inst)) {
            r->instructions++;
            assert_true(inst.inst->control.known);
            if (inst.inst->space == STRATA_SPACE_GLOBAL && inst.mask) {
                r->accesses++;
                assert_int_not_equal(inst.addr_kind, STRATA_ADDR_NONE);
                assert_true(!strncmp(inst.inst->opcode, "LDG.E", 5) ||
                            !strncmp(inst.inst->opcode, "STG.E", 5));
            }
        }
    }
    r->blocks++;
    strata_cursor_release(&cursor);
    strata_block_destroy(block);
    return STRATA_OK;
}

static void the_record_has_opcodes_registers_and_addresses(void **state)
{
    (void)state;
    struct strata_module *m = load_cubin(first_cubin());
    uint32_t *in = device_memory(IN_BYTES), *out = device_memory(OUT_BYTES);
    struct recorded r = {0};
    struct strata_record_sink sink = {&r, record_begin, record_block};
    struct run_setup setup = {.blocks = BLOCKS, .threads = THREADS, .sink = &sink};
    struct {
        void *in, *out;
    } params = {in, out};
    run_ok(m, "k", &setup, &params);
    assert_int_equal(r.blocks, BLOCKS);
    assert_int_equal(r.instructions, setup.stats.warp_instructions);
    assert_true(r.accesses >= 2 * BLOCKS * (THREADS / 32));
    bool exit_seen = false, load_seen = false;
    unsigned thread_reads = 0, other_reads = 0;
    for (uint32_t i = 0; i < strata_code_count(r.code); i++) {
        const struct strata_inst *s = strata_code_get(r.code, i);
        assert_int_equal(s->pc, (uint64_t)i * 16);
        exit_seen |= !strcmp(s->opcode, "EXIT");
        if (!strcmp(s->opcode, "S2R")) {
            assert_int_not_equal(s->imm, STRATA_SPECIAL_UNTOLD);
            thread_reads += s->imm == STRATA_SPECIAL_OF_LANE;
            other_reads += s->imm == STRATA_SPECIAL_OF_WARP;
        }
        if (!strncmp(s->opcode, "LDG.E", 5)) {
            load_seen = true;
            assert_true(s->width_bytes >= 1 && s->width_bytes <= 16);
            assert_int_equal(s->n_dst, 1);
            assert_true(s->n_src >= 1);
        }
    }
    assert_true(exit_seen && load_seen);
    assert_true(thread_reads > 0 && other_reads > 0);
    strata_module_destroy(m);
}

static void lanes_make_a_barrier_each(void **state)
{
    (void)state;
    static char bytes[1 << 16];
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/sass/inits90.cubin", root ? root : ".");
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct member cubin = {.name = "inits90", .bytes = bytes};
    cubin.length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct strata_module *m = load_cubin(&cubin);
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 4, .limit = 10000};
    run_ok(m, "k", &setup, &out);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(out[i], 1);
    strata_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_leaves_the_memory_its_ptx_leaves),
        cmocka_unit_test(reserved_shared_memory_is_not_counted),
        cmocka_unit_test(lanes_that_meet_in_groups_stay_together),
        cmocka_unit_test(warps_that_swap_get_into_each_others_way),
        cmocka_unit_test(warps_with_clocks_get_out_of_each_others_way),
        cmocka_unit_test(variables_are_placed_one_by_one),
        cmocka_unit_test(an_entry_says_what_the_cubin_says),
        cmocka_unit_test(damaged_cubins_are_refused),
        cmocka_unit_test(an_instruction_that_is_not_known_is_named),
        cmocka_unit_test(the_record_has_opcodes_registers_and_addresses),
        cmocka_unit_test(lanes_make_a_barrier_each),
    };
    return cmocka_run_group_tests(tests, unpack, forget);
}
