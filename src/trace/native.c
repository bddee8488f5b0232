/* native.c - the parts of the native container that reader and writer share. */
#include "trace/native.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "trace/bytecode.h"
#include "trace/code.h"

uint32_t native_crc(const uint8_t *bytes, size_t n)
{
    uLong crc = crc32(0, NULL, 0);
    for (; n > (1u << 30); bytes += 1u << 30, n -= 1u << 30) /* zlib's lengths have 32 bits */
        crc = crc32(crc, bytes, 1u << 30);
    return (uint32_t)crc32(crc, bytes, (uInt)n);
}

void native_record_encode(uint8_t out[NATIVE_RECORD_BYTES], uint32_t kind, uint32_t launch,
                          uint64_t n, uint32_t payload_crc)
{
    store_le(out, kind, 4);
    store_le(out + 4, launch, 4);
    store_le(out + 8, n, 8);
    store_le(out + 16, payload_crc, 4);
    store_le(out + 20, native_crc(out, 20), 4);
}

bool native_record_decode(const uint8_t in[NATIVE_RECORD_BYTES], struct native_record *record,
                          uint32_t *payload_crc)
{
    memset(record, 0, sizeof *record);
    record->kind = load_le32(in);
    record->launch = load_le32(in + 4);
    record->payload_bytes = load_le64(in + 8);
    *payload_crc = load_le32(in + 16);
    return native_crc(in, 20) == load_le32(in + 20);
}

/* ---- persisting lines ---- */

#define WINDOW_RESET 1u /* the flag of a launch before which persisting lines were reset */

static void pack_window(struct pack *b, const struct strata_launch *l)
{
    uint32_t ratio;
    memcpy(&ratio, &l->window.hit_ratio, sizeof ratio);
    const uint64_t numbers[] = {l->persisting_reset ? WINDOW_RESET : 0,
                                l->persisting_bytes,
                                l->window.base,
                                l->window.bytes,
                                ratio,
                                l->window.hit,
                                l->window.miss};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        pack_varint(b, numbers[i]);
}

/* Properties of a later version are taken for the first. */
static uint8_t property_of(uint64_t number)
{
    return number < STRATA_N_ACCESS_PROPERTIES ? (uint8_t)number : STRATA_ACCESS_NORMAL;
}

/* A ratio that is none makes the record fail. */
static void unpack_window(struct unpack *u, struct strata_launch *l)
{
    l->persisting_reset = unpack_varint(u) & WINDOW_RESET;
    l->persisting_bytes = unpack_varint(u);
    l->window.base = unpack_varint(u);
    l->window.bytes = unpack_varint(u);
    uint32_t ratio = unpack_u32(u);
    memcpy(&l->window.hit_ratio, &ratio, sizeof ratio);
    l->window.hit = property_of(unpack_varint(u));
    l->window.miss = property_of(unpack_varint(u));
    if (!(l->window.hit_ratio >= 0 && l->window.hit_ratio <= 1))
        u->failed = true;
}

void native_pack_launch(struct pack *b, const struct strata_launch *l)
{
    pack_string(b, l->program);
    pack_string(b, l->trace);
    pack_string(b, l->kernel);
    const uint64_t numbers[] = {l->id,
                                l->grid.x,
                                l->grid.y,
                                l->grid.z,
                                l->block.x,
                                l->block.y,
                                l->block.z,
                                l->registers_per_thread,
                                l->regs_source,
                                l->shared_static_bytes,
                                l->shared_dynamic_bytes,
                                l->sm_version,
                                l->isa,
                                l->stream,
                                l->shared_base,
                                l->local_base,
                                l->sampled_blocks,
                                l->code_arch,
                                (uint8_t)l->code_arch_suffix};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        pack_varint(b, numbers[i]);
    bool window = strata_launch_tells_of_persisting(l) || l->n_textures,
         cluster = (uint64_t)l->cluster.x * l->cluster.y * l->cluster.z > 1 || window;
    if (l->source_file || cluster) /* since minor version 1 */
        pack_string(b, l->source_file ? l->source_file : "");
    if (cluster) { /* since minor version 2 */
        pack_varint(b, l->cluster.x);
        pack_varint(b, l->cluster.y);
        pack_varint(b, l->cluster.z);
    }
    if (window) /* since minor version 5 */
        pack_window(b, l);
    if (l->n_textures) /* since minor version 6 */
        native_pack_textures(b, l);
}

