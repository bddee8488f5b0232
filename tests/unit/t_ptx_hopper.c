/* t_ptx_hopper.c - tensor copies, barriers in shared memory, warpgroup MMA and clusters, against
 * host computations. The kernels are those of device/hopper, compiled by nvcc 13 for sm_90a. */
#include "ptxfix.h"

#include <lzma.h>
#include <math.h>
#include <strata/sass.h>

#include "emulator/half.h"
#include "emulator/mbarrier.h"
#include "emulator/tensor_map.h"

#define HEAD90 ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define BODY(text)                                                                                 \
    HEAD90                                                                                         \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<10>; .reg .b64 %rd<10>;\n"                \
    ".reg .pred %p<5>; .shared .align 8 .b64 bar; .shared .align 128 .b8 data[1024];\n" text       \
    "\nret;\n}\n"

/* ---- the same kernels as machine code ---- */

#define PACK_BYTES ((size_t)1 << 20)
/* Where the first parameter of 128-byte alignment lies: the bank's parameters begin at 0x210. */
#define PARAMETER_GAP 0x70

static bool as_machine_code;
static uint8_t given[PARAMETER_GAP + 1024];

/* Of tests/data/sass/hopper.pack.xz: lines "name bytes", each followed by so many bytes. */
static struct strata_module *load_packed(const char *name)
{
    char path[600], found[64];
    static uint8_t stored[PACK_BYTES], packed[PACK_BYTES];
    const char *root = getenv("STRATA_SOURCE");
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_module *m = NULL;
    struct strata_error err;
    size_t in_at = 0, n = 0, length = 0;
    uint64_t limit = UINT64_MAX;
    snprintf(path, sizeof path, "%s/tests/data/sass/hopper.pack.xz", root ? root : ".");
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot read %s", path);
    size_t bytes = fread(stored, 1, PACK_BYTES, f);
    fclose(f);
    assert_int_equal(
        lzma_stream_buffer_decode(&limit, 0, NULL, stored, &in_at, bytes, packed, &n, PACK_BYTES),
        LZMA_OK);
    for (size_t at = 0; at < n && !m; at += length) {
        int head = 0;
        assert_int_equal(sscanf((char *)packed + at, "%63s %zu%n", found, &length, &head), 2);
        at += (size_t)head + 1;
        if (!strcmp(found, name) &&
            strata_sass_module_create(packed + at, length, name, &memory, &m, &err) != STRATA_OK)
            fail_msg("%s", err.message);
    }
    assert_non_null(m);
    return m;
}

static struct strata_module *load_kernels(const char *name)
{
    return as_machine_code ? load_packed(name) : load_fixture(name);
}

static void *parameters(void *p, size_t bytes)
{
    if (!as_machine_code)
        return p;
    memcpy(given + PARAMETER_GAP, p, bytes);
    return given;
}

/* A tensor of rows x columns elements, boxes of box_rows x box_columns. */
static struct emu_tensor_map map_of(void *base, unsigned type, uint64_t rows, uint64_t columns,
                                    unsigned box_rows, unsigned box_columns, unsigned swizzle)
{
    struct emu_tensor_map m = {.magic = EMU_TENSOR_MAP_MAGIC,
                               .rank = 2,
                               .type = (uint8_t)type,
                               .swizzle = (uint8_t)swizzle,
                               .element_bytes = (uint8_t)emu_tensor_element_bytes(type),
                               .box = {(uint16_t)box_columns, (uint16_t)box_rows},
                               .element_stride = {1, 1},
                               .base = (uint64_t)(uintptr_t)base,
                               .size_minus_1 = {(uint32_t)columns - 1, (uint32_t)rows - 1}};
    m.stride[0] = m.element_bytes;
    m.stride[1] = columns * m.element_bytes;
    return m;
}

static int pattern(uint64_t i, uint32_t seed)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xbf58476d1ce4e5b9ull;
    x ^= x >> 29;
    x *= 0x94d049bb133111ebull;
    return (int)((x >> 40) % 7) - 3;
}

/* ---- copies ---- */

struct copy_params {
    _Alignas(128) uint8_t from[128];
    _Alignas(128) uint8_t to[128];
    int32_t tiles_x, tiles, box_columns, box_rows, element_bytes, reduce, to_rows;
};

