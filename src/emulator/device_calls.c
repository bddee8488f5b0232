/* device_calls.c - stand-ins for the instructions of printf, malloc and free.
 *
 * All numbers are from device/probe/devicecalls_probe.cu (results/h200-devicecalls.csv: an H200
 * with the driver of CUDA 13) and, where that is said, printing_probe.cu
 * (results/h200-printing.csv), under the profiler. */
#include "emulator/device_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/record.h"

/* ---- the code ---- */

enum access {
    LOAD_TEXT, /* a byte of a format or a string */
    LOAD_LOCAL,
    STORE_LOCAL,
    STORE_PACKET,    /* 8 bytes of what is printed, into memory of the host */
    ATOMIC_HOST,     /* on the word there that tells how much is printed: takes a place */
    ATOMIC_HOST_END, /* and tells that it is filled */
    LOAD_HOST,
    STORE_HEAP,
    LOAD_HEAP, /* around the L1 */
    ATOMIC,
    ATOMIC_END, /* the same at the end of the call */
    N_ACCESSES
};

static const struct access_row {
    const char *sass, *ptx;
    uint8_t space, memop, width;
    uint16_t hints;
} accesses[N_ACCESSES] = {
    [LOAD_TEXT] = {"LDG.E.U8", "ld.global.u8", STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 1, 0},
    [LOAD_LOCAL] = {"LDL", "ld.local.u32", STRATA_SPACE_LOCAL, STRATA_MEM_LOAD, 4, 0},
    [STORE_LOCAL] = {"STL", "st.local.u32", STRATA_SPACE_LOCAL, STRATA_MEM_STORE, 4, 0},
    [STORE_PACKET] = {"STG.E.64", "st.global.u64", STRATA_SPACE_GLOBAL, STRATA_MEM_STORE, 8,
                      STRATA_HINT_HOST},
    [ATOMIC_HOST] = {"ATOMG.E.ADD.STRONG.GPU", "atom.global.add.u32", STRATA_SPACE_GLOBAL,
                     STRATA_MEM_ATOMIC, 4, STRATA_HINT_HOST},
    [ATOMIC_HOST_END] = {"ATOMG.E.ADD.STRONG.GPU", "atom.global.add.u32", STRATA_SPACE_GLOBAL,
                         STRATA_MEM_ATOMIC, 4, STRATA_HINT_HOST},
    [LOAD_HOST] = {"LDG.E.64.STRONG.SYS", "ld.relaxed.sys.global.u64", STRATA_SPACE_GLOBAL,
                   STRATA_MEM_LOAD, 8, STRATA_HINT_VOLATILE | STRATA_HINT_HOST},
    [STORE_HEAP] = {"STG.E.64", "st.global.u64", STRATA_SPACE_GLOBAL, STRATA_MEM_STORE, 8, 0},
    [LOAD_HEAP] = {"LDG.E.64.STRONG.GPU", "ld.relaxed.gpu.global.u64", STRATA_SPACE_GLOBAL,
                   STRATA_MEM_LOAD, 8, STRATA_HINT_BYPASS_L1},
    [ATOMIC] = {"ATOMG.E.ADD.STRONG.GPU", "atom.global.add.u32", STRATA_SPACE_GLOBAL,
                STRATA_MEM_ATOMIC, 4, 0},
    [ATOMIC_END] = {"ATOMG.E.ADD.STRONG.GPU", "atom.global.add.u32", STRATA_SPACE_GLOBAL,
                    STRATA_MEM_ATOMIC, 4, 0},
};

/* A first call takes about 10000 cycles more than the next: code that comes piece by piece. DRAM
 * gives 640 sectors more than without a call, 776 to 824 where there are arguments, 896 with
 * strings among them (an instruction has 16 bytes). */
enum { PIECES = 2, PIECE = 582, WITH_ARGUMENTS = 264, WITH_STRINGS = 200 };
/* malloc and free run through 174 and 140 lines of code, half of each. */
enum { LINE = 8, HEAP_RUN = 4 };
#define ARITHMETIC   (PIECES * PIECE + WITH_ARGUMENTS + WITH_STRINGS)
#define BEHIND_BYTES 65536 /* the kernel's code: a launch does not bring it in by itself */
/* From one instruction that computes to the next: 43600 cycles for a further printf of a warp
 * (printing_probe.cu, times=8), of which its accesses to the host take 7000. */
#define STALL_CYCLES(k) (2 + ((k) % 3 > 0))
#define BARRIER         0 /* loads and atomics hold it, everything else waits for it */

