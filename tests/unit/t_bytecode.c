/* Byte code: what goes into a builder comes out of a cursor, and validation accepts exactly that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <strata/trace.h>

#include "base/bits.h"
#include "trace/bytecode.h"
#include "trace/code.h"

static uint64_t rng_state;

static uint64_t rnd(void)
{
    rng_state += 0x9e3779b97f4a7c15ull;
    return mix64(rng_state);
}

static struct strata_inst make_inst(uint64_t pc, const char *opcode, bool has_addresses)
{
    struct strata_inst inst = {
        .pc = pc, .opcode = opcode, .n_dst = 1, .reg = {(uint16_t)(pc / 16)}};
    inst.trace_width = has_addresses ? 4 : 0;
    strata_inst_decode_sass(&inst, has_addresses, false);
    return inst;
}

/* n instructions, every third one a load or a store. */
static struct strata_code *make_code(uint32_t n)
{
    static const char *const plain[] = {"IADD3", "FFMA", "BRA", "ISETP.NE.AND"};
    static const char *const memory[] = {"LDG.E", "STG.E.64", "LDS", "REDG.E.ADD.STRONG.GPU"};
    struct strata_code *code;
    assert_int_equal(strata_code_create(&code, NULL), STRATA_OK);
    for (uint32_t i = 0; i < n; i++) {
        bool mem = i % 3 == 2;
        struct strata_inst inst = make_inst(i * 16, mem ? memory[i % 4] : plain[i % 4], mem);
        uint32_t index;
        assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
        assert_int_equal(index, i);
    }
    return code;
}

/* One executed instruction as the test remembers it. */
struct record {
    uint32_t index, mask;
    bool has_addresses;
    uint64_t addr[STRATA_WARP_SIZE];
};

static void random_addresses(struct record *r, uint64_t *walking)
{
    static const int64_t strides[] = {0, 4, 8, -4, 4096, 1};
    unsigned how = (unsigned)(rnd() % 8);
    uint64_t base = how == 7 ? rnd() : 0x7f0000000000ull + *walking;
    int64_t stride = strides[rnd() % 6];
    *walking += rnd() % 3 ? 128 : rnd() % 100000;
    uint64_t repeated = rnd() % 4 * 4096;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        if (how < 5)
            r->addr[lane] = base + (uint64_t)((int64_t)lane * stride);
        else if (how == 5)
            r->addr[lane] = base + (lane & 15) * 4 + (lane >> 4) * repeated;
        else
            r->addr[lane] = base + (rnd() >> (rnd() % 64));
        if (!(r->mask >> lane & 1))
            r->addr[lane] = 0;
    }
}

static void random_warp(struct record *r, uint32_t n, uint32_t n_code)
{
    uint32_t index = 0, mask = UINT32_MAX;
    uint64_t walking = 0;
    for (uint32_t i = 0; i < n; i++, r++) {
        unsigned how = (unsigned)(rnd() % 16);
        if (how == 0)
            index = (uint32_t)(rnd() % n_code);
        else if (how == 1)
            index = index > 7 ? index - 7 : 0;
        if (rnd() % 12 == 0)
            mask = rnd() % 3 ? (uint32_t)rnd() : rnd() % 2 ? UINT32_MAX : 0;
        r->index = index;
        r->mask = mask;
        r->has_addresses = index % 3 == 2 && mask && rnd() % 10;
        memset(r->addr, 0, sizeof r->addr);
        if (r->has_addresses)
            random_addresses(r, &walking);
        index = (index + 1) % n_code;
    }
}