static void copy_tiles(unsigned box_rows, unsigned box_columns, unsigned swizzle, bool reduce)
{
    enum { ROWS = 128, COLUMNS = 256 };
    struct strata_module *m = load_kernels("hopper_copy.ptx");
    uint32_t *from = device_memory(ROWS * COLUMNS * 4), *to = device_memory(ROWS * COLUMNS * 4);
    unsigned to_rows = reduce ? 64 : ROWS;
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        from[i] = i * 2654435761u;
    struct emu_tensor_map a = map_of(from, 2, ROWS, COLUMNS, box_rows, box_columns, swizzle);
    struct emu_tensor_map b = map_of(to, 2, to_rows, COLUMNS, box_rows, box_columns, swizzle);
    struct copy_params p = {.tiles_x = (int)(COLUMNS / box_columns),
                            .tiles = (int)(COLUMNS / box_columns * (ROWS / box_rows)),
                            .box_columns = (int)box_columns,
                            .box_rows = (int)box_rows,
                            .element_bytes = 4,
                            .reduce = reduce,
                            .to_rows = (int)to_rows};
    memcpy(p.from, &a, sizeof a);
    memcpy(p.to, &b, sizeof b);
    unsigned room = (box_rows * box_columns * 4 + 1023) & ~1023u;
    struct run_setup s = {
        .blocks = 3, .threads = 32, .host_threads = 2, .shared_bytes = 4 * room + 1024};
    run_ok(m, "_Z9tile_copy14CUtensorMap_stS_iiiiiii", &s, parameters(&p, sizeof p));
    for (unsigned i = 0; i < to_rows * COLUMNS; i++)
        assert_int_equal(to[i], reduce ? from[i] + from[i + 64 * COLUMNS] : from[i]);
    strata_module_destroy(m);
}

static void tiles_of_every_swizzle_come_back_as_they_were(void **state)
{
    (void)state;
    copy_tiles(8, 32, EMU_SWIZZLE_NONE, false);
    copy_tiles(64, 8, EMU_SWIZZLE_32, false);
    copy_tiles(64, 16, EMU_SWIZZLE_64, false);
    copy_tiles(32, 32, EMU_SWIZZLE_128, false);
    copy_tiles(16, 64, EMU_SWIZZLE_NONE, false);
}

static void a_reduction_adds_to_what_is_there(void **state)
{
    (void)state;
    copy_tiles(32, 32, EMU_SWIZZLE_NONE, true);
}

static void a_swizzled_tile_is_transposed(void **state)
{
    (void)state;
    enum { ROWS = 128, COLUMNS = 192 };
    struct strata_module *m = load_kernels("hopper_copy.ptx");
    uint16_t *from = device_memory(ROWS * COLUMNS * 2), *to = device_memory(ROWS * COLUMNS * 2);
    struct {
        _Alignas(128) uint8_t from[128];
        _Alignas(128) uint8_t to[128];
    } p;
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        from[i] = (uint16_t)(i * 40503u);
    struct emu_tensor_map a = map_of(from, 1, ROWS, COLUMNS, 64, 64, EMU_SWIZZLE_128);
    struct emu_tensor_map b = map_of(to, 1, COLUMNS, ROWS, 64, 64, EMU_SWIZZLE_128);
    memcpy(p.from, &a, sizeof a);
    memcpy(p.to, &b, sizeof b);
    struct strata_kernel_launch launch = {
        .entry = strata_module_entry_find(m, "_Z9transpose14CUtensorMap_stS_"),
        .grid = {COLUMNS / 64, ROWS / 64, 1},
        .block = {256, 1, 1},
        .params = parameters(&p, sizeof p)};
    struct strata_error err;
    assert_non_null(launch.entry);
    assert_int_equal(strata_module_run(m, &launch, NULL, NULL, &err), STRATA_OK);
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < COLUMNS; x++)
            assert_int_equal(to[x * ROWS + y], from[y * COLUMNS + x]);
    strata_module_destroy(m);
}

/* ---- products ---- */

struct gemm_params {
    _Alignas(128) uint8_t a[128];
    _Alignas(128) uint8_t b[128];
    uint64_t c;
    int32_t m_tiles, n_tiles, k_steps, ldc;
};