static bool add(struct emu_image *image, struct strata_inst *s, bool owned)
{
    if (owned)
        s->opcode = strdup(s->opcode);
    if (!s->opcode || !ARRAY_RESERVE(image->statics, image->n_statics, image->cap_statics, 1)) {
        if (owned)
            free((void *)(uintptr_t)s->opcode);
        return false;
    }
    image->statics[image->n_statics++] = *s;
    s->pc += 16;
    return true;
}

static struct strata_inst access_inst(const struct access_row *row, bool ptx, uint64_t pc)
{
    bool answers = row->memop != STRATA_MEM_STORE;
    return (struct strata_inst){.pc = pc,
                                .opcode = ptx ? row->ptx : row->sass,
                                .opclass = STRATA_OP_MEM,
                                .space = row->space,
                                .memop = row->memop,
                                .width_bytes = row->width,
                                .trace_width = row->width,
                                .hints = row->hints,
                                .control = {.known = 1,
                                            .stall = 2,
                                            .write_barrier = answers ? BARRIER : STRATA_NO_BARRIER,
                                            .read_barrier = STRATA_NO_BARRIER,
                                            .wait_mask = 1 << BARRIER}};
}

bool emu_calls_describe(struct emu_image *image, enum strata_isa isa)
{
    uint64_t end = 0;
    bool ptx = isa == STRATA_ISA_PTX, ok = true;
    for (size_t i = 0; i < image->n_statics; i++)
        end = image->statics[i].pc > end ? image->statics[i].pc : end;
    image->calls = (uint32_t)image->n_statics;
    struct strata_inst s = {.pc = round_up(end, 128) + BEHIND_BYTES};
    for (unsigned k = 0; ok && k < N_ACCESSES; k++) {
        s = access_inst(&accesses[k], ptx, s.pc);
        ok = add(image, &s, !ptx);
    }
    for (unsigned k = 0; ok && k < ARITHMETIC; k++) {
        s = (struct strata_inst){.pc = s.pc,
                                 .opcode = ptx ? "add.s32" : "IADD3",
                                 .opclass = STRATA_OP_INT,
                                 .control = {.known = 1,
                                             .stall = STALL_CYCLES(k),
                                             .write_barrier = STRATA_NO_BARRIER,
                                             .read_barrier = STRATA_NO_BARRIER,
                                             .wait_mask = 1 << BARRIER}};
        ok = add(image, &s, !ptx);
    }
    return ok;
}

/* ---- one call ---- */

struct device_call {
    struct emu_warp *w;
    const struct emu_site *site;
    uint32_t mask;
    uint32_t instructions, count[N_ACCESSES];
    uint64_t text, packet, state;
    bool in_parts;  /* accesses of a kind have their part of it: printf */
    uint32_t words; /* of local memory that were written */
    uint32_t code;  /* instructions that compute, run one after the other and again; 0: as malloc
                       and free, HEAP_RUN of every line */
};

/* Where no program's memory lies. The card's buffer of printf has 1 MiB unless a program asks for
 * more; a lane's packet has up to 222 stores. */
#define PRINT_BASE    ((uint64_t)1 << 46)
#define HEAP_BASE     (PRINT_BASE + ((uint64_t)1 << 40))
#define PACKET_BYTES  2048
#define PRINT_PACKETS 512
#define HEAP_WORDS    8

/* The n-th access of a kind: all lanes at their own place, or one lane for all. */
static void place_access(struct device_call *c, enum access kind, uint32_t n, uint32_t *mask)
{
    struct emu_access *a = &c->w->access;
    a->affine = true;
    a->stride = 0;
    switch (kind) {
    case LOAD_TEXT:
        a->base = c->text + n / 3; /* each byte is looked at three times */
        break;
    case STORE_PACKET:
        a->base = c->packet + (uint64_t)n * 8;
        a->stride = PACKET_BYTES;
        break;
    case ATOMIC_HOST:
    case ATOMIC_HOST_END:
    case LOAD_HOST:
        a->base = PRINT_BASE - 64;
        *mask &= 0u - *mask;
        break;
    case STORE_HEAP:
        a->base = HEAP_BASE + PACKET_BYTES + (uint64_t)n * 8;
        a->stride = PACKET_BYTES;
        break;
    case STORE_LOCAL:
        a->base = (uint64_t)n * 4;
        c->words = n + 1;
        break;
    case LOAD_LOCAL: /* what was written: none of it comes from the L2 (printing_probe.cu) */
        a->base = c->words ? n % c->words * 4 : 0;
        break;
    case LOAD_HEAP:
        a->base = c->state + n % HEAP_WORDS * 64;
        *mask &= 0u - *mask;
        break;
    default:
        a->base = HEAP_BASE + n % HEAP_WORDS * 64;
        *mask &= 0u - *mask;
    }
}

