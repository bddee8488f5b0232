/* check.c - the invariants of a trace. */
#include <strata/check.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/blockset.h"

enum rule {
    RULE_BLOCK_IN_GRID,
    RULE_BLOCK_ONCE,
    RULE_ALL_BLOCKS,
    RULE_WARPS_PER_BLOCK,
    RULE_WARP_NOT_EMPTY,
    RULE_LIVE_LANES,
    RULE_NOTHING_AFTER_EXIT,
    RULE_EXIT_AT_END,
    RULE_HAS_ADDRESSES,
    RULE_ADDRESSES_ON_MEMORY,
    RULE_ALIGNED,
    RULE_NOT_NULL,
    RULE_SHARED_IN_RANGE,
    RULE_IN_TEXTURE,
    RULE_ONE_OPCODE_PER_PC,
    RULE_COUNT_AS_STATED,
    RULE_BARRIERS_AGREE,
    RULE_KNOWN_OPCODE,
    N_RULES
};

static const struct strata_rule rules[N_RULES] = {
    [RULE_BLOCK_IN_GRID] = {"block-in-grid", "Every thread block lies inside the grid.", true},
    [RULE_BLOCK_ONCE] = {"block-once", "No thread block is recorded twice.", true},
    [RULE_ALL_BLOCKS] =
        {"all-blocks", "Every thread block of the grid is recorded, unless the trace is a sample.",
         true},
    [RULE_WARPS_PER_BLOCK] = {"warps-per-block",
                              "A thread block has as many warps as its size asks for.", true},
    [RULE_WARP_NOT_EMPTY] = {"warp-not-empty", "Every warp executes something.", true},
    [RULE_LIVE_LANES] = {"live-lanes",
                         "Only lanes that exist and have not exited execute instructions.", true},
    [RULE_NOTHING_AFTER_EXIT] = {"nothing-after-exit",
                                 "A warp executes nothing after its last lane has exited.", true},
    [RULE_EXIT_AT_END] = {"exit-at-end",
                          "Every lane of every warp exits before the warp's records end.", true},
    [RULE_HAS_ADDRESSES] = {"has-addresses",
                            "A load, store or atomic with active lanes has their addresses.", true},
    [RULE_ADDRESSES_ON_MEMORY] = {"addresses-on-memory", "Only memory instructions have addresses.",
                                  true},
    [RULE_ALIGNED] = {"aligned", "Addresses are multiples of the access width.", true},
    [RULE_NOT_NULL] = {"not-null", "No global access goes to the first 4 KiB of the address space.",
                       true},
    [RULE_SHARED_IN_RANGE] = {"shared-in-range",
                              "Shared addresses lie inside the block's shared memory.", true},
    [RULE_IN_TEXTURE] = {"in-texture",
                         "Reads of textures lie in a texture of the launch, if it names any.",
                         true},
    [RULE_ONE_OPCODE_PER_PC] = {"one-opcode-per-pc", "The same pc always holds the same opcode.",
                                true},
    [RULE_COUNT_AS_STATED] = {"count-as-stated",
                              "The trace has as many warp instructions as its header says.", true},
    [RULE_BARRIERS_AGREE] = {"barriers-agree",
                             "All warps of a thread block wait at barriers equally often.", false},
    [RULE_KNOWN_OPCODE] = {"known-opcode", "Every opcode is known.", false},
};

const struct strata_rule *strata_check_rules(size_t *n)
{
    *n = N_RULES;
    return rules;
}

struct checker {
    struct strata_check_report *report;
    const struct strata_launch *launch;
    struct blockset seen;
    struct strata_cursor cursor;
    uint64_t shared_limit;
    /* where we are */
    const struct strata_block *block;
    uint32_t warp;
    uint64_t place;
};

enum place { AT_LAUNCH, AT_BLOCK, AT_WARP, AT_INSTRUCTION };

static void broken(struct checker *c, enum rule rule, enum place where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void broken(struct checker *c, enum rule rule, enum place where, const char *format, ...)
{
    struct strata_finding *f = &c->report->finding[rule];
    if (f->count++)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(f->detail, sizeof f->detail, format, args);
    va_end(args);
    f->has_block = where >= AT_BLOCK;
    f->has_warp = where >= AT_WARP;
    f->has_instruction = where >= AT_INSTRUCTION;
    f->block = f->has_block ? c->block->index : 0;
    f->warp = f->has_warp ? c->warp : 0;
    f->instruction = f->has_instruction ? c->place : 0;
    if (rules[rule].is_error)
        c->report->n_errors++;
    else
        c->report->n_notes++;
}

/* The lanes a warp starts with: the last warp of a block may be partial. */
static uint32_t initial_lanes(const struct strata_launch *l, uint32_t warp)
{
    uint64_t threads = strata_launch_threads_per_block(l),
             first = (uint64_t)warp * STRATA_WARP_SIZE;
    if (first >= threads)
        return 0;
    return threads - first >= STRATA_WARP_SIZE ? UINT32_MAX : (1u << (threads - first)) - 1;
}

/* Reads of textures are multiples of their texels, whatever they deliver. */
static void check_texels(struct checker *c, const struct strata_winst *w)
{
    uint64_t addr[STRATA_WARP_SIZE];
    strata_winst_addresses(w, addr);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint64_t a = addr[lowest_bit32(rest)];
        const struct strata_launch_texture *t = strata_launch_texture_at(c->launch, w->inst, a);
        if (!t || (a - t->base) % t->texel_bytes) {
            broken(c, t ? RULE_ALIGNED : RULE_IN_TEXTURE, AT_INSTRUCTION,
                   "%s accesses address 0x%llx", w->inst->opcode, (unsigned long long)a);
            return;
        }
    }
}

