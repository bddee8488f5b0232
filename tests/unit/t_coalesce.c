/* t_coalesce.c - requests and bank passes, against brute force and against known cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/coalesce.h>

#include "base/bits.h"

/* xorshift64*: enough for test inputs */
static uint64_t seed = 88172645463325252ull;
static uint64_t draw(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717ull;
}

static struct strata_gpu gpu_with(uint32_t rule, uint32_t sm_version, uint32_t bank_mode)
{
    struct strata_gpu gpu;
    memset(&gpu, 0, sizeof gpu);
    gpu.sm_version = sm_version;
    gpu.coalesce.rule = rule;
    gpu.l1.cache.line_bytes = 128;
    gpu.l1.cache.sector_bytes = rule == STRATA_COALESCE_FERMI ? 128 : 32;
    gpu.shared.banks = 32;
    gpu.shared.bank_mode = bank_mode;
    return gpu;
}

struct access {
    struct strata_inst inst;
    struct strata_winst w;
    uint64_t addr[STRATA_WARP_SIZE];
};

static void set_inst(struct access *a, unsigned space, unsigned memop, unsigned width,
                     const char *opcode)
{
    memset(&a->inst, 0, sizeof a->inst);
    a->inst.opcode = opcode;
    a->inst.opclass = STRATA_OP_MEM;
    a->inst.space = (uint8_t)space;
    a->inst.memop = (uint8_t)memop;
    a->inst.width_bytes = (uint8_t)width;
    memset(&a->w, 0, sizeof a->w);
    a->w.inst = &a->inst;
}

static void set_stride(struct access *a, uint32_t mask, uint64_t base, int32_t stride)
{
    a->w.mask = mask;
    a->w.addr_kind = STRATA_ADDR_STRIDE;
    a->w.base = base;
    a->w.stride = stride;
    strata_winst_addresses(&a->w, a->addr);
}

static void set_list(struct access *a, uint32_t mask)
{
    a->w.mask = mask;
    a->w.addr_kind = STRATA_ADDR_LIST;
    a->w.addr = a->addr;
}

/* ---- brute force: byte by byte, no cleverness ---- */

struct slow {
    struct strata_request r[STRATA_MAX_REQUESTS];
    unsigned n;
};

static void slow_byte(struct slow *s, unsigned group_start, uint64_t address, unsigned lane,
                      unsigned sector_bytes)
{
    unsigned i = group_start;
    while (i < s->n && s->r[i].line != address / 128 * 128)
        i++;
    if (i == s->n)
        s->r[s->n++] = (struct strata_request){address / 128 * 128, 0, 0};
    s->r[i].sectors |= 1u << (address % 128 / sector_bytes);
    s->r[i].lanes |= 1u << lane;
}

static void slow_coalesce(struct slow *s, const struct access *a, unsigned group_lanes,
                          unsigned sector_bytes)
{
    s->n = 0;
    for (unsigned at = 0; at < 32; at += group_lanes) {
        unsigned start = s->n;
        for (unsigned lane = at; lane < at + group_lanes; lane++)
            for (unsigned b = 0; a->w.mask >> lane & 1 && b < a->inst.width_bytes; b++)
                slow_byte(s, start, a->addr[lane] + b, lane, sector_bytes);
    }
}

static void assert_same_requests(const struct strata_request *fast, unsigned n,
                                 const struct slow *slow)
{
    assert_int_equal(n, slow->n);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(fast[i].line, slow->r[i].line);
        assert_int_equal(fast[i].sectors, slow->r[i].sectors);
        assert_int_equal(fast[i].lanes, slow->r[i].lanes);
    }
}

static uint32_t random_mask(void)
{
    switch (draw() % 4) {
    case 0:
        return 0xffffffffu;
    case 1:
        return (uint32_t)draw();
    case 2: { /* a run */
        unsigned first = (unsigned)(draw() % 32), last = first + (unsigned)(draw() % (32 - first));
        return (uint32_t)(((uint64_t)2 << last) - ((uint64_t)1 << first));
    }
    default:
        return 1u << draw() % 32;
    }
}

/* Rows of lanes side by side, as blocks narrower than a warp have them; now and then one lane of
 * them elsewhere. */
static void set_rows(struct access *a, uint64_t base, unsigned width, uint64_t distance)
{
    unsigned lanes = 4u << draw() % 4; /* of a row: 4 to 32 */
    for (unsigned l = 0; l < 32; l++)
        a->addr[l] = base + l / lanes * distance + (uint64_t)(l % lanes) * width;
    if (draw() % 8 == 0)
        a->addr[draw() % 32] += width;
}