void native_unpack_launch(struct unpack *u, struct strata_launch *l)
{
    memset(l, 0, sizeof *l);
    l->program = unpack_string(u);
    l->trace = unpack_string(u);
    l->kernel = unpack_string(u);
    l->id = unpack_varint(u);
    l->grid.x = unpack_u32(u);
    l->grid.y = unpack_u32(u);
    l->grid.z = unpack_u32(u);
    l->block.x = unpack_u32(u);
    l->block.y = unpack_u32(u);
    l->block.z = unpack_u32(u);
    l->registers_per_thread = unpack_u32(u);
    l->regs_source = unpack_u32(u);
    l->shared_static_bytes = unpack_u32(u);
    l->shared_dynamic_bytes = unpack_u32(u);
    l->sm_version = unpack_u32(u);
    l->isa = unpack_u32(u);
    l->stream = unpack_varint(u);
    l->shared_base = unpack_varint(u);
    l->local_base = unpack_varint(u);
    l->sampled_blocks = unpack_varint(u);
    if (u->at == u->end) /* version 1.0 */
        return;
    l->code_arch = unpack_u32(u);
    l->code_arch_suffix = (char)(unpack_varint(u) & 0x7f);
    if (u->at < u->end)
        l->source_file = unpack_string(u);
    if (l->source_file && !*l->source_file) {
        free((void *)(uintptr_t)l->source_file);
        l->source_file = NULL;
    }
    if (u->at == u->end)
        return;
    l->cluster.x = unpack_u32(u);
    l->cluster.y = unpack_u32(u);
    l->cluster.z = unpack_u32(u);
    if (u->at < u->end)
        unpack_window(u, l);
    if (u->at < u->end)
        native_unpack_textures(u, l);
}

void native_launch_release(struct strata_launch *l)
{
    free((void *)(uintptr_t)l->program);
    free((void *)(uintptr_t)l->trace);
    free((void *)(uintptr_t)l->kernel);
    free((void *)(uintptr_t)l->source_file);
    free((void *)(uintptr_t)l->textures);
    l->program = l->trace = l->kernel = l->source_file = NULL;
    l->textures = NULL;
}

static size_t text_number(struct native_texts *texts, const char *text)
{
    for (size_t i = texts->n; i-- > 0;)
        if (texts->text[i] == text) /* the table keeps one copy of each */
            return i;
    return texts->n;
}

static bool add_text(struct native_texts *texts, const char *text)
{
    if (!ARRAY_RESERVE(texts->text, texts->n, texts->cap, 1))
        return false;
    texts->text[texts->n++] = text;
    return true;
}

static bool number_text(struct native_texts *texts, const char *text)
{
    return !text || text_number(texts, text) < texts->n || add_text(texts, text);
}

bool native_number_texts(struct native_code_texts *texts, const struct strata_code *code,
                         uint32_t to)
{
    bool good = true;
    texts->opcode.n = texts->place.n = 0;
    for (uint32_t i = 0; good && i < to; i++) {
        const struct strata_inst *inst = strata_code_get(code, i);
        good =
            number_text(&texts->opcode, inst->opcode) && number_text(&texts->place, inst->inlined);
    }
    return good;
}

/* Control codes in three bytes, low bits first: known, stall (4 bits), yield, write barrier (3),
 * read barrier (3), waits (6), reuse (3). */
#define CONTROL_BYTES 3