/* Alignment and range are looked at in every lane, but told once per instruction. */
static void check_lanes(struct checker *c, const struct strata_winst *w)
{
    uint64_t addr[STRATA_WARP_SIZE], wrong = 0;
    const struct strata_inst *i = w->inst;
    bool misaligned = false, null = false, outside = false;
    strata_winst_addresses(w, addr);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint64_t a = addr[lowest_bit32(rest)];
        bool bad = i->width_bytes && a % i->width_bytes;
        bool low = i->space == STRATA_SPACE_GLOBAL && a < 4096;
        bool far = i->space == STRATA_SPACE_SHARED && !(i->hints & STRATA_HINT_GENERIC) &&
                   a + i->width_bytes > c->shared_limit;
        misaligned |= bad;
        null |= low;
        outside |= far;
        if (bad || low || far)
            wrong = a;
    }
    if (misaligned)
        broken(c, RULE_ALIGNED, AT_INSTRUCTION, "%s accesses address 0x%llx", i->opcode,
               (unsigned long long)wrong);
    if (null)
        broken(c, RULE_NOT_NULL, AT_INSTRUCTION, "%s accesses address 0x%llx", i->opcode,
               (unsigned long long)wrong);
    if (outside)
        broken(c, RULE_SHARED_IN_RANGE, AT_INSTRUCTION, "%s accesses address 0x%llx of %u bytes",
               i->opcode, (unsigned long long)wrong,
               c->launch->shared_static_bytes + c->launch->shared_dynamic_bytes);
}

static void check_memory(struct checker *c, const struct strata_winst *w)
{
    const struct strata_inst *i = w->inst;
    bool is_memory = i->opclass == STRATA_OP_MEM || i->memop != STRATA_MEM_NONE;
    bool wants = i->opclass == STRATA_OP_MEM && i->trace_width && i->space != STRATA_SPACE_TEXTURE;
    if (w->addr_kind != STRATA_ADDR_NONE && !is_memory)
        broken(c, RULE_ADDRESSES_ON_MEMORY, AT_INSTRUCTION, "%s has addresses", i->opcode);
    if (wants && w->mask && w->addr_kind == STRATA_ADDR_NONE)
        broken(c, RULE_HAS_ADDRESSES, AT_INSTRUCTION, "%s has none", i->opcode);
    if (w->addr_kind == STRATA_ADDR_NONE || !w->mask)
        return;
    if (i->space == STRATA_SPACE_TEXTURE && c->launch->n_textures)
        check_texels(c, w);
    else
        check_lanes(c, w);
}

/* Copies, barriers in shared memory and products of warpgroups have words in the place of
 * addresses, as many as they need, whatever lanes there are (strata_bulk_pack,
 * strata_barrier_pack). */
static bool has_words(const struct strata_inst *i)
{
    return i->opclass == STRATA_OP_BULK || i->opclass == STRATA_OP_MBARRIER ||
           i->opclass == STRATA_OP_WGMMA;
}

/* Returns the number of barriers the warp waited at. */
static uint64_t check_warp(struct checker *c)
{
    uint32_t live = initial_lanes(c->launch, c->warp);
    uint64_t barriers = 0;
    struct strata_winst w;
    for (c->place = 0; strata_cursor_next(&c->cursor, &w); c->place++) {
        if (!live)
            broken(c, RULE_NOTHING_AFTER_EXIT, AT_INSTRUCTION, "%s is executed", w.inst->opcode);
        else if (w.mask & ~live && !has_words(w.inst))
            broken(c, RULE_LIVE_LANES, AT_INSTRUCTION,
                   "%s is executed by lanes %08x, alive are %08x", w.inst->opcode, w.mask, live);
        if (w.inst->opclass == STRATA_OP_EXIT)
            live &= ~w.mask;
        barriers += w.inst->opclass == STRATA_OP_BARRIER && w.mask;
        if (!has_words(w.inst))
            check_memory(c, &w);
    }
    if (!c->place)
        broken(c, RULE_WARP_NOT_EMPTY, AT_WARP, "it has no instruction");
    else if (live)
        broken(c, RULE_EXIT_AT_END, AT_WARP, "after %llu instructions lanes %08x have not exited",
               (unsigned long long)c->place, live);
    c->report->warp_instructions += c->place;
    return barriers;
}