static void random_access(struct access *a, unsigned width)
{
    static const uint64_t spread[] = {64, 512, 4096, 1u << 20, (uint64_t)1 << 40};
    uint64_t span = spread[draw() % 5], base = draw() % ((uint64_t)1 << 47);
    uint32_t mask = random_mask();
    set_inst(a, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, width, "LDG.E");
    unsigned shape = (unsigned)(draw() % 4);
    if (shape == 0) {
        set_rows(a, draw() % 2 ? base : base / 128 * 128, width, draw() % span / 4 * 4);
        set_list(a, draw() % 4 ? ~0u : mask);
    } else if (shape < 3) {
        int32_t stride = (int32_t)(draw() % 5) == 0
                             ? (int32_t)width
                             : (int32_t)(draw() % (2 * span)) - (int32_t)(span & 0x7fffffff);
        set_stride(a, mask, base, stride);
    } else {
        for (unsigned l = 0; l < 32; l++)
            a->addr[l] = base + draw() % span; /* often not aligned: such accesses straddle */
        set_list(a, mask);
    }
}

static void check_rule(uint32_t rule, unsigned sector_bytes, unsigned (*group)(unsigned width))
{
    struct strata_gpu gpu = gpu_with(rule, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    static const unsigned widths[] = {1, 2, 4, 8, 16, 32};
    struct strata_request out[STRATA_MAX_REQUESTS];
    static struct slow slow;
    strata_coalescer_init(&c, &gpu, NULL);
    for (int i = 0; i < 60000; i++) {
        struct access a;
        unsigned width = widths[draw() % 6];
        random_access(&a, width);
        unsigned n = strata_coalesce(&c, &a.w, 0, out);
        slow_coalesce(&slow, &a, group(width), sector_bytes);
        assert_same_requests(out, n, &slow);
    }
}

static unsigned whole_warp(unsigned width)
{
    (void)width;
    return 32;
}
static unsigned by_eight(unsigned width)
{
    (void)width;
    return 8;
}
static unsigned by_width(unsigned width)
{
    return width <= 4 ? 32 : width == 8 ? 16 : 8;
}

static void the_sector_rule_equals_brute_force(void **state)
{
    (void)state;
    check_rule(STRATA_COALESCE_SECTOR, 32, whole_warp);
}
static void the_octet_rule_equals_brute_force(void **state)
{
    (void)state;
    check_rule(STRATA_COALESCE_OCTET, 32, by_eight);
}
static void the_fermi_rule_equals_brute_force(void **state)
{
    (void)state;
    check_rule(STRATA_COALESCE_FERMI, 128, by_width);
}

static void known_patterns_have_their_known_sectors(void **state)
{
    static const struct {
        unsigned width;
        int32_t stride;
        uint64_t base;
        unsigned requests, sectors;
    } cases[] = {
        {4, 4, 0x1000, 1, 4},    {4, 4, 0x1010, 2, 5},       {8, 8, 0x1000, 2, 8},
        {16, 16, 0x1000, 4, 16}, {4, 0, 0x1000, 1, 1},       {4, 128, 0x1000, 32, 32},
        {4, -4, 0x107c, 1, 4},   {1, 1, 0x1000, 1, 1},       {4, 8, 0x1000, 2, 8},
        {4, 2, 0x107f, 2, 4},    {16, 4096, 0x107c, 64, 64},
    };
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct strata_request out[STRATA_MAX_REQUESTS];
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct access a;
        set_inst(&a, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, cases[i].width, "LDG.E");
        set_stride(&a, 0xffffffffu, cases[i].base, cases[i].stride);
        unsigned n = strata_coalesce(&c, &a.w, 0, out);
        assert_int_equal(n, cases[i].requests);
        assert_int_equal(strata_count_sectors(out, n), cases[i].sectors);
    }
}

static void no_active_lane_makes_no_request(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct strata_request out[STRATA_MAX_REQUESTS];
    struct access a;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    set_inst(&a, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 4, "LDG.E");
    assert_int_equal(strata_coalesce(&c, &a.w, 0, out), 0);
    a.w.mask = 1;
    assert_int_equal(strata_coalesce(&c, &a.w, 0, out), 0); /* a lane, but no address */
}

static void an_access_at_the_end_of_the_address_space_stays_there(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct strata_request out[STRATA_MAX_REQUESTS];
    struct access a;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    set_inst(&a, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 16, "LDG.E.128");
    set_stride(&a, 0xffffffffu, UINT64_MAX - 3, 16);
    assert_true(strata_coalesce(&c, &a.w, 0, out) <= 64);
}

