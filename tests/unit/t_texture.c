/* t_texture.c - textures of a launch: where texels lie, what reads of them ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/hierarchy.h"
#include "trace/texel_layout.h"
#include "h200fix.h"

#define BASE (UINT64_C(1) << 20)

static struct strata_launch_texture plane(uint8_t texels, uint32_t size, uint8_t texel_bytes)
{
    uint64_t pitch = (uint64_t)size * texel_bytes;
    return (struct strata_launch_texture){.base = BASE,
                                          .pitch_bytes = pitch,
                                          .slice_bytes = pitch * size,
                                          .width = size,
                                          .height = size,
                                          .depth = 1,
                                          .texels = texels,
                                          .texel_bytes = texel_bytes};
}

static struct strata_launch launch_with(const struct strata_launch_texture *t, uint32_t n)
{
    return (struct strata_launch){
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .textures = t, .n_textures = n};
}

static const struct strata_inst point = {.opcode = "TEX.SCR.LL",
                                         .opclass = STRATA_OP_MEM,
                                         .space = STRATA_SPACE_TEXTURE,
                                         .memop = STRATA_MEM_LOAD,
                                         .width_bytes = 4};

/* A warp reads w x 32/w texels from (x, y) on. */
struct read {
    struct strata_winst w;
    uint64_t addr[STRATA_WARP_SIZE];
};
static void set_read(struct read *r, const struct strata_launch_texture *t,
                     const struct strata_inst *i, uint32_t w, uint32_t x, uint32_t y)
{
    for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
        r->addr[lane] = texel_address(
            t, (struct texel_place){(x + lane % w) * t->texel_bytes, y + lane / w, 0});
    r->w = (struct strata_winst){
        .inst = i, .mask = UINT32_MAX, .addr_kind = STRATA_ADDR_LIST, .addr = r->addr};
}

static void every_texel_is_found_at_its_address(void **state)
{
    (void)state;
    struct strata_launch_texture t[] = {plane(STRATA_TEXELS_TILED, 64, 4),
                                        plane(STRATA_TEXELS_TILED, 64, 1),
                                        plane(STRATA_TEXELS_PITCHED, 64, 16)};
    for (unsigned k = 0; k < 3; k++) {
        t[k].depth = 3;
        assert_true(launch_texture_is_sound(&t[k]));
        for (uint64_t i = 0; i < 3 * 64 * 64; i++) {
            struct texel_place p = {i % 64 * t[k].texel_bytes, i / 64 % 64, i / 4096},
                               q = texel_at(&t[k], texel_address(&t[k], p));
            assert_true(p.x_bytes == q.x_bytes && p.row == q.row && p.slice == q.slice);
        }
    }
}

static void a_texture_whose_rows_do_not_fit_is_refused(void **state)
{
    (void)state;
    struct strata_launch_texture t = plane(STRATA_TEXELS_TILED, 64, 4), bad = t;
    assert_true(launch_texture_is_sound(&t));
    bad.pitch_bytes = 128;
    assert_false(launch_texture_is_sound(&bad));
    bad = t, bad.slice_bytes /= 2;
    assert_false(launch_texture_is_sound(&bad));
    bad = t, bad.base = UINT64_MAX - 100;
    assert_false(launch_texture_is_sound(&bad));
    bad = t, bad.texel_bytes = 0;
    assert_false(launch_texture_is_sound(&bad));
    bad = t, bad.texels = STRATA_N_TEXELS;
    assert_false(launch_texture_is_sound(&bad));
    bad = t, bad.pitch_bytes = 264, bad.slice_bytes = 264 * 64; /* no whole tiles */
    assert_false(launch_texture_is_sound(&bad));
    bad.texels = STRATA_TEXELS_PITCHED;
    assert_true(launch_texture_is_sound(&bad));
}