static void record_access(struct device_call *c, enum access kind, uint32_t n)
{
    uint32_t mask = c->mask;
    place_access(c, kind, n, &mask);
    emu_record_static(c->w, c->site, c->w->block->run->image->calls + (uint32_t)kind, mask, true);
}

/* Where the n-th instruction that computes stands in the code. */
static uint32_t place_in_code(const struct device_call *c, uint32_t n)
{
    if (c->code)
        return n % c->code;
    return (n / HEAP_RUN * LINE + n % HEAP_RUN) % ARITHMETIC;
}

/* Pieces come from the last to the first: none of them is fetched ahead of its turn. */
static void record_arithmetic(struct device_call *c, uint32_t n)
{
    uint32_t at = place_in_code(c, n);
    if (at < PIECES * PIECE)
        at = (PIECES - 1 - at / PIECE) * PIECE + at % PIECE;
    emu_record_static(c->w, c->site, c->w->block->run->image->calls + N_ACCESSES + at, c->mask,
                      false);
}

#define FEW_WARPS 8 /* up to so many meet in other ways than many do */
static uint64_t nth_warp(const struct emu_warp *w)
{
    return w->block->index * w->block->run->n_warps + w->index;
}

static uint64_t all_warps(const struct emu_warp *w)
{
    return w->block->run->n_blocks * w->block->run->n_warps;
}

/* The part of a call that a kind of access is spread over, in twelfths. What is printed is stored
 * last: warps whose lanes all print follow one another by the time of their stores, besides 38000
 * cycles that they share (printing_probe.cu: 2, 4, 8 and 16 of them take 73800, 110000, 185000 and
 * 329000). The text is read and the word looked at before the warp waits for its turn to add to the
 * word of the host: 64 blocks that begin together ask the L2 for both 38 times besides the read of
 * the host that each makes, which is no more than their GPCs do at once. */
static const struct part {
    uint8_t from, to;
} parts[N_ACCESSES] = {
    [LOAD_TEXT] = {0, 3},     [ATOMIC] = {0, 2},
    [LOAD_HEAP] = {2, 2},     [ATOMIC_HOST] = {3, 4},
    [STORE_PACKET] = {8, 12}, [LOAD_HOST] = {9, 11},
    [ATOMIC_END] = {10, 11},  [ATOMIC_HOST_END] = {11, 12},
};
#define TWELFTHS 12

struct span {
    uint32_t from, to, due, done;
};

/* Warps that begin together do not look at the word together, but for the first two: besides the
 * read of the host that each makes and their text 2, 4, 8, 16, 32 and 64 blocks read it 1, 3, 5 to
 * 7, 10 to 14, 15 to 19 and 22 times, 4 and 8 warps of a block 3 and 7 times. */
#define LOOKS_APART 60 /* instructions, longer than an answer of the L2 takes */
static uint32_t looks_later(const struct emu_warp *w)
{
    uint64_t nth = nth_warp(w);
    return nth > 1 && all_warps(w) <= FEW_WARPS ? (uint32_t)nth * LOOKS_APART : 0;
}

static void begin_spans(const struct device_call *c, struct span span[N_ACCESSES])
{
    for (unsigned k = 0; k < N_ACCESSES; k++) {
        struct part part = c->in_parts && parts[k].to ? parts[k] : (struct part){0, TWELFTHS};
        uint32_t from = c->instructions * part.from / TWELFTHS,
                 to = c->instructions * part.to / TWELFTHS;
        if (k == LOAD_HEAP && c->in_parts)
            from = (to += looks_later(c->w)) - 1;
        span[k] = (struct span){from, to, (to - from) / (k == STORE_LOCAL ? 1 : 2), 0};
    }
}

/* The kind of access that is the i-th instruction; N_ACCESSES: none. */
static unsigned next_access(const struct device_call *c, struct span span[N_ACCESSES], uint32_t i)
{
    unsigned kind = N_ACCESSES;
    for (unsigned k = N_ACCESSES; k-- > 0;) {
        struct span *s = &span[k];
        s->due += i >= s->from && i < s->to ? c->count[k] : 0;
        if (s->due >= s->to - s->from)
            kind = k;
    }
    if (kind < N_ACCESSES)
        span[kind].due -= span[kind].to - span[kind].from;
    return kind;
}

/* Accesses are spread evenly, from a store to local memory on. */
static void record_all(struct device_call *c)
{
    struct span span[N_ACCESSES];
    uint32_t computed = 0;
    begin_spans(c, span);
    for (uint32_t i = 0; i < c->instructions && !c->w->block->failed; i++) {
        unsigned kind = next_access(c, span, i);
        if (kind == N_ACCESSES)
            record_arithmetic(c, computed++);
        else
            record_access(c, (enum access)kind, span[kind].done++);
    }
}