/* ---- local memory ---- */

static void equal_offsets_of_local_memory_share_a_line(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_launch launch = {.local_base = 0x7f0000000000ull};
    struct strata_coalescer c;
    struct strata_request out[STRATA_MAX_REQUESTS];
    struct access a;
    (void)state;
    gpu.sm.local_warp_bytes = 6 * 128;
    strata_coalescer_init(&c, &gpu, &launch);
    set_inst(&a, STRATA_SPACE_LOCAL, STRATA_MEM_LOAD, 4, "LDL");
    set_stride(&a, 0xffffffffu, 16, 0);
    assert_int_equal(strata_coalesce(&c, &a.w, 0x10000, out), 1);
    assert_int_equal(out[0].line, 0x10000 + 4 * 128);
    assert_int_equal(out[0].sectors, 0xf);
    /* the same through the generic window, and twice as wide */
    set_inst(&a, STRATA_SPACE_LOCAL, STRATA_MEM_LOAD, 8, "LD.E.64");
    set_stride(&a, 0x0000ffffu, launch.local_base + 16, 0);
    assert_int_equal(strata_coalesce(&c, &a.w, 0x10000, out), 2);
    assert_int_equal(out[0].line, 0x10000 + 4 * 128);
    assert_int_equal(out[1].line, 0x10000 + 5 * 128);
    assert_int_equal(strata_count_sectors(out, 2), 4);
    /* what a warp has beyond its share is not the next warp's */
    set_stride(&a, 0x0000ffffu, launch.local_base + 20, 0);
    assert_int_equal(strata_coalesce(&c, &a.w, 0x10000, out), 2);
    assert_int_equal(out[0].line, 0x10000 + 5 * 128);
    assert_int_equal(out[1].line, 0x10000 * 513 + 6 * 128);
    assert_int_equal(strata_local_bytes(10), 12 * 32);
}

static void scattered_local_words_fit_in_the_output(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct strata_request out[STRATA_MAX_REQUESTS];
    struct access a;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    set_inst(&a, STRATA_SPACE_LOCAL, STRATA_MEM_STORE, 32, "STL.256");
    set_stride(&a, 0xffffffffu, 0, 64);
    assert_int_equal(strata_coalesce(&c, &a.w, 0, out), STRATA_MAX_REQUESTS);
}

/* ---- shared memory ---- */

static struct strata_shared_cost shared_of(uint32_t sm_version, uint32_t mode, unsigned width,
                                           int32_t stride, uint32_t mask, const char *opcode,
                                           unsigned memop)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, sm_version, mode);
    struct strata_coalescer c;
    struct access a;
    strata_coalescer_init(&c, &gpu, NULL);
    set_inst(&a, STRATA_SPACE_SHARED, memop, width, opcode);
    set_stride(&a, mask, 0x400, stride);
    return strata_shared_access(&c, &a.w);
}

static void assert_cost(struct strata_shared_cost cost, unsigned wavefronts, unsigned conflicts)
{
    assert_int_equal(cost.wavefronts, wavefronts);
    assert_int_equal(cost.conflicts, conflicts);
    assert_int_equal(cost.phases, wavefronts - conflicts);
}

/* Paper 002, section 6.2: the ways of a conflict are the greatest common divisor of stride and 32.
 */
static void a_stride_conflicts_as_often_as_its_common_divisor_with_32(void **state)
{
    (void)state;
    for (int32_t words = 1; words <= 64; words++) {
        unsigned ways = 32;
        while (words % (int32_t)ways)
            ways /= 2;
        assert_cost(shared_of(90, STRATA_BANKS_4B, 4, 4 * words, ~0u, "LDS", STRATA_MEM_LOAD), ways,
                    ways - 1);
    }
    assert_cost(shared_of(90, STRATA_BANKS_4B, 4, 0, ~0u, "LDS", STRATA_MEM_LOAD), 1, 0);
}

/* Paper 002, section 6.2, Figures 18 and 19: a stride of 6 words conflicts two ways in Kepler's
 * 4-byte mode and not at all in its 8-byte mode; a stride of 2 in neither. */