static void a_read_is_of_the_texture_that_fits_it(void **state)
{
    (void)state;
    struct strata_launch_texture t[3] = {plane(STRATA_TEXELS_PITCHED, 64, 4),
                                         plane(STRATA_TEXELS_PITCHED, 64, 4),
                                         plane(STRATA_TEXELS_LINEAR, 64, 4)};
    struct strata_launch l = launch_with(t, 3);
    struct strata_inst linear = point, mixed = point, load = point;
    linear.opcode = "TLD.LZ";
    mixed.hints = STRATA_HINT_MIXED_Y;
    load.space = STRATA_SPACE_GLOBAL;
    t[0].filters = true;
    assert_ptr_equal(strata_launch_texture_at(&l, &point, BASE), &t[1]);
    assert_ptr_equal(strata_launch_texture_at(&l, &mixed, BASE), &t[0]);
    assert_ptr_equal(strata_launch_texture_at(&l, &linear, BASE), &t[2]);
    assert_ptr_equal(strata_launch_texture_at(&l, &point, BASE + 64 * 256 - 4), &t[1]);
    assert_null(strata_launch_texture_at(&l, &point, BASE + 64 * 256));
    assert_null(strata_launch_texture_at(&l, &point, BASE - 4));
    assert_null(strata_launch_texture_at(&l, &load, BASE));
}

static unsigned sectors_of(const struct strata_launch_texture *t, const struct strata_inst *i,
                           uint32_t w, uint32_t x, uint32_t y, unsigned *lines)
{
    struct strata_launch l = launch_with(t, 1);
    struct strata_coalescer c;
    struct strata_request r[STRATA_MAX_REQUESTS];
    struct read read;
    strata_coalescer_init(&c, &h200, &l);
    set_read(&read, t, i, w, x, y);
    *lines = strata_coalesce(&c, &read.w, 0, r);
    return strata_count_sectors(r, *lines);
}

/* texture_probe.cu, shape float, byte and float4: sectors and lines a warp. */
static void reads_of_arrays_ask_for_the_sectors_their_texels_lie_in(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes;
        uint32_t w, x, y;
        unsigned sectors, lines;
    } rows[] = {{4, 32, 0, 0, 8, 4},  {4, 32, 4, 0, 8, 5},  {4, 16, 0, 0, 4, 2},
                {4, 16, 0, 1, 8, 2},  {4, 8, 0, 0, 4, 1},   {4, 8, 4, 1, 6, 4},
                {4, 4, 0, 1, 5, 3},   {4, 1, 0, 1, 17, 9},  {1, 32, 0, 0, 2, 1},
                {1, 16, 16, 1, 2, 1}, {1, 8, 0, 1, 3, 2},   {1, 2, 0, 0, 8, 4},
                {16, 8, 0, 0, 16, 4}, {16, 4, 1, 1, 20, 9}, {16, 2, 0, 1, 18, 5},
                {16, 1, 1, 0, 16, 8}}; /* and texture_filter_probe.cu, line float array: 8, 4 */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct strata_launch_texture t = plane(STRATA_TEXELS_TILED, 256, rows[k].bytes);
        unsigned lines, n = sectors_of(&t, &point, rows[k].w, rows[k].x, rows[k].y, &lines);
        assert_int_equal(n, rows[k].sectors);
        assert_int_equal(lines, rows[k].lines);
    }
}

/* texture_filter_probe.cu, shape float, byte array and pitched, box and layers: sectors and lines a
 * warp by the axes along which texels are mixed. */