static struct strata_block *build(struct strata_builder *b, struct record *const *warp,
                                  const uint32_t *n, uint32_t n_warps)
{
    struct strata_block *block;
    assert_int_equal(strata_builder_begin_block(b, 77, n_warps, NULL), STRATA_OK);
    for (uint32_t k = 0; k < n_warps; k++) {
        uint32_t w = n_warps - 1 - k; /* any order is allowed */
        if (!n[w])
            continue;
        assert_int_equal(strata_builder_begin_warp(b, w, NULL), STRATA_OK);
        for (uint32_t i = 0; i < n[w]; i++)
            assert_int_equal(strata_builder_add(b, warp[w][i].index, warp[w][i].mask,
                                                warp[w][i].has_addresses ? warp[w][i].addr : NULL,
                                                NULL),
                             STRATA_OK);
    }
    assert_int_equal(strata_builder_end_block(b, &block, NULL), STRATA_OK);
    return block;
}

static void expect_record(const struct strata_winst *w, const struct record *r)
{
    uint64_t addr[STRATA_WARP_SIZE];
    assert_int_equal(w->inst_index, r->index);
    assert_int_equal(w->mask, r->mask);
    assert_int_equal(w->addr_kind != STRATA_ADDR_NONE, r->has_addresses);
    strata_winst_addresses(w, addr);
    assert_memory_equal(addr, r->addr, sizeof addr);
}

static void random_blocks_come_back_as_they_went_in(void **state)
{
    (void)state;
    struct strata_cursor c = {0};
    struct block_check check = {0};
    for (unsigned round = 0; round < 300; round++) {
        rng_state = round;
        uint32_t n_code = 1 + (uint32_t)(rnd() % (round % 10 ? 40 : 3000)), n_warps = 1 + round % 5;
        struct strata_code *code = make_code(n_code);
        struct strata_builder *b;
        struct record *warp[5];
        uint32_t n[5];
        assert_int_equal(strata_builder_create(code, &b, NULL), STRATA_OK);
        for (uint32_t w = 0; w < n_warps; w++) {
            n[w] = rnd() % 5 ? (uint32_t)(rnd() % 400) : 0;
            warp[w] = calloc(n[w] + 1, sizeof *warp[w]);
            random_warp(warp[w], n[w], n_code);
        }
        struct strata_block *block = build(b, warp, n, n_warps);
        assert_int_equal(block->index, 77);
        assert_int_equal(block_validate(&check, block, NULL), STRATA_OK);
        for (uint32_t w = 0; w < n_warps; w++) {
            struct strata_winst got;
            assert_int_equal(strata_cursor_init(&c, block, w, NULL), STRATA_OK);
            assert_int_equal(block->warp_instructions[w], n[w]);
            for (uint32_t i = 0; i < n[w]; i++) {
                assert_true(strata_cursor_next(&c, &got));
                expect_record(&got, &warp[w][i]);
            }
            assert_false(strata_cursor_next(&c, &got));
            assert_false(strata_cursor_next(&c, &got));
            free(warp[w]);
        }
        strata_block_destroy(block);
        strata_builder_destroy(b);
        strata_code_destroy(code);
    }
    strata_cursor_release(&c);
    block_check_release(&check);
}

static void a_long_straight_run_takes_a_few_bytes(void **state)
{
    (void)state;
    struct strata_code *code = make_code(2);
    struct strata_builder *b;
    struct strata_block *block;
    struct strata_cursor c = {0};
    struct strata_winst got;
    strata_builder_create(code, &b, NULL);
    strata_builder_begin_block(b, 0, 1, NULL);
    strata_builder_begin_warp(b, 0, NULL);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(strata_builder_add(b, i % 2, 1, NULL, NULL), STRATA_OK);
    strata_builder_end_block(b, &block, NULL);
    assert_true(block->warp_offset[1] < 40);
    strata_cursor_init(&c, block, 0, NULL);
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(strata_cursor_next(&c, &got));
        assert_int_equal(got.inst_index, i % 2);
    }
    assert_false(strata_cursor_next(&c, &got));
    strata_cursor_release(&c);
    strata_block_destroy(block);
    strata_builder_destroy(b);
    strata_code_destroy(code);
}