static void pack_control(struct pack *rows, const struct strata_control *c)
{
    uint32_t v = 0;
    if (c->known)
        v = 1u | (c->stall & 15u) << 1 | (c->yield & 1u) << 5 | (c->write_barrier & 7u) << 6 |
            (c->read_barrier & 7u) << 9 | (c->wait_mask & 63u) << 12 | (c->reuse & 7u) << 18;
    const uint8_t bytes[CONTROL_BYTES] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16)};
    pack_bytes(rows, bytes, sizeof bytes);
}

static struct strata_control unpack_control(const uint8_t *bytes)
{
    uint32_t v = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    if (!(v & 1))
        return (struct strata_control){0};
    return (struct strata_control){.known = 1,
                                   .stall = v >> 1 & 15,
                                   .yield = v >> 5 & 1,
                                   .write_barrier = v >> 6 & 7,
                                   .read_barrier = v >> 9 & 7,
                                   .wait_mask = v >> 12 & 63,
                                   .reuse = v >> 18 & 7};
}

/* False, and nothing to write, if no instruction has control codes. */
static bool pack_controls(struct pack *rows, const struct strata_code *code, uint32_t from,
                          uint32_t to, const struct strata_control *control)
{
    bool any = false;
    for (uint32_t i = from; i < to; i++) {
        const struct strata_control *c =
            control ? &control[i - from] : &strata_code_get(code, i)->control;
        any |= c->known;
        pack_control(rows, c);
    }
    return any;
}

/* A text by its number, the first time with its words. */
static void pack_text(struct pack *rows, struct native_texts *texts, const char *text)
{
    size_t number = text_number(texts, text);
    pack_varint(rows, number);
    if (number < texts->n)
        return;
    pack_string(rows, text);
    rows->failed |= !add_text(texts, text);
}

/* Of each instruction 0, or 1 and the text of where inlined code stands. False, and nothing to
 * write, if no code was inlined. */
static bool pack_inlined(struct pack *rows, const struct strata_code *code, uint32_t from,
                         uint32_t to, struct native_texts *texts)
{
    bool any = false;
    for (uint32_t i = from; i < to; i++)
        any |= strata_code_get(code, i)->inlined != NULL;
    for (uint32_t i = from; any && i < to; i++) {
        const char *inlined = strata_code_get(code, i)->inlined;
        pack_varint(rows, inlined != NULL);
        if (inlined)
            pack_text(rows, texts, inlined);
    }
    return any;
}

void native_pack_code(struct pack *payload, ZSTD_CCtx *zstd, int level,
                      const struct strata_code *code, uint32_t from, uint32_t to,
                      const struct strata_control *control, struct native_code_texts *texts)
{
    struct pack rows = {0}, inlined = {0};
    uint64_t pc = 0;
    pack_varint(&rows, to - from);
    for (uint32_t i = from; i < to; i++) {
        const struct strata_inst *inst = strata_code_get(code, i);
        pack_text(&rows, &texts->opcode, inst->opcode);
        pack_signed(&rows, (int64_t)(inst->pc - pc));
        pc = inst->pc;
        pack_varint(&rows, inst->source_line);
        pack_signed(&rows, inst->imm);
        const uint8_t small[] = {inst->opclass,     inst->space, inst->memop, inst->width_bytes,
                                 inst->trace_width, inst->n_dst, inst->n_src};
        pack_varint(&rows, inst->hints);
        pack_bytes(&rows, small, sizeof small);
        for (unsigned r = 0; r < (unsigned)inst->n_dst + inst->n_src; r++)
            pack_varint(&rows, inst->reg[r]);
    }
    pack_column(payload, zstd, level, rows.p, rows.n);
    payload->failed |= rows.failed;
    rows.n = 0;
    bool any_inlined = pack_inlined(&inlined, code, from, to, &texts->place);
    /* a third column stands behind a second, whether that tells anything or not */
    if (pack_controls(&rows, code, from, to, control) || any_inlined)
        pack_column(payload, zstd, level, rows.p, rows.n);
    if (any_inlined)
        pack_column(payload, zstd, level, inlined.p, inlined.n);
    payload->failed |= rows.failed || inlined.failed;
    pack_release(&rows);
    pack_release(&inlined);
}