static void count_and_record(struct device_call *c)
{
    struct emu_block *block = c->w->block;
    block->instructions += c->instructions;
    block->thread_instructions += (uint64_t)c->instructions * emu_lane_count(c->mask);
    for (unsigned k = 0; k < N_ACCESSES; k++)
        block->memory_instructions += c->count[k];
    if (block->watched && block->run->image->calls)
        record_all(c);
}

static uint32_t at_least_0(uint32_t from, uint32_t take)
{
    return from > take ? from - take : 0;
}

/* A warp that prints while no other does makes an addition more. printing_probe.cu and
 * devicecalls_probe.cu: 5 for each call of one warp; of warps that begin together 4 each and 1 or
 * 2, 1 to 3, 3 to 6 and 1 more for 2, 4, 8 and 16 to 4,224 of them, in one block or in many. */
static void count_additions(struct device_call *c)
{
    uint64_t nth = nth_warp(c->w);
    bool more = nth % 2 == 0 && all_warps(c->w) <= FEW_WARPS;
    c->count[ATOMIC] = 2;
    c->count[ATOMIC_END] = !nth;
    c->count[ATOMIC_HOST] = 1;
    c->count[ATOMIC_HOST_END] = 1 + (nth && more);
}

#define PRINT_SLOTS 32 /* for arguments: those that are not used are filled */

void emu_call_print(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                    const struct emu_printed *p)
{
    uint32_t arguments = p->arguments < PRINT_SLOTS ? p->arguments : PRINT_SLOTS;
    uint32_t text = p->characters + p->strings + p->string_characters;
    uint64_t thread = w->block->index * w->block->run->threads_per_block + w->index * EMU_LANES;
    struct device_call c = {.w = w,
                            .site = site,
                            .mask = mask,
                            .text = p->format,
                            .state = HEAP_BASE,
                            .in_parts = true};
    c.packet = PRINT_BASE + (thread + w->calls++) % PRINT_PACKETS * PACKET_BYTES;
    c.instructions = 4559 + 16 * p->characters + 70 * (PRINT_SLOTS - arguments) + 92 * p->strings +
                     40 * p->string_characters + 15 * (emu_lane_count(mask) - 1);
    c.count[LOAD_TEXT] = 3 + 3 * text;
    /* printing_probe.cu: two sectors of the L2 besides the text, of which one never hits and the
     * other does: additions were made to it before. */
    c.count[LOAD_HEAP] = c.count[LOAD_HOST] = 1;
    c.count[LOAD_LOCAL] = at_least_0(477, 2 * text + 6 * arguments);
    /* The sectors of one lane that come to the L2: 279 with those of the packet without arguments,
     * 285 with 1, 4 and 8 of them. */
    c.count[STORE_LOCAL] = 57 + 7 * arguments + (arguments ? 6 : 0);
    c.count[STORE_PACKET] = 222 - 7 * arguments;
    /* Warps that print follow one another as two additions to one word of the host do: eight take
     * 81600 cycles, 16 92300, 32 158000, 64 290000. */
    count_additions(&c);
    c.code = PIECES * PIECE + (arguments ? WITH_ARGUMENTS : 0) + (p->strings ? WITH_STRINGS : 0);
    count_and_record(&c);
}

/* Lanes that take from the heap at once get into each other's way. */
void emu_call_malloc(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    uint32_t others = emu_lane_count(mask) - 1;
    struct device_call c = {.w = w,
                            .site = site,
                            .mask = mask,
                            .state = HEAP_BASE,
                            .instructions = 736 + 75 * others + 4 * others * others,
                            .count = {[LOAD_LOCAL] = 69,
                                      [STORE_LOCAL] = 75,
                                      [STORE_HEAP] = 6,
                                      [LOAD_HEAP] = 24 + 5 * others,
                                      [ATOMIC] = 8 + 4 * others}};
    count_and_record(&c);
}

void emu_call_free(struct emu_warp *w, const struct emu_site *site, uint32_t mask)
{
    uint32_t others = emu_lane_count(mask) - 1;
    struct device_call c = {.w = w,
                            .site = site,
                            .mask = mask,
                            .state = HEAP_BASE,
                            .instructions = 551 + 12 * others,
                            .count = {[LOAD_LOCAL] = 45,
                                      [STORE_LOCAL] = 44,
                                      [LOAD_HEAP] = 24 + others,
                                      [ATOMIC] = 8 + others}};
    count_and_record(&c);
}