static void a_filter_reads_the_neighbours_it_mixes_in(void **state)
{
    (void)state;
    static const struct {
        uint8_t texels, bytes;
        uint32_t w;
        unsigned sectors[4], lines[4]; /* none, x, y, both */
    } rows[] = {{STRATA_TEXELS_TILED, 4, 32, {8, 9, 8, 9}, {4, 5, 4, 5}},
                {STRATA_TEXELS_TILED, 4, 8, {4, 6, 6, 9}, {1, 2, 2, 4}},
                {STRATA_TEXELS_TILED, 4, 4, {4, 8, 5, 10}, {2, 2, 3, 3}},
                {STRATA_TEXELS_TILED, 1, 32, {2, 3, 2, 3}, {1, 2, 1, 2}},
                {STRATA_TEXELS_TILED, 1, 8, {2, 2, 3, 3}, {1, 1, 2, 2}},
                {STRATA_TEXELS_PITCHED, 4, 32, {4, 5, 8, 10}, {1, 2, 2, 4}},
                {STRATA_TEXELS_PITCHED, 4, 8, {4, 8, 5, 10}, {4, 4, 5, 5}},
                {STRATA_TEXELS_PITCHED, 4, 4, {8, 8, 9, 9}, {8, 8, 9, 9}}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (unsigned axes = 0; axes < 4; axes++) {
            struct strata_launch_texture t = plane(rows[k].texels, 256, rows[k].bytes);
            struct strata_inst mixed = point;
            unsigned lines;
            mixed.hints = (uint16_t)(axes << STRATA_MIXED_SHIFT);
            assert_int_equal(sectors_of(&t, &mixed, rows[k].w, 0, 0, &lines),
                             rows[k].sectors[axes]);
            assert_int_equal(lines, rows[k].lines[axes]);
        }
}

static void beyond_the_last_texel_is_the_first_one_or_nothing(void **state)
{
    (void)state;
    struct strata_launch_texture t = plane(STRATA_TEXELS_PITCHED, 64, 4);
    struct strata_inst mixed = point;
    unsigned lines;
    mixed.hints = STRATA_HINT_MIXED_X | STRATA_HINT_MIXED_Y;
    assert_int_equal(sectors_of(&t, &mixed, 8, 56, 60, &lines), 4);
    t.wraps = 3;
    assert_int_equal(sectors_of(&t, &mixed, 8, 56, 60, &lines), 10);
    t.wraps = 0;
    t.depth = 2;
    mixed.hints |= STRATA_HINT_MIXED_Z;
    assert_int_equal(sectors_of(&t, &mixed, 8, 0, 0, &lines), 20);
}

static void lanes_outside_the_texture_and_many_slices_stay_within_the_room(void **state)
{
    (void)state;
    struct strata_launch_texture t = plane(STRATA_TEXELS_PITCHED, 4096, 12);
    struct strata_launch l = launch_with(&t, 1);
    struct strata_inst mixed = point;
    struct strata_coalescer c;
    struct strata_request r[STRATA_MAX_REQUESTS];
    struct read read;
    mixed.hints = STRATA_HINT_MIXED;
    t.depth = 8;
    t.width = 4075; /* the last texel of a row lies in two lines, the first in a third */
    t.wraps = 7;
    strata_coalescer_init(&c, &h200, &l);
    set_read(&read, &t, &mixed, 1, 4074, 0);
    for (uint32_t i = 0; i < STRATA_WARP_SIZE; i++)
        read.addr[i] += i % 4 * 2 * t.slice_bytes + i * t.pitch_bytes;
    read.addr[31] = UINT64_MAX - 3; /* of another texture */
    assert_int_equal(strata_coalesce(&c, &read.w, 0, r), STRATA_MAX_REQUESTS);
}

/* Reads of four whole sectors of a row, or of half of each of four rows. */
static struct launch_counters counted(const struct strata_gpu *g,
                                      const struct strata_launch_texture *t,
                                      const struct strata_inst *i, uint32_t w, uint32_t x)
{
    static struct hierarchy m;
    struct strata_launch l = launch_with(t, 1);
    struct read read;
    assert_int_equal(hierarchy_init(&m, g, &l, 128 << 10, 1, NULL, NULL), STRATA_OK);
    leaving_miss_answered(&m.sm[0].leaving, 1);
    set_read(&read, t, i, w, x, 0);
    m.now = 1000;
    hierarchy_access(&m, 0, &read.w, 0, m.now);
    struct launch_counters n = m.count;
    hierarchy_release(&m);
    return n;
}

/* pitch_probe.cu: w=32: 4 sectors, 4 requests, 2 hits; w=8 x_bytes=16: 8, 8, 4; line: 4, 1, 0. */
static void a_texture_over_pitched_memory_asks_the_l2_sector_by_sector(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct strata_launch_texture t = plane(STRATA_TEXELS_PITCHED, 1024, 4);
    struct launch_counters row = counted(&g, &t, &point, 32, 0),
                           block = counted(&g, &t, &point, 8, 4);
    assert_int_equal(row.l2_tex_read, 4);
    assert_int_equal(row.l2_requests, 4);
    assert_int_equal(row.l2_tex_read_hit, 2);
    assert_int_equal(block.l2_tex_read, 8);
    assert_int_equal(block.l2_requests, 8);
    assert_int_equal(block.l2_tex_read_hit, 4);
    t.texels = STRATA_TEXELS_LINEAR;
    row = counted(&g, &t, &point, 32, 0);
    assert_int_equal(row.l2_requests, 1);
    assert_int_equal(row.l2_tex_read_hit, 0);
    t.texels = STRATA_TEXELS_PITCHED;
    g.l1.texture_pitched_sectors = 0; /* another card: as any load */
    assert_int_equal(counted(&g, &t, &point, 32, 0).l2_requests, 1);
}

/* texture_filter_probe.cu, float4 array, with a filter: w=8 2048 sectors of 128 warps in 1024
 * requests, along x 1280, along y 1536, w=4 along y 1024; without one 512 (texture_probe.cu). */
static void a_filter_takes_wide_texels_in_passes_that_ask_by_themselves(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct strata_launch_texture t = plane(STRATA_TEXELS_TILED, 256, 16);
    struct strata_inst along_x = point, along_y = point;
    along_x.hints = STRATA_HINT_MIXED_X;
    along_y.hints = STRATA_HINT_MIXED_Y;
    assert_int_equal(counted(&g, &t, &point, 8, 0).l2_requests, 4);
    t.filters = true;
    assert_int_equal(counted(&g, &t, &point, 8, 0).l2_requests, 8);
    assert_int_equal(counted(&g, &t, &point, 8, 0).l2_tex_read, 16);
    assert_int_equal(counted(&g, &t, &point, 8, 0).l2_tex_read_hit, 8);
    assert_int_equal(counted(&g, &t, &along_x, 8, 0).l2_requests, 10);
    assert_int_equal(counted(&g, &t, &along_y, 8, 0).l2_requests, 12);
    assert_int_equal(counted(&g, &t, &along_y, 4, 0).l2_requests, 8);
    g.l1.texture_filter_bytes = 0;
    assert_int_equal(counted(&g, &t, &point, 8, 0).l2_requests, 4);
}

static void a_request_takes_so_many_of_the_missing_sectors(void **state)
{
    (void)state;
    assert_int_equal(load_request_part(0xd, 0), 0xd);
    assert_int_equal(load_request_part(0xd, 1), 0x1);
    assert_int_equal(load_request_part(0xc, 1), 0x4);
    assert_int_equal(load_request_part(0xd, 2), 0x5);
    assert_int_equal(load_request_part(0x8, 2), 0x8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_texel_is_found_at_its_address),
        cmocka_unit_test(a_texture_whose_rows_do_not_fit_is_refused),
        cmocka_unit_test(a_read_is_of_the_texture_that_fits_it),
        cmocka_unit_test(reads_of_arrays_ask_for_the_sectors_their_texels_lie_in),
        cmocka_unit_test(a_filter_reads_the_neighbours_it_mixes_in),
        cmocka_unit_test(beyond_the_last_texel_is_the_first_one_or_nothing),
        cmocka_unit_test(lanes_outside_the_texture_and_many_slices_stay_within_the_room),
        cmocka_unit_test(a_texture_over_pitched_memory_asks_the_l2_sector_by_sector),
        cmocka_unit_test(a_filter_takes_wide_texels_in_passes_that_ask_by_themselves),
        cmocka_unit_test(a_request_takes_so_many_of_the_missing_sectors),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