static uint8_t e4m3_of(int x) /* -3 to 3 are exact */
{
    static const uint8_t bits[] = {0x00, 0x38, 0x40, 0x44};
    return (uint8_t)(bits[abs(x)] | (x < 0 ? 0x80 : 0));
}

/* `box`: rows of the second operand that a copy brings. */
static strata_status run_product(const char *entry, unsigned bm, unsigned bn, unsigned cluster,
                                 unsigned bytes, unsigned box, uint16_t **result,
                                 struct strata_error *err)
{
    unsigned rows = 256, columns = 256, k = 256, per_step = 128 / bytes;
    struct strata_module *m = load_kernels("hopper_gemm.ptx");
    uint8_t *a = device_memory(rows * k * bytes), *b = device_memory(columns * k * bytes);
    uint16_t *c = device_memory(rows * columns * 2);
    for (unsigned i = 0; i < rows * k; i++) {
        if (bytes == 2) {
            ((uint16_t *)(void *)a)[i] = emu_half_from(pattern(i, 1), EMU_ROUND_NEAREST);
            ((uint16_t *)(void *)b)[i] = emu_half_from(pattern(i, 2), EMU_ROUND_NEAREST);
        } else {
            a[i] = e4m3_of(pattern(i, 1));
            b[i] = e4m3_of(pattern(i, 2));
        }
    }
    struct gemm_params p = {.c = (uint64_t)(uintptr_t)c,
                            .m_tiles = (int)(rows / bm),
                            .n_tiles = (int)(columns / bn),
                            .k_steps = (int)(k / per_step),
                            .ldc = (int)columns};
    unsigned type = bytes == 2 ? 6 : 0;
    struct emu_tensor_map ma = map_of(a, type, rows, k, bm, per_step, EMU_SWIZZLE_128);
    struct emu_tensor_map mb = map_of(b, type, columns, k, box, per_step, EMU_SWIZZLE_128);
    memcpy(p.a, &ma, sizeof ma);
    memcpy(p.b, &mb, sizeof mb);
    struct strata_kernel_launch launch = {.entry = strata_module_entry_find(m, entry),
                                          .grid = {rows / bm * (columns / bn), 1, 1},
                                          .block = {bm * 2 + 128, 1, 1},
                                          .shared_dynamic_bytes = 4 * (bm + bn) * 128 + 1024,
                                          .params = parameters(&p, sizeof p),
                                          .cluster = {cluster, 1, 1}};
    assert_non_null(launch.entry);
    strata_status status = strata_module_run(m, &launch, NULL, NULL, err);
    strata_module_destroy(m);
    *result = c;
    return status;
}

static void multiply(const char *entry, unsigned bm, unsigned bn, unsigned cluster, unsigned bytes)
{
    enum { rows = 256, columns = 256, k = 256 };
    uint16_t *c;
    struct strata_error err;
    if (run_product(entry, bm, bn, cluster, bytes, bn / cluster, &c, &err) != STRATA_OK)
        fail_msg("%s", err.message);
    for (unsigned y = 0; y < rows; y += 5)
        for (unsigned x = 0; x < columns; x++) {
            int sum = 0;
            for (unsigned i = 0; i < k; i++)
                sum += pattern((uint64_t)y * k + i, 1) * pattern((uint64_t)x * k + i, 2);
            assert_true(emu_half_value(c[y * columns + x]) == sum);
        }
}

static void a_product_by_tensor_copies_and_warpgroups_is_exact(void **state)
{
    (void)state;
    multiply("_Z4gemmILi64ELi64ELi4ELi1EL4kind0EEv14CUtensorMap_stS1_P6__halfiiii", 64, 64, 1, 2);
}

static void blocks_of_a_cluster_share_what_is_loaded_once(void **state)
{
    (void)state;
    multiply("_Z4gemmILi64ELi128ELi4ELi4EL4kind0EEv14CUtensorMap_stS1_P6__halfiiii", 64, 128, 4, 2);
}

static void floats_of_eight_bits_are_multiplied(void **state)
{
    (void)state;
    multiply("_Z4gemmILi128ELi128ELi4ELi1EL4kind1EEv14CUtensorMap_stS1_P6__halfiiii", 128, 128, 1,
             1);
}

