/* t_arena.c - device memory against a plain list: every allocation takes the first place that fits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <strata/emulator.h>

enum { MOST = 3000, ARENA_BYTES = 64 << 20, PAGE = 1 << 16 };

static struct strata_memory_range model[MOST];
static size_t n_model;

static uint32_t draw(void)
{
    static uint64_t state = 18;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33);
}

static uint64_t first_place(uint64_t base, uint64_t bytes, uint64_t align, size_t *at)
{
    uint64_t from = base;
    for (*at = 0; *at <= n_model; ++*at) {
        uint64_t stop = *at < n_model ? model[*at].base : base + ARENA_BYTES;
        uint64_t start = (from + align - 1) / align * align;
        if (bytes <= PAGE && start / PAGE != (start + bytes - 1) / PAGE)
            start = (start + PAGE - 1) / PAGE * PAGE;
        if (start <= stop && bytes <= stop - start)
            return start;
        if (*at < n_model)
            from = model[*at].base + model[*at].bytes;
    }
    return 0;
}

static void allocate(struct strata_arena *arena, uint64_t base)
{
    static const uint64_t aligns[] = {256, 256, 512, 4096};
    uint64_t bytes = 1 + draw() % (draw() % 8 ? 3000 : 200000), align = aligns[draw() % 4];
    size_t at;
    uint64_t want = first_place(base, bytes, align, &at);
    void *got = strata_arena_allocate_paged(arena, bytes, align, PAGE);
    assert_int_equal((uint64_t)(uintptr_t)got, want);
    if (!want)
        return;
    memmove(model + at + 1, model + at, (n_model - at) * sizeof *model);
    model[at] = (struct strata_memory_range){want, bytes};
    n_model++;
}

/* An access of 16 bytes, some of which cross into the next page. */
static void look_into_page(struct strata_arena *arena, uint64_t address)
{
    uint64_t base = model[0].base / PAGE * PAGE, end = base + ARENA_BYTES;
    bool used[2] = {false, false};
    address += draw() % 4 ? 0 : PAGE - 8 - address % PAGE;
    for (size_t i = 0; i < n_model; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint64_t page = (address + 15 * k) / PAGE * PAGE;
            used[k] |= model[i].base < page + PAGE && model[i].base + model[i].bytes > page;
        }
    if (address + 16 <= end)
        assert_int_equal(strata_arena_in_page(arena, address, 16, PAGE), used[0] && used[1]);
}

static void look_up(struct strata_arena *arena)
{
    const struct strata_memory_range *r = &model[draw() % n_model];
    struct strata_memory_range found;
    assert_true(strata_arena_find(arena, r->base + draw() % r->bytes, &found));
    assert_int_equal(found.base, r->base);
    assert_int_equal(found.bytes, r->bytes);
    assert_true(strata_arena_near(arena, r->base + r->bytes, 4));
    assert_true(strata_arena_near(arena, r->base - 4, 4));
    assert_false(strata_arena_release(arena, (void *)(uintptr_t)(r->base + 1)));
    look_into_page(arena, r->base + draw() % (4 * PAGE));
}

/* Fills up, then takes and gives back in turns, then gives all back. */
static void takes_the_first_place_that_fits(void **state)
{
    (void)state;
    struct strata_arena *arena;
    assert_int_equal(strata_arena_create(ARENA_BYTES, &arena, NULL), STRATA_OK);
    void *first = strata_arena_allocate(arena, 1, 1);
    uint64_t base = (uint64_t)(uintptr_t)first, used = 0;
    assert_true(strata_arena_release(arena, first));
    for (int turn = 0; turn < 9000; turn++) {
        bool take = turn < 2000 ? n_model + 1 < MOST : turn < 6000 && draw() % 2;
        if (take && n_model + 1 < MOST) {
            allocate(arena, base);
        } else if (n_model) {
            size_t k = draw() % n_model;
            assert_true(strata_arena_release(arena, (void *)(uintptr_t)model[k].base));
            n_model--;
            memmove(model + k, model + k + 1, (n_model - k) * sizeof *model);
        }
        if (n_model)
            look_up(arena);
    }
    for (size_t i = 0; i < n_model; i++)
        used += model[i].bytes;
    assert_int_equal(strata_arena_used_bytes(arena), used);
    struct strata_memory_range none;
    assert_false(strata_arena_find(arena, base - 1, &none));
    strata_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_first_place_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