static void damaged_byte_code_is_refused_or_harmless(void **state)
{
    (void)state;
    struct strata_code *code = make_code(40);
    struct strata_builder *b;
    struct record *warp[1];
    uint32_t n[1] = {200}, refused = 0;
    struct block_check check = {0};
    struct strata_cursor c = {0};
    strata_builder_create(code, &b, NULL);
    warp[0] = calloc(n[0], sizeof *warp[0]);
    rng_state = 5;
    random_warp(warp[0], n[0], 40);
    struct strata_block *block = build(b, warp, n, 1);
    for (uint32_t i = 0; i < block->warp_offset[1]; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct strata_winst got;
            block->bytes[i] ^= (uint8_t)(1u << bit);
            if (block_validate(&check, block, NULL)) {
                refused++;
            } else {
                uint32_t steps = 0;
                assert_int_equal(strata_cursor_init(&c, block, 0, NULL), STRATA_OK);
                while (strata_cursor_next(&c, &got))
                    steps++;
                assert_int_equal(steps, n[0]);
            }
            block->bytes[i] ^= (uint8_t)(1u << bit);
        }
    assert_true(refused > 100);
    strata_cursor_release(&c);
    block_check_release(&check);
    free(warp[0]);
    strata_block_destroy(block);
    strata_builder_destroy(b);
    strata_code_destroy(code);
}

static void the_builder_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    struct strata_code *code = make_code(6);
    struct strata_builder *b;
    struct strata_block *block;
    struct strata_error err;
    uint64_t addr[STRATA_WARP_SIZE] = {0};
    strata_builder_create(code, &b, NULL);
    strata_builder_begin_block(b, 3, 2, NULL);
    assert_int_equal(strata_builder_add(b, 0, 1, NULL, &err), STRATA_EUSAGE);
    assert_int_equal(strata_builder_begin_warp(b, 2, &err), STRATA_EFORMAT);
    assert_int_equal(strata_builder_begin_warp(b, 1, &err), STRATA_OK);
    assert_int_equal(strata_builder_add(b, 6, 1, NULL, &err), STRATA_EUSAGE);
    assert_int_equal(strata_builder_add(b, 0, 1, addr, &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, "IADD3"));
    assert_int_equal(strata_builder_begin_warp(b, 1, &err), STRATA_EFORMAT);
    assert_int_equal(strata_builder_end_block(b, &block, &err), STRATA_OK);
    assert_int_equal(block->warp_instructions[0], 0);
    strata_block_destroy(block);
    strata_builder_destroy(b);
    strata_code_destroy(code);
}

static void equal_instructions_share_an_index_and_pointers_stay(void **state)
{
    (void)state;
    struct strata_code *code = make_code(1);
    const struct strata_inst *first = strata_code_get(code, 0);
    for (uint32_t i = 1; i < 20000; i++) {
        struct strata_inst inst = make_inst(i * 16, "MOV", false);
        uint32_t index;
        assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
        assert_int_equal(index, i);
    }
    assert_ptr_equal(strata_code_get(code, 0), first);
    struct strata_inst again = make_inst(1234 * 16, "MOV", false);
    uint32_t index;
    assert_int_equal(strata_code_add(code, &again, &index, NULL), STRATA_OK);
    assert_int_equal(index, 1234);
    again.source_line = 7;
    assert_int_equal(strata_code_add(code, &again, &index, NULL), STRATA_OK);
    assert_int_equal(index, 20000);
    assert_ptr_equal(strata_code_get(code, 20001), NULL);
    strata_code_destroy(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_blocks_come_back_as_they_went_in),
        cmocka_unit_test(a_long_straight_run_takes_a_few_bytes),
        cmocka_unit_test(damaged_byte_code_is_refused_or_harmless),
        cmocka_unit_test(the_builder_refuses_what_makes_no_sense),
        cmocka_unit_test(equal_instructions_share_an_index_and_pointers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