static void attention_row(const uint16_t *q, const uint16_t *k, const uint16_t *v, unsigned row,
                          double out[64])
{
    double total = 0;
    memset(out, 0, 64 * sizeof *out);
    for (unsigned j = 0; j <= row; j++) {
        double s = 0;
        for (unsigned i = 0; i < 64; i++)
            s += (double)emu_half_value(q[row * 64 + i]) * emu_half_value(k[j * 64 + i]);
        double weight = exp(s / 8);
        total += weight;
        for (unsigned i = 0; i < 64; i++)
            out[i] += weight * emu_half_value(v[j * 64 + i]);
    }
    for (unsigned i = 0; i < 64; i++)
        out[i] /= total;
}

static void causal_attention_is_that_of_the_host(void **state)
{
    (void)state;
    enum { LENGTH = 256, D = 64 };
    struct strata_module *m = load_kernels("hopper_attention.ptx");
    uint16_t *d[4];
    struct {
        _Alignas(128) uint8_t map[3][128];
        uint64_t out;
        int32_t length;
        float scale;
    } p = {.length = LENGTH, .scale = 1.4426950408889634f / 8};
    for (unsigned i = 0; i < 4; i++) {
        d[i] = device_memory(LENGTH * D * 2);
        for (unsigned j = 0; j < LENGTH * D; j++)
            d[i][j] = emu_half_from(pattern(j, 3 + i) * 0.25, EMU_ROUND_NEAREST);
        struct emu_tensor_map map = map_of(d[i], 6, LENGTH, D, 128, 64, EMU_SWIZZLE_128);
        if (i < 3)
            memcpy(p.map[i], &map, sizeof map);
    }
    p.out = (uint64_t)(uintptr_t)d[3];
    struct run_setup s = {.blocks = LENGTH / 128,
                          .threads = 384,
                          .shared_bytes = 128 * D * 2 + 4 * 128 * D * 2 + 1024};
    run_ok(m, "_Z9attentionILi64ELb1EEv14CUtensorMap_stS0_S0_P6__halfif", &s,
           parameters(&p, sizeof p));
    for (unsigned row = 0; row < LENGTH; row += 37) {
        double expected[D];
        attention_row(d[0], d[1], d[2], row, expected);
        for (unsigned i = 0; i < D; i++)
            assert_true(fabs(emu_half_value(d[3][row * D + i]) - expected[i]) < 5e-4);
    }
    strata_module_destroy(m);
}

/* ---- clusters ---- */

static void a_cluster_adds_into_the_memory_of_its_first_block(void **state)
{
    (void)state;
    enum { PER_BLOCK = 512, BLOCKS = 16 };
    struct strata_module *m = load_kernels("hopper_copy.ptx");
    int32_t *from = device_memory(PER_BLOCK * BLOCKS * 4), *to = device_memory(BLOCKS * 4);
    for (int i = 0; i < PER_BLOCK * BLOCKS; i++)
        from[i] = i * 31 % 1001;
    for (unsigned cluster = 1; cluster <= 8; cluster *= 2) {
        struct {
            uint64_t from, to;
            int32_t per_block;
        } p = {(uint64_t)(uintptr_t)from, (uint64_t)(uintptr_t)to, PER_BLOCK};
        struct strata_kernel_launch launch = {
            .entry = strata_module_entry_find(m, "_Z11cluster_sumPKiPii"),
            .grid = {BLOCKS, 1, 1},
            .block = {256, 1, 1},
            .params = &p,
            .cluster = {cluster, 1, 1}};
        struct strata_error err;
        assert_non_null(launch.entry);
        if (strata_module_run(m, &launch, NULL, NULL, &err) != STRATA_OK)
            fail_msg("%s", err.message);
        for (unsigned i = 0; i < BLOCKS / cluster; i++) {
            int32_t sum = 0;
            for (unsigned j = 0; j < PER_BLOCK * cluster; j++)
                sum += from[i * PER_BLOCK * cluster + j];
            assert_int_equal(to[i], sum);
        }
    }
    strata_module_destroy(m);
}