static bool unpack_text(struct unpack *u, struct native_texts *texts, const char **out)
{
    uint64_t number = unpack_varint(u);
    if (number == texts->n) {
        char *text = unpack_string(u);
        if (!text || !ARRAY_RESERVE(texts->text, texts->n, texts->cap, 1)) {
            free(text);
            return false;
        }
        texts->text[texts->n++] = text;
    }
    if (number >= texts->n)
        return false;
    *out = texts->text[number];
    return true;
}

static bool unpack_inst(struct unpack *u, struct native_texts *texts, uint64_t *pc,
                        struct strata_inst *inst)
{
    memset(inst, 0, sizeof *inst);
    if (!unpack_text(u, texts, &inst->opcode))
        return false;
    *pc += (uint64_t)unpack_signed(u);
    inst->pc = *pc;
    inst->source_line = unpack_u32(u);
    inst->imm = (int32_t)unpack_signed(u);
    inst->hints = (uint16_t)unpack_varint(u);
    const uint8_t *small = unpack_bytes(u, 7);
    if (!small || small[0] >= STRATA_N_OPCLASS || small[1] >= STRATA_N_SPACE ||
        small[2] >= STRATA_N_MEMOP || small[5] > STRATA_MAX_DST || small[6] > STRATA_MAX_SRC)
        return false;
    inst->opclass = small[0];
    inst->space = small[1];
    inst->memop = small[2];
    inst->width_bytes = small[3];
    inst->trace_width = small[4];
    inst->n_dst = small[5];
    inst->n_src = small[6];
    for (unsigned r = 0; r < (unsigned)inst->n_dst + inst->n_src; r++)
        inst->reg[r] = (uint16_t)unpack_varint(u);
    return !u->failed;
}

/* The second column, which version 1.0 and code without control codes do not have. */
static bool unpack_controls(struct unpack *payload, ZSTD_DCtx *zstd, uint64_t n, struct pack *out)
{
    if (payload->at == payload->end)
        return true;
    unpack_column(payload, zstd, out);
    return !payload->failed && out->n == n * CONTROL_BYTES;
}

/* The third column: places of inlined code, which versions before 1.4 do not have. */
static bool unpack_inlined(struct unpack *u, struct native_texts *texts, const char **out)
{
    uint64_t is_inlined = unpack_varint(u);
    return !u->failed && is_inlined <= 1 && (!is_inlined || unpack_text(u, texts, out));
}

bool native_unpack_code(struct unpack *payload, ZSTD_DCtx *zstd, struct strata_code *code,
                        struct native_code_texts *texts)
{
    struct pack rows = {0}, controls = {0}, inlined = {0};
    unpack_column(payload, zstd, &rows);
    struct unpack u = unpack_from(&rows, payload->failed);
    uint64_t n = unpack_varint(&u), pc = 0;
    bool good = !u.failed && unpack_controls(payload, zstd, n, &controls);
    if (good && payload->at < payload->end)
        unpack_column(payload, zstd, &inlined);
    struct unpack places = unpack_from(&inlined, payload->failed);
    for (uint64_t i = 0; good && i < n; i++) {
        struct strata_inst inst;
        uint32_t index, expected = strata_code_count(code);
        good = unpack_inst(&u, &texts->opcode, &pc, &inst);
        if (good && controls.n)
            inst.control = unpack_control(controls.p + i * CONTROL_BYTES);
        if (good && inlined.n)
            good = unpack_inlined(&places, &texts->place, &inst.inlined);
        good = good && !strata_code_add(code, &inst, &index, NULL) &&
               index == expected; /* a repeated instruction would shift all indices */
    }
    good = good && u.at == u.end && !places.failed && places.at == places.end;
    pack_release(&controls);
    pack_release(&inlined);
    pack_release(&rows);
    return good;
}

