/* Any bytes as the byte code of a warp: validation refuses them, or a cursor can walk them, and
 * what it delivers survives another trip through a builder.
 *
 * Input: a byte n, n bytes that choose static instructions, then a warp's bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

#include "trace/bytecode.h"
#include "trace/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct strata_code *make_code(const uint8_t *choice, size_t n)
{
    static const char *const opcodes[] = {"IADD3", "LDG.E", "STS.64",    "EXIT",
                                          "BRA",   "LDC",   "RED.E.ADD", "BAR.SYNC"};
    struct strata_code *code;
    if (strata_code_create(&code, NULL))
        abort();
    for (size_t i = 0; i < n; i++) {
        struct strata_inst inst = {
            .pc = i * 16, .opcode = opcodes[choice[i] % 8], .trace_width = choice[i] & 8};
        uint32_t index;
        strata_inst_decode_sass(&inst, inst.trace_width, choice[i] & 16);
        if (strata_code_add(code, &inst, &index, NULL) || index != i)
            abort();
    }
    return code;
}

static void same_winst(const struct strata_winst *a, const struct strata_winst *b)
{
    uint64_t x[STRATA_WARP_SIZE], y[STRATA_WARP_SIZE];
    strata_winst_addresses(a, x);
    strata_winst_addresses(b, y);
    if (a->inst_index != b->inst_index || a->mask != b->mask ||
        (!a->addr_kind) != (!b->addr_kind) || memcmp(x, y, sizeof x))
        abort();
}

/* Builds the warp anew from what the cursor delivers, and walks both side by side. */
static void rebuild(struct strata_code *code, const struct strata_block *block)
{
    struct strata_cursor old = {0}, new = {0};
    struct strata_winst a, b;
    struct strata_builder *builder;
    struct strata_block *again;
    uint64_t addr[STRATA_WARP_SIZE];
    uint32_t n = 0;
    if (strata_builder_create(code, &builder, NULL) ||
        strata_builder_begin_block(builder, 1, 1, NULL) ||
        strata_builder_begin_warp(builder, 0, NULL) || strata_cursor_init(&old, block, 0, NULL))
        abort();
    for (; strata_cursor_next(&old, &a); n++) {
        if (a.inst_index >= strata_code_count(code))
            abort();
        strata_winst_addresses(&a, addr);
        if (strata_builder_add(builder, a.inst_index, a.mask, a.addr_kind ? addr : NULL, NULL))
            abort();
    }
    if (n != block->warp_instructions[0] || strata_builder_end_block(builder, &again, NULL) ||
        strata_cursor_init(&old, block, 0, NULL) || strata_cursor_init(&new, again, 0, NULL))
        abort();
    struct block_check check = {0};
    if (block_validate(&check, again, NULL))
        abort();
    while (strata_cursor_next(&old, &a)) {
        if (!strata_cursor_next(&new, &b))
            abort();
        same_winst(&a, &b);
    }
    if (strata_cursor_next(&new, &b))
        abort();
    block_check_release(&check);
    strata_cursor_release(&old);
    strata_cursor_release(&new);
    strata_block_destroy(again);
    strata_builder_destroy(builder);
}

/* The number of instructions is part of the block, not of the bytes: try what the tokens say. */
static uint32_t count_instructions(const uint8_t *bytes, size_t n)
{
    struct warp_streams s;
    uint64_t sum = 0;
    if (!bytecode_streams(bytes, n, &s))
        return 0;
    for (uint32_t i = 0; i < s.n_tokens; i++) {
        unsigned token = s.tokens[i];
        if (token < TOKEN_LONG_RUN)
            sum += token + 1;
        else if (token < TOKEN_JUMP && i + 1 < s.n_tokens)
            sum += ((token & 63u) << 8 | s.tokens[++i]) + 129u;
        else if (token == TOKEN_JUMP)
            while (++i < s.n_tokens && s.tokens[i] & 128)
                ;
    }
    return sum < 1u << 20 ? (uint32_t)sum : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct block_check check = {0};
    if (size < 2 || size - 1 < data[0])
        return 0;
    size_t n_code = data[0], n = size - 1 - n_code;
    struct strata_code *code = make_code(data + 1, n_code);
    struct strata_block *block = block_allocate(0, 1, n);
    if (!block)
        abort();
    memcpy(block->bytes, data + 1 + n_code, n);
    block->code = code;
    block->warp_offset[0] = 0;
    block->warp_offset[1] = (uint32_t)n;
    block->warp_instructions[0] = count_instructions(block->bytes, n);
    if (!block_validate(&check, block, NULL))
        rebuild(code, block);
    block_check_release(&check);
    strata_block_destroy(block);
    strata_code_destroy(code);
    return 0;
}