static void impossible_clusters_are_refused(void **state)
{
    (void)state;
    struct strata_module *m = load_kernels("hopper_copy.ptx");
    uint8_t params[64] = {0};
    static const struct {
        struct strata_dim3 grid, cluster;
        const char *word;
    } cases[] = {{{32, 1, 1}, {32, 1, 1}, "GPC"}, {{6, 1, 1}, {4, 1, 1}, "multiple"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strata_kernel_launch launch = {
            .entry = strata_module_entry_find(m, "_Z11cluster_sumPKiPii"),
            .grid = cases[i].grid,
            .block = {32, 1, 1},
            .params = params,
            .cluster = cases[i].cluster};
        struct strata_error err;
        assert_int_equal(strata_module_run(m, &launch, NULL, NULL, &err), STRATA_EUSAGE);
        assert_non_null(strstr(err.message, cases[i].word));
    }
    strata_module_destroy(m);
}

/* ---- failures ---- */

static void expect_failure(const char *text, uint32_t threads, const char *const words[3])
{
    struct strata_module *m = load_text(text);
    uint64_t out = (uint64_t)(uintptr_t)device_memory(4096);
    struct run_setup s = {.threads = threads};
    assert_int_not_equal(run_entry(m, "k", &s, &out), STRATA_OK);
    for (unsigned i = 0; i < 3 && words[i]; i++)
        if (!strstr(s.err.message, words[i]))
            fail_msg("\"%s\" lacks \"%s\"", s.err.message, words[i]);
    strata_module_destroy(m);
}

static void a_wait_that_can_never_end_is_told(void **state)
{
    (void)state;
    expect_failure(BODY("mbarrier.init.shared.b64 [bar],2;\nW: mbarrier.try_wait.parity.shared.b64 "
                        "%p1,[bar],0;\n@!%p1 bra W;"),
                   1,
                   (const char *const[3]){"deadlock", "mbarrier at shared address 0x0",
                                          "2 arrivals and 0 bytes"});
    expect_failure(BODY("mbarrier.init.shared.b64 [bar],1;\n"
                        "mbarrier.arrive.expect_tx.shared.b64 _,[bar],512;\n"
                        "W: mbarrier.try_wait.parity.shared.b64 %p1,[bar],0;\n@!%p1 bra W;"),
                   1, (const char *const[3]){"deadlock", "0 arrivals and 512 bytes"});
}

/* A box brings half of the bytes that its barrier expects. */
static void a_copy_that_is_too_small_for_its_barrier_is_told(void **state)
{
    (void)state;
    uint16_t *c;
    struct strata_error err;
    static const char entry[] =
        "_Z4gemmILi64ELi64ELi4ELi1EL4kind0EEv14CUtensorMap_stS1_P6__halfiiii";
    assert_int_equal(run_product(entry, 64, 64, 1, 2, 32, &c, &err), STRATA_EFORMAT);
    static const char *const words[] = {entry, "block (0,0,0)", "deadlock",
                                        "0 arrivals and 4096 bytes are missing"};
    for (unsigned i = 0; i < 4; i++)
        if (!strstr(err.message, words[i]))
            fail_msg("\"%s\" lacks \"%s\"", err.message, words[i]);
    assert_int_equal(err.line, as_machine_code ? 0x4a0 : 265); /* the try_wait */
}

static void wrong_barriers_and_copies_are_told(void **state)
{
    (void)state;
    expect_failure(BODY("mbarrier.arrive.shared.b64 _,[bar];"), 1,
                   (const char *const[3]){"never initialised"});
    expect_failure(BODY("mbarrier.init.shared.b64 [bar],0;"), 1,
                   (const char *const[3]){"number of arrivals"});
    expect_failure(BODY("mbarrier.init.shared.b64 [bar+4],1;"), 1,
                   (const char *const[3]){"misaligned"});
    expect_failure(BODY("ld.param.u64 %rd1,[out]; mbarrier.init.shared.b64 [bar],1;\n"
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                        "[data],[%rd1],24,[bar];"),
                   1, (const char *const[3]){"multiples of 16"});
    expect_failure(
        BODY("ld.param.u64 %rd1,[out]; mbarrier.init.shared.b64 [bar],1;\n"
             "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
             "[data],[%rd1,{0}],[bar];"),
        1, (const char *const[3]){"no tensor map"});
}

#define INTO_SHARED "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"

/* Elements 0 and 3 of sixteen bytes in shared memory after another sixteen were worked into them.
 */
static void expect_worked_in(const char *how, uint32_t first, uint32_t last)
{
    static const char body[] =
        BODY("ld.param.u64 %rd1,[out]; mbarrier.init.shared.b64 [bar],1;\n"
             "st.shared.v4.u32 [data],{5,6,7,0xfffffff0};\n"
             "st.shared.v4.u32 [data+64],{9,1,2,0x21};\n"
             "mbarrier.arrive.expect_tx.shared.b64 _,[bar],16;\n" INTO_SHARED
             "HOW [data],[data+64],16,[bar];\n"
             "W: mbarrier.try_wait.parity.shared.b64 %p1,[bar],0;\n@!%p1 bra W;\n"
             "ld.shared.u32 %r1,[data]; st.global.u32 [%rd1],%r1;\n"
             "ld.shared.u32 %r1,[data+12]; st.global.u32 [%rd1+4],%r1;");
    char text[sizeof body + 16];
    const char *at = strstr(body, "HOW");
    uint32_t *out = device_memory(64);
    uint64_t address = (uint64_t)(uintptr_t)out;
    struct run_setup s = {.threads = 1};
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - body), body, how, at + 3);
    struct strata_module *m = load_text(text);
    run_ok(m, "k", &s, &address);
    if (out[0] != first || out[1] != last)
        fail_msg("%s: %#x and %#x instead of %#x and %#x", how, out[0], out[1], first, last);
    strata_module_destroy(m);
}