void native_code_texts_release(struct native_code_texts *texts)
{
    struct native_texts *both[] = {&texts->opcode, &texts->place};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k]->n; i++)
            free((void *)(uintptr_t)both[k]->text[i]);
        free(both[k]->text);
        *both[k] = (struct native_texts){0};
    }
}

static bool bases_reserve(struct native_bases *bases, uint32_t n)
{
    return ARRAY_RESERVE(bases->before, 0, bases->cap, n);
}

/* The k-th first base of a warp mostly differs from that of a warp before by as much as the base
 * ahead of it did: arrays are indexed by the same thread number. Warps with fewer bases leave the
 * memory of the others alone. */
void native_pack_bases(struct pack *column, struct native_bases *bases, const uint8_t *first,
                       uint32_t n)
{
    uint64_t last_step = 0, last_base = 0;
    if (n > bases->n && !bases_reserve(bases, n)) {
        column->failed = true;
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint64_t base = load_le64(first + (size_t)k * 8);
        uint64_t step = base - (k < bases->n ? bases->before[k] : last_base);
        pack_signed(column, (int64_t)(step - last_step));
        last_step = step;
        last_base = bases->before[k] = base;
    }
    if (n > bases->n)
        bases->n = n;
}

void native_unpack_bases(struct unpack *column, struct native_bases *bases, uint8_t *first,
                         uint32_t n)
{
    uint64_t last_step = 0, last_base = 0;
    if (n > bases->n && !bases_reserve(bases, n)) {
        column->failed = true;
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        last_step += (uint64_t)unpack_signed(column);
        last_base = last_step + (k < bases->n ? bases->before[k] : last_base);
        bases->before[k] = last_base;
        store_le(first + (size_t)k * 8, last_base, 8);
    }
    if (n > bases->n)
        bases->n = n;
}

void native_pack_record(struct pack *b, const struct native_record *r)
{
    pack_varint(b, r->kind);
    pack_varint(b, r->launch);
    pack_varint(b, r->offset);
    pack_varint(b, r->payload_bytes);
    if (r->kind != NATIVE_BLOCKS && !native_is_end(r->kind))
        return;
    pack_varint(b, r->n_blocks);
    pack_varint(b, r->min_block);
    pack_varint(b, r->max_block);
    pack_varint(b, r->n_instructions);
}

void native_pack_index(struct pack *out, ZSTD_CCtx *zstd, int level,
                       const struct native_record *record, size_t n, uint32_t launches,
                       uint64_t offset)
{
    struct pack rows = {0}, payload = {0};
    uint8_t header[NATIVE_RECORD_BYTES], tail[NATIVE_TAIL_BYTES] = {0};
    pack_varint(&rows, n);
    for (size_t i = 0; i < n; i++)
        native_pack_record(&rows, &record[i]);
    pack_column(&payload, zstd, level, rows.p, rows.n);
    native_record_encode(header, NATIVE_INDEX, launches, payload.n,
                         native_crc(payload.p, payload.n));
    pack_bytes(out, header, sizeof header);
    pack_bytes(out, payload.p, payload.n);
    store_le(tail, offset, 8);
    store_le(tail + 8, native_crc(tail, 8), 4);
    memcpy(tail + 16, NATIVE_TAIL_MAGIC, 8);
    pack_bytes(out, tail, sizeof tail);
    out->failed |= rows.failed || payload.failed;
    pack_release(&rows);
    pack_release(&payload);
}

void native_unpack_record(struct unpack *u, struct native_record *r)
{
    memset(r, 0, sizeof *r);
    r->kind = unpack_u32(u);
    r->launch = unpack_u32(u);
    r->offset = unpack_varint(u);
    r->payload_bytes = unpack_varint(u);
    if (r->kind != NATIVE_BLOCKS && !native_is_end(r->kind))
        return;
    r->n_blocks = unpack_varint(u);
    r->min_block = unpack_varint(u);
    r->max_block = unpack_varint(u);
    r->n_instructions = unpack_varint(u);
}