static void keplers_two_bank_modes_differ(void **state)
{
    (void)state;
    assert_cost(shared_of(35, STRATA_BANKS_4B, 4, 24, ~0u, "LDS", STRATA_MEM_LOAD), 2, 1);
    assert_cost(shared_of(35, STRATA_BANKS_8B, 4, 24, ~0u, "LDS", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(35, STRATA_BANKS_4B, 4, 8, ~0u, "LDS", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(35, STRATA_BANKS_8B, 4, 8, ~0u, "LDS", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(20, STRATA_BANKS_4B, 4, 8, ~0u, "LDS", STRATA_MEM_LOAD), 2, 1);
    assert_cost(shared_of(35, STRATA_BANKS_4B, 4, 128, ~0u, "LDS", STRATA_MEM_LOAD), 16, 15);
    assert_cost(shared_of(35, STRATA_BANKS_8B, 4, 256, ~0u, "LDS", STRATA_MEM_LOAD), 32, 31);
    assert_cost(shared_of(35, STRATA_BANKS_8B, 8, 8, ~0u, "LDS.64", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(35, STRATA_BANKS_4B, 8, 8, ~0u, "LDS.64", STRATA_MEM_LOAD), 1, 0);
}

static void wide_accesses_go_by_half_and_quarter_warp(void **state)
{
    (void)state;
    assert_cost(shared_of(90, STRATA_BANKS_4B, 8, 8, ~0u, "LDS.64", STRATA_MEM_LOAD), 2, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 16, ~0u, "STS.128", STRATA_MEM_STORE), 4, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 16, 0xffff, "STS.128", STRATA_MEM_STORE), 2, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 128, ~0u, "STS.128", STRATA_MEM_STORE), 32, 28);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 8, 0, ~0u, "LDS.64", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 0, ~0u, "LDS.128", STRATA_MEM_LOAD), 2, 0);
    assert_cost(shared_of(60, STRATA_BANKS_4B, 16, 0, ~0u, "LDS.128", STRATA_MEM_LOAD), 4, 0);
}

/* Passes of lanes 0 to 7, one word of each bank in each: word by word. */
static unsigned passes_word_by_word(const uint64_t *addr, unsigned width)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint64_t seen[8 * 5];
        unsigned n = 0;
        for (unsigned l = 0; l < 8; l++)
            for (uint64_t w = addr[l] / 4; w <= (addr[l] + width - 1) / 4; w++) {
                unsigned k = 0;
                while (k < n && seen[k] != w)
                    k++;
                if (k == n && w % 32 == bank)
                    seen[n++] = w;
            }
        most = n > most ? n : most;
    }
    return most;
}

static void wide_lanes_conflict_as_their_words_do(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 60, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct access a;
    uint64_t x = 1;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    for (unsigned i = 0; i < 3000; i++) {
        unsigned width = i % 2 ? 16 : 8, unit = i % 3 ? width : 4;
        set_inst(&a, STRATA_SPACE_SHARED, STRATA_MEM_LOAD, width, "LDS");
        for (unsigned l = 0; l < 8; l++)
            a.addr[l] = ((x = mix64(x + l)) % 96) * unit;
        set_list(&a, 0xff);
        assert_int_equal(strata_shared_access(&c, &a.w).wavefronts,
                         passes_word_by_word(a.addr, width));
    }
}

/* The two patterns of a matrix multiply: rows of A by four lanes each, rows of B by all. */
static void lane_pairs_with_one_address_share_a_pass(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    struct access a;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    set_inst(&a, STRATA_SPACE_SHARED, STRATA_MEM_LOAD, 16, "LDS.128");
    for (unsigned l = 0; l < 32; l++)
        a.addr[l] = l / 4 * 16;
    set_list(&a, ~0u);
    assert_cost(strata_shared_access(&c, &a.w), 2, 0);
    for (unsigned l = 0; l < 32; l++)
        a.addr[l] = l % 4 * 16;
    assert_cost(strata_shared_access(&c, &a.w), 4, 0);
    for (unsigned l = 0; l < 32; l++)
        a.addr[l] = (l & 1) * 16 + l / 4 * 32; /* lane l and lane l^2 agree */
    assert_cost(strata_shared_access(&c, &a.w), 2, 0);
}

/* The halves of a store never share (wide_lanes_probe.cu; bitonic_block's STS.64 by random lanes
 * have 103,504 conflicts on an H200, which this gives). */
static void halves_of_a_store_share_no_pass(void **state)
{
    (void)state;
    uint32_t one_bank = 1u << 5 | 1u << 21;
    assert_cost(shared_of(90, STRATA_BANKS_4B, 8, 8, one_bank, "STS.64", STRATA_MEM_STORE), 2, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 8, 0, one_bank, "STS.64", STRATA_MEM_STORE), 2, 0);
}

/* A lane that is off agrees with its partner, so that halves which share a pass may collide in it
 * (wide_lanes_probe.cu: lanes 0, 1, 16, 17 a conflict, lanes 0 and 31 one pass, lanes 0 to 3 and 16
 * to 19 two passes). */