static void a_copy_into_shared_memory_may_be_a_reduction(void **state)
{
    (void)state;
    expect_worked_in(".add.u32", 14, 0x11);
    expect_worked_in(".add.s32", 14, 0x11);
    expect_worked_in(".add.u64", 14, 0x11);
    expect_worked_in(".inc.u32", 6, 0);
    expect_worked_in(".dec.u32", 4, 0x21);
    expect_worked_in(".min.s32", 5, 0xfffffff0);
    expect_worked_in(".min.u32", 5, 0x21);
    expect_worked_in(".max.s32", 9, 0x21);
    expect_worked_in(".max.u32", 9, 0xfffffff0);
    expect_worked_in(".and.b32", 1, 0x20);
    expect_worked_in(".or.b32", 13, 0xfffffff1);
    expect_worked_in(".xor.b32", 12, 0xffffffd1);
}

static void a_fence_may_concern_shared_memory_alone(void **state)
{
    (void)state;
    strata_module_destroy(load_text(
        BODY("fence.acquire.sync_restrict::shared::cluster.cluster;\n"
             "fence.release.sync_restrict::shared::cta.cluster;\n"
             "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
             "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;")));
}

/* A map made in shared memory, as Triton's kernels do. Outside of the tensor there are zeros. */
static void a_map_made_by_the_kernel_is_followed(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        BODY("ld.param.u64 %rd1,[out]; mbarrier.init.shared.b64 [bar],1;\n"
             "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [data],%rd1;\n"
             "tensormap.replace.tile.rank.shared::cta.b1024.b32 [data],0;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [data],0,8;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [data],0,6;\n"
             "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [data],0,1;\n"
             "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [data],2;\n"
             "mov.u32 %r1,data; cvt.u64.u32 %rd2,%r1; cvta.shared.u64 %rd2,%rd2;\n"
             "st.shared.u32 [data+256],7; st.shared.u32 [data+284],7;\n"
             "mbarrier.arrive.expect_tx.shared.b64 _,[bar],32;\n"
             "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[data+256],[%rd2,{2}],[bar];\n"
             "W: mbarrier.try_wait.parity.shared.b64 %p1,[bar],0;\n@!%p1 bra W;\n"
             "ld.shared.u32 %r2,[data+256]; st.global.u32 [%rd1+64],%r2;\n"
             "ld.shared.u32 %r3,[data+284]; st.global.u32 [%rd1+68],%r3;"));
    uint32_t *out = device_memory(4096);
    uint64_t address = (uint64_t)(uintptr_t)out;
    struct run_setup s = {.threads = 1};
    for (uint32_t i = 0; i < 8; i++)
        out[i] = 100 + i;
    out[17] = 1;
    run_ok(m, "k", &s, &address);
    assert_int_equal(out[16], 102);
    assert_int_equal(out[17], 0);
    strata_module_destroy(m);
}