static void check_place(struct checker *c, bool was_there)
{
    const struct strata_dim3 g = c->launch->grid;
    if (c->block->index >= strata_launch_blocks(c->launch))
        broken(c, RULE_BLOCK_IN_GRID, AT_BLOCK, "the grid has %u x %u x %u blocks", g.x, g.y, g.z);
    else if (was_there)
        broken(c, RULE_BLOCK_ONCE, AT_BLOCK, "it was there before");
    if (c->block->n_warps != strata_launch_warps_per_block(c->launch))
        broken(c, RULE_WARPS_PER_BLOCK, AT_BLOCK, "it has %u warps instead of %u",
               c->block->n_warps, strata_launch_warps_per_block(c->launch));
}

static strata_status check_block(struct checker *c, struct strata_error *err)
{
    bool was_there = false;
    uint64_t first = 0; /* barriers of the first warp that has any instruction, + 1 */
    if (!blockset_add(&c->seen, c->block->index, &was_there))
        return strata_no_memory(err, NULL, "to check the trace");
    check_place(c, was_there);
    c->report->blocks++;
    for (c->warp = 0; c->warp < c->block->n_warps; c->warp++) {
        strata_status status = strata_cursor_init(&c->cursor, c->block, c->warp, err);
        if (status)
            return status;
        uint64_t barriers = check_warp(c);
        if (!c->place)
            continue; /* told already */
        if (!first)
            first = barriers + 1;
        else if (barriers + 1 != first)
            broken(c, RULE_BARRIERS_AGREE, AT_WARP,
                   "it waits %llu times, the first warp %llu times", (unsigned long long)barriers,
                   (unsigned long long)first - 1);
    }
    return STRATA_OK;
}

static int compare_pc(const void *a, const void *b)
{
    const struct strata_inst *x = *(const struct strata_inst *const *)a,
                             *y = *(const struct strata_inst *const *)b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* Once per launch: the static instructions. */
static strata_status check_code(struct checker *c, const struct strata_code *code,
                                struct strata_error *err)
{
    uint32_t n = strata_code_count(code);
    const struct strata_inst **sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return strata_no_memory(err, NULL, "to check the trace");
    for (uint32_t i = 0; i < n; i++) {
        struct strata_inst probe = *(sorted[i] = strata_code_get(code, i));
        if (c->launch->isa == STRATA_ISA_SASS &&
            !strata_inst_decode_sass(&probe, probe.trace_width > 0, false))
            broken(c, RULE_KNOWN_OPCODE, AT_LAUNCH, "%s at pc 0x%llx is not", probe.opcode,
                   (unsigned long long)probe.pc);
    }
    qsort(sorted, n, sizeof *sorted, compare_pc);
    for (uint32_t i = 1; i < n; i++)
        if (sorted[i]->pc == sorted[i - 1]->pc && sorted[i]->opcode != sorted[i - 1]->opcode)
            broken(c, RULE_ONE_OPCODE_PER_PC, AT_LAUNCH, "pc 0x%llx is %s and %s",
                   (unsigned long long)sorted[i]->pc, sorted[i - 1]->opcode, sorted[i]->opcode);
    free(sorted);
    return STRATA_OK;
}

static void check_totals(struct checker *c)
{
    const struct strata_check_report *r = c->report;
    uint64_t expected =
        c->launch->sampled_blocks ? c->launch->sampled_blocks : strata_launch_blocks(c->launch);
    if (r->blocks < expected)
        broken(c, RULE_ALL_BLOCKS, AT_LAUNCH, "%llu of %llu are", (unsigned long long)r->blocks,
               (unsigned long long)expected);
    if (c->launch->warp_instructions && r->warp_instructions != c->launch->warp_instructions)
        broken(c, RULE_COUNT_AS_STATED, AT_LAUNCH, "it has %llu instead of %llu",
               (unsigned long long)r->warp_instructions,
               (unsigned long long)c->launch->warp_instructions);
}

/* From sm_80 on the driver keeps the first KiB of a block's shared memory for itself, and addresses
 * count it. */
#define RESERVED_SHARED_BYTES 1024

strata_status strata_check_launch(struct strata_reader *reader, struct strata_check_report *out,
                                  struct strata_error *err)
{
    struct checker c = {.report = out, .launch = strata_reader_launch(reader)};
    struct strata_block *block;
    strata_status status;
    memset(out, 0, sizeof *out);
    c.shared_limit = (uint64_t)c.launch->shared_static_bytes + c.launch->shared_dynamic_bytes +
                     RESERVED_SHARED_BYTES;
    while (!(status = strata_reader_next(reader, &block, err))) {
        c.block = block;
        status = check_block(&c, err);
        strata_block_destroy(block);
        if (status)
            break;
    }
    if (status == STRATA_END) {
        check_totals(&c);
        status = check_code(&c, strata_reader_code(reader), err);
    }
    strata_cursor_release(&c.cursor);
    blockset_release(&c.seen);
    return status;
}