static void lanes_that_are_off_let_the_halves_of_a_load_share_a_pass(void **state)
{
    static const struct {
        uint32_t mask, passes, conflicts;
    } seen[] = {{0x00030003, 2, 1}, {0x80000001, 1, 0}, {0x000f000f, 2, 0}, {0x55555555, 2, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++)
        assert_cost(shared_of(90, STRATA_BANKS_4B, 8, 8, seen[k].mask, "LDS.64", STRATA_MEM_LOAD),
                    seen[k].passes, seen[k].conflicts);
}

static void a_matrix_load_takes_a_pass_for_each_matrix(void **state)
{
    (void)state;
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 16, ~0u, "LDSM.16.M88.4", STRATA_MEM_LOAD), 4,
                0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 16, ~0u, "LDSM.16.M88.2", STRATA_MEM_LOAD), 2,
                0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 16, ~0u, "LDSM.16.M88", STRATA_MEM_LOAD), 1, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 16, 128, ~0u, "LDSM.16.M88", STRATA_MEM_LOAD), 8, 7);
}

/* An H200 counts 281,681 conflicts for 131,072 atomics on 256 random words: distinct words, as for
 * loads. */
static void atomics_on_one_word_share_its_pass(void **state)
{
    (void)state;
    assert_cost(shared_of(90, STRATA_BANKS_4B, 4, 0, 0xff, "ATOMS.ADD", STRATA_MEM_ATOMIC), 1, 0);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 4, 128, 0xff, "ATOMS.ADD", STRATA_MEM_ATOMIC), 8, 7);
    assert_cost(shared_of(90, STRATA_BANKS_4B, 4, 4, ~0u, "ATOMS.ADD", STRATA_MEM_ATOMIC), 1, 0);
}

/* Oracle: passes of 4-byte accesses, counted by trying every word. */
static void passes_of_random_words_equal_brute_force(void **state)
{
    struct strata_gpu gpu = gpu_with(STRATA_COALESCE_SECTOR, 90, STRATA_BANKS_4B);
    struct strata_coalescer c;
    (void)state;
    strata_coalescer_init(&c, &gpu, NULL);
    for (int i = 0; i < 2000; i++) {
        struct access a;
        unsigned most = 0;
        set_inst(&a, STRATA_SPACE_SHARED, STRATA_MEM_LOAD, 4, "LDS");
        for (unsigned l = 0; l < 32; l++)
            a.addr[l] = draw() % (i % 2 ? 256 : 8192) * 4;
        if (i % 4 == 3)
            set_rows(&a, draw() % 1024 * 4, 4, draw() % 128 * 4);
        set_list(&a, i % 8 == 3 ? ~0u : random_mask());
        for (unsigned bank = 0; bank < 32; bank++) {
            unsigned words = 0;
            for (unsigned word = bank; word < 8192; word += 32) {
                bool wanted = false;
                for (unsigned l = 0; l < 32; l++)
                    wanted |= (a.w.mask >> l & 1) && a.addr[l] == word * 4;
                words += wanted;
            }
            most = words > most ? words : most;
        }
        assert_int_equal(strata_shared_access(&c, &a.w).wavefronts, most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sector_rule_equals_brute_force),
        cmocka_unit_test(the_octet_rule_equals_brute_force),
        cmocka_unit_test(the_fermi_rule_equals_brute_force),
        cmocka_unit_test(known_patterns_have_their_known_sectors),
        cmocka_unit_test(no_active_lane_makes_no_request),
        cmocka_unit_test(an_access_at_the_end_of_the_address_space_stays_there),
        cmocka_unit_test(equal_offsets_of_local_memory_share_a_line),
        cmocka_unit_test(scattered_local_words_fit_in_the_output),
        cmocka_unit_test(a_stride_conflicts_as_often_as_its_common_divisor_with_32),
        cmocka_unit_test(keplers_two_bank_modes_differ),
        cmocka_unit_test(wide_accesses_go_by_half_and_quarter_warp),
        cmocka_unit_test(wide_lanes_conflict_as_their_words_do),
        cmocka_unit_test(lane_pairs_with_one_address_share_a_pass),
        cmocka_unit_test(halves_of_a_store_share_no_pass),
        cmocka_unit_test(lanes_that_are_off_let_the_halves_of_a_load_share_a_pass),
        cmocka_unit_test(a_matrix_load_takes_a_pass_for_each_matrix),
        cmocka_unit_test(atomics_on_one_word_share_its_pass),
        cmocka_unit_test(passes_of_random_words_equal_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