static void constant_expressions_have_their_value(void **state)
{
    (void)state;
    struct strata_module *m =
        load_text(BODY("ld.param.u64 %rd1,[out]; mov.u32 %r1,((128 >> 4) << 16) | 3*2+1;\n"
                       "st.global.u32 [%rd1+4*2],%r1;"));
    uint32_t *out = device_memory(64);
    uint64_t address = (uint64_t)(uintptr_t)out;
    struct run_setup s = {.threads = 1};
    run_ok(m, "k", &s, &address);
    assert_int_equal(out[2], (8 << 16) | 7);
    strata_module_destroy(m);
}

static void a_barrier_counts_threads_and_bytes(void **state)
{
    (void)state;
    struct emu_mbarrier b, again;
    bool ended = false;
    assert_null(emu_mbarrier_init(2, &b));
    assert_null(emu_mbarrier_expect(&b, 100));
    assert_null(emu_mbarrier_arrive(&b, 2, false, &ended));
    assert_false(ended);
    assert_true(emu_mbarrier_unpack(emu_mbarrier_pack(&b), &again));
    assert_true(b.pending == again.pending && b.expected == again.expected &&
                b.bytes == again.bytes && b.phase == again.phase);
    assert_null(emu_mbarrier_complete(&b, 100, &ended));
    assert_true(ended && b.phase && b.pending == 2);
    assert_non_null(emu_mbarrier_arrive(&b, 3, false, &ended));
    ended = false;
    assert_null(
        emu_mbarrier_complete(&b, 64, &ended)); /* bytes may come before they are expected */
    assert_null(emu_mbarrier_expect(&b, 64));
    assert_null(emu_mbarrier_arrive(&b, 1, true, &ended));
    assert_null(emu_mbarrier_arrive(&b, 1, false, &ended));
    assert_true(ended && !b.phase && b.pending == 1);
}

/* ---- im2col ---- */

enum { CHANNELS = 32, PIXELS = 40, WIDTH = 9, HEIGHT = 7, DEPTH = 5, IMAGES = 3 };
struct im2col_params {
    _Alignas(128) uint8_t map[128];
    uint8_t *out;
    int32_t at[3], image, offset[3];
};

/* An image of one to three dimensions, with a border of one pixel before it. */
static struct emu_tensor_map pixels_of(uint8_t *base, unsigned dimensions)
{
    static const uint32_t extent[] = {WIDTH, HEIGHT, DEPTH};
    struct emu_tensor_map m = {.magic = EMU_TENSOR_MAP_MAGIC,
                               .rank = (uint8_t)(dimensions + 2),
                               .type = 0,
                               .element_bytes = 1,
                               .is_im2col = true,
                               .channels = CHANNELS,
                               .pixels = PIXELS,
                               .element_stride = {1, 1, 1, 1, 1},
                               .lower = {-1, -1, -1},
                               .upper = {-1, -1, -1},
                               .base = (uint64_t)(uintptr_t)base,
                               .stride = {1, CHANNELS},
                               .size_minus_1 = {CHANNELS - 1}};
    for (unsigned i = 0; i < dimensions; i++) {
        m.size_minus_1[1 + i] = extent[i] - 1;
        m.stride[2 + i] = m.stride[1 + i] * extent[i];
    }
    m.size_minus_1[1 + dimensions] = IMAGES - 1;
    return m;
}

/* The next corner within the box of corners; images follow one another. */
static void next_pixel(unsigned dimensions, int32_t at[3], int32_t *image)
{
    static const int32_t extent[] = {WIDTH, HEIGHT, DEPTH};
    for (unsigned i = 0; i < dimensions; i++) {
        if (++at[i] <= extent[i] - 2)
            return;
        at[i] = -1;
    }
    ++*image;
}

static void expect_pixels(const uint8_t *from, const struct im2col_params *p, unsigned dimensions)
{
    int32_t at[3] = {p->at[0], p->at[1], p->at[2]}, image = p->image;
    for (unsigned k = 0; k < PIXELS; k++) {
        int32_t x = at[0] + p->offset[0], y = dimensions > 1 ? at[1] + p->offset[1] : 0,
                z = dimensions > 2 ? at[2] + p->offset[2] : 0;
        int32_t high = dimensions > 1 ? HEIGHT : 1, deep = dimensions > 2 ? DEPTH : 1;
        bool inside =
            x >= 0 && x < WIDTH && y >= 0 && y < high && z >= 0 && z < deep && image < IMAGES;
        size_t first =
            inside ? (size_t)((((image * deep + z) * high + y) * WIDTH + x) * CHANNELS) : 0;
        for (unsigned c = 0; c < CHANNELS; c++)
            assert_int_equal(p->out[k * CHANNELS + c], inside ? from[first + c] : 0);
        next_pixel(dimensions, at, &image);
    }
}

static void boxes_of_pixels_are_gathered(void **state)
{
    (void)state;
    struct strata_module *m = load_kernels("hopper_im2col.ptx");
    size_t bytes = (size_t)CHANNELS * WIDTH * HEIGHT * DEPTH * IMAGES;
    uint8_t *from = device_memory(bytes);
    for (size_t i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i * 37 + i / 251) | 1;
    for (unsigned dimensions = 1; dimensions <= 3; dimensions++)
        for (int turn = 0; turn < 6; turn++) {
            struct im2col_params p = {.out = device_memory(CHANNELS * PIXELS),
                                      .at = {turn - 1, turn % 3 - 1, turn % 2 - 1},
                                      .image = 1,
                                      .offset = {turn % 3, (turn + 1) % 3, (turn + 2) % 3}};
            struct emu_tensor_map map = pixels_of(from, dimensions);
            char name[16];
            snprintf(name, sizeof name, "im2col%u", dimensions + 2);
            memcpy(p.map, &map, sizeof map);
            struct run_setup setup = {.threads = 32};
            run_ok(m, name, &setup, parameters(&p, sizeof p));
            expect_pixels(from, &p, dimensions);
        }
    strata_module_destroy(m);
}

/* ---- machine code of the same kernels does the same ---- */

static void machine_code_of_copies_does_the_same(void **state)
{
    as_machine_code = true;
    tiles_of_every_swizzle_come_back_as_they_were(state);
    a_reduction_adds_to_what_is_there(state);
    a_swizzled_tile_is_transposed(state);
    a_cluster_adds_into_the_memory_of_its_first_block(state);
    impossible_clusters_are_refused(state);
    boxes_of_pixels_are_gathered(state);
    as_machine_code = false;
}

static void machine_code_of_products_does_the_same(void **state)
{
    as_machine_code = true;
    a_product_by_tensor_copies_and_warpgroups_is_exact(state);
    blocks_of_a_cluster_share_what_is_loaded_once(state);
    floats_of_eight_bits_are_multiplied(state);
    a_copy_that_is_too_small_for_its_barrier_is_told(state);
    causal_attention_is_that_of_the_host(state);
    as_machine_code = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_counts_threads_and_bytes),
        cmocka_unit_test(tiles_of_every_swizzle_come_back_as_they_were),
        cmocka_unit_test(a_reduction_adds_to_what_is_there),
        cmocka_unit_test(a_copy_into_shared_memory_may_be_a_reduction),
        cmocka_unit_test(a_swizzled_tile_is_transposed),
        cmocka_unit_test(a_product_by_tensor_copies_and_warpgroups_is_exact),
        cmocka_unit_test(blocks_of_a_cluster_share_what_is_loaded_once),
        cmocka_unit_test(floats_of_eight_bits_are_multiplied),
        cmocka_unit_test(causal_attention_is_that_of_the_host),
        cmocka_unit_test(a_cluster_adds_into_the_memory_of_its_first_block),
        cmocka_unit_test(impossible_clusters_are_refused),
        cmocka_unit_test(a_wait_that_can_never_end_is_told),
        cmocka_unit_test(a_copy_that_is_too_small_for_its_barrier_is_told),
        cmocka_unit_test(wrong_barriers_and_copies_are_told),
        cmocka_unit_test(boxes_of_pixels_are_gathered),
        cmocka_unit_test(a_fence_may_concern_shared_memory_alone),
        cmocka_unit_test(a_map_made_by_the_kernel_is_followed),
        cmocka_unit_test(constant_expressions_have_their_value),
        cmocka_unit_test(machine_code_of_copies_does_the_same),
        cmocka_unit_test(machine_code_of_products_does_the_same),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
