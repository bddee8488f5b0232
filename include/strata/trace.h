/* strata/trace.h - the record model and the readers of GPU warp traces.
 *
 * A trace is a list of events: memory copies and kernel launches. A launch has
 * a table of static instructions ("code") and a sequence of thread blocks; a
 * block has warps; a warp is a sequence of executed warp instructions, which is
 * read through a cursor. In memory a block is kept in a compact byte code (the
 * one the native file format stores, see docs/format-strata.md), so that
 * thousands of resident blocks stay cheap; a cursor decodes one warp
 * instruction at a time.
 *
 * Threads: one reader belongs to one thread; different readers of the same
 * trace may be used from different threads. A block may be handed to another
 * thread; its reader must outlive it (the block refers to the reader's code). */
#ifndef STRATA_TRACE_H
#define STRATA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#define STRATA_WARP_SIZE 32
#define STRATA_MAX_DST   8
#define STRATA_MAX_SRC   24

/* What kind of unit executes an instruction; decides latency and pipe. */
enum strata_opclass {
    STRATA_OP_OTHER = 0, /* unknown opcode: treated as integer arithmetic, counted as a warning */
    STRATA_OP_INT,       /* IADD3, LOP3, ISETP, MOV, SHF, ... */
    STRATA_OP_FP32,      /* FADD, FMUL, FFMA, ... */
    STRATA_OP_IMAD,      /* integer multiply-add (its own pipe on some GPUs) */
    STRATA_OP_FP64,
    STRATA_OP_FP16,    /* HADD2, HFMA2 ... */
    STRATA_OP_SFU,     /* MUFU and conversions that run there */
    STRATA_OP_CONV,    /* F2I, I2F, F2F ... */
    STRATA_OP_TENSOR,  /* HMMA, IMMA, DMMA */
    STRATA_OP_UNIFORM, /* uniform datapath: UIADD3, ULDC, R2UR ... */
    STRATA_OP_BRANCH,  /* BRA, BSSY, BSYNC, CALL, RET, ... */
    STRATA_OP_EXIT,
    STRATA_OP_BARRIER, /* BAR.SYNC and kin: block-wide barrier */
    STRATA_OP_MEMBAR,
    STRATA_OP_SREG,         /* S2R, CS2R: special register read */
    STRATA_OP_SHUFFLE,      /* SHFL, and other crossbar users that touch no memory */
    STRATA_OP_VOTE,         /* VOTE, MATCH, REDUX */
    STRATA_OP_MEM,          /* anything with a memory operation; see space and memop */
    STRATA_OP_CONST,        /* LDC: constant load (address not recorded) */
    STRATA_OP_ASYNC_COMMIT, /* LDGDEPBAR, cp.async.commit_group */
    STRATA_OP_ASYNC_WAIT,   /* DEPBAR.LE SB0, n; cp.async.wait_group n: imm = groups allowed pending
                             */
    STRATA_OP_NOP,
    /* Asynchronous work of Hopper; what each records is told at the structs below. */
    STRATA_OP_MBARRIER,     /* operations on barriers in shared memory: imm is strata_barrier_op */
    STRATA_OP_BULK,         /* bulk and tensor copies: struct strata_bulk */
    STRATA_OP_BULK_COMMIT,  /* closes a group of bulk stores */
    STRATA_OP_BULK_WAIT,    /* until at most imm groups are pending; see STRATA_BULK_WAIT_READ */
    STRATA_OP_WGMMA,        /* warpgroup multiply: imm is packed, see strata_wgmma_shape */
    STRATA_OP_WGMMA_COMMIT, /* closes a group of them */
    STRATA_OP_WGMMA_WAIT,   /* until at most imm groups are pending */
    STRATA_OP_CLUSTER_ARRIVE, /* barrier of a cluster */
    STRATA_OP_CLUSTER_WAIT,
    STRATA_N_OPCLASS
};

enum strata_space {
    STRATA_SPACE_NONE = 0,
    STRATA_SPACE_GLOBAL,
    STRATA_SPACE_LOCAL,
    STRATA_SPACE_SHARED,
    STRATA_SPACE_CONST,
    STRATA_SPACE_TEXTURE,
    STRATA_N_SPACE
};

enum strata_memop {
    STRATA_MEM_NONE = 0,
    STRATA_MEM_LOAD,
    STRATA_MEM_STORE,
    STRATA_MEM_ATOMIC,     /* returns a value */
    STRATA_MEM_REDUCTION,  /* returns nothing */
    STRATA_MEM_ASYNC_COPY, /* global to shared (LDGSTS, cp.async); the address is the global one */
    STRATA_MEM_PREFETCH,
    STRATA_N_MEMOP
};

/* Cache hints: bits of strata_inst.hints. */
enum strata_hint {
    STRATA_HINT_BYPASS_L1 = 1u << 0,     /* ld.cg, LDGSTS.BYPASS, .STRONG.GPU loads */
    STRATA_HINT_EVICT_FIRST = 1u << 1,   /* .EF, ld.cs */
    STRATA_HINT_EVICT_LAST = 1u << 2,    /* .EL */
    STRATA_HINT_NO_ALLOCATE = 1u << 3,   /* .NA, L1::no_allocate */
    STRATA_HINT_READ_ONLY = 1u << 4,     /* .CONSTANT, ld.global.nc */
    STRATA_HINT_VOLATILE = 1u << 5,      /* volatile or .STRONG.SYS */
    STRATA_HINT_PREFETCH_64B = 1u << 6,  /* LTC64B */
    STRATA_HINT_PREFETCH_128B = 1u << 7, /* LTC128B */
    STRATA_HINT_PREFETCH_256B = 1u << 8, /* LTC256B */
    STRATA_HINT_WRITE_THROUGH = 1u << 9,
    STRATA_HINT_GENERIC = 1u << 10, /* was a generic LD/ST; space is the resolved one */
    STRATA_HINT_MIXED_X = 1u << 11, /* of a texture: a lane got a mix of texels along x, */
    STRATA_HINT_MIXED_Y = 1u << 12, /* y, */
    STRATA_HINT_MIXED_Z = 1u << 13, /* z */
    STRATA_HINT_HOST = 1u << 14,    /* what it reads, stores to or adds to is memory of the host */
    STRATA_HINT_AWAITS = 1u << 15,  /* a swap of a loop that waits: all that failed are there too */
};

#define STRATA_MIXED_SHIFT 11
#define STRATA_HINT_MIXED  (STRATA_HINT_MIXED_X | STRATA_HINT_MIXED_Y | STRATA_HINT_MIXED_Z)

/* What the assembler of machine code wrote beside an instruction for the scheduler. */
#define STRATA_NO_BARRIER 7
struct strata_control {
    uint8_t known;         /* 0: the trace does not tell, and all the rest is 0 */
    uint8_t stall;         /* cycles before the warp's next instruction may issue, 0..15 */
    uint8_t yield;         /* 1: the scheduler may prefer another warp */
    uint8_t write_barrier; /* freed when results are written, 0..5, or STRATA_NO_BARRIER */
    uint8_t read_barrier;  /* freed when operands are read, 0..5, or STRATA_NO_BARRIER */
    uint8_t wait_mask;     /* bit i: waits for barrier i before it issues, i = 0..5 */
    uint8_t reuse;         /* bits 0..2: operands a, b, c stay in the operand cache */
};

/* One static instruction. Registers: dst are reg[0..n_dst-1], src are
 * reg[n_dst..n_dst+n_src-1]. For SASS a register stands for its whole aligned
 * group (R4 of a 128-bit load is R4..R7); 255 is the zero register. */
/* What an atomic does with its words, as far as it takes the hardware other times. */
enum strata_atomic {
    STRATA_ATOMIC_OTHER = 0, /* integers, exchanges */
    STRATA_ATOMIC_FLOAT,     /* adds numbers of 2 or 4 bytes */
    STRATA_ATOMIC_DOUBLE,    /* adds numbers of 8 bytes */
    STRATA_ATOMIC_COMPARE    /* compares and swaps */
};

struct strata_inst {
    uint64_t pc;
    const char *opcode;   /* full text with modifiers, owned by the code table */
    uint32_t source_line; /* 0 = unknown */
    int32_t imm;          /* a number of its own: groups to wait for, nanoseconds to sleep, ... */
    uint16_t hints;       /* enum strata_hint */
    uint8_t opclass;      /* enum strata_opclass */
    uint8_t space;        /* enum strata_space */
    uint8_t memop;        /* enum strata_memop */
    uint8_t width_bytes;  /* bytes per lane, 0 if no memory operation */
    uint8_t trace_width;  /* the width column as the trace gave it, kept for round trips */
    uint8_t n_dst, n_src;
    uint8_t atomic; /* enum strata_atomic; the code table sets it from the opcode */
    struct strata_control control;
    uint16_t reg[STRATA_MAX_DST + STRATA_MAX_SRC];
    /* Where code that was inlined at source_line stands, "path:line", the outermost of its places
     * first, STRATA_INLINED_ARROW between them; NULL: it is the line's own. The table owns it. */
    const char *inlined;
};
/* As long as a warp can sleep at once. PTX ISA, nanosleep. */
#define STRATA_SLEEP_MOST_NS 1000000
#define STRATA_INLINED_ARROW " > "
/* The place at *at, and *at behind it; false: there is none left. Begin with *at = inst->inlined.
 */
struct strata_inlined {
    const char *place, *name; /* "x/bins.h:9", "bins.h:9"; neither ends with a 0 */
    size_t place_length, name_length;
};
bool strata_inlined_next(const char **at, struct strata_inlined *out);

/* The static instructions of one launch; grows while a text trace is read.
 * Pointers and indices stay valid for the life of the table. */
struct strata_code;
uint32_t strata_code_count(const struct strata_code *code);
const struct strata_inst *strata_code_get(const struct strata_code *code, uint32_t index);

enum strata_addr_kind { STRATA_ADDR_NONE = 0, STRATA_ADDR_STRIDE, STRATA_ADDR_LIST };

/* One executed warp instruction as a cursor delivers it. */
struct strata_winst {
    const struct strata_inst *inst;
    uint32_t inst_index;
    uint32_t mask;      /* lanes that executed it (active and predicate true) */
    uint32_t addr_kind; /* enum strata_addr_kind */
    int32_t stride;     /* STRIDE: lane l has base + (l - first active lane) * stride */
    uint64_t base;
    const uint64_t *addr; /* LIST: 32 entries indexed by lane, 0 where inactive; borrowed from the
                             cursor until its next step */
};

/* Address of every active lane; inactive lanes get 0. */
void strata_winst_addresses(const struct strata_winst *w, uint64_t out[STRATA_WARP_SIZE]);

/* ---- asynchronous work of Hopper ----
 *
 * Its instructions record words in place of addresses: the active lanes of the record count the
 * words, not threads. */

/* Shared addresses of other blocks of a cluster: (rank + 1) << STRATA_RANK_SHIFT | offset. */
#define STRATA_RANK_SHIFT 24
#define STRATA_NO_SHARED  UINT32_MAX

enum strata_barrier_op {
    STRATA_BARRIER_INIT = 0, /* value: arrivals of a phase */
    STRATA_BARRIER_INVAL,
    STRATA_BARRIER_ARRIVE,        /* value: arrivals */
    STRATA_BARRIER_ARRIVE_DROP,   /* the same, and as many fewer from the next phase on */
    STRATA_BARRIER_EXPECT,        /* value: bytes */
    STRATA_BARRIER_ARRIVE_EXPECT, /* one arrival; value: bytes */
    STRATA_BARRIER_COMPLETE,      /* value: bytes */
    STRATA_BARRIER_ARRIVE_COPIES, /* arrives when the thread's asynchronous copies so far are there
                                   */
    STRATA_BARRIER_TEST,          /* asks and goes on */
    STRATA_BARRIER_WAIT,          /* the one of a row of try_wait that went on */
    STRATA_N_BARRIER_OPS
};
/* One lane of a record of STRATA_OP_MBARRIER, whose addresses are such words. */
struct strata_barrier_word {
    uint32_t shared; /* address */
    uint32_t value;
    bool parity; /* of the phase tested or waited for */
};
static inline uint64_t strata_barrier_pack(uint32_t shared, uint32_t value, bool parity)
{
    return (uint64_t)value << 32 | (shared & ~7u) | parity;
}
static inline struct strata_barrier_word strata_barrier_unpack(uint64_t word)
{
    struct strata_barrier_word b = {(uint32_t)word & ~7u, (uint32_t)(word >> 32), word & 1};
    return b;
}

enum strata_bulk_kind {
    STRATA_BULK_LOAD = 0, /* global to shared */
    STRATA_BULK_STORE,
    STRATA_BULK_REDUCE,
    STRATA_BULK_PREFETCH,
    STRATA_BULK_SHARED, /* shared to shared of the cluster */
    STRATA_N_BULK_KINDS
};
#define STRATA_BULK_RANK 5
/* A record of STRATA_OP_BULK. Dimension 0 is the innermost; of a copy that is no tensor's the
 * fields from rank on are 0. */
struct strata_bulk {
    uint8_t kind; /* enum strata_bulk_kind */
    bool tensor, im2col;
    uint8_t rank, element_bytes, swizzle, interleave, fill; /* as the driver's interface has them */
    uint16_t multicast;       /* ranks of the cluster it goes to, 0: the block of `shared` */
    uint32_t shared, barrier; /* addresses; barrier may be STRATA_NO_SHARED */
    uint32_t bytes;           /* written to (read from) shared memory, what is outside included */
    uint64_t global;          /* address of the copy, or of the tensor */
    uint64_t map;             /* address of the tensor map */
    uint64_t size[STRATA_BULK_RANK], stride[STRATA_BULK_RANK]; /* elements; bytes */
    uint16_t box[STRATA_BULK_RANK];
    uint8_t element_stride[STRATA_BULK_RANK];
    int32_t coordinate[STRATA_BULK_RANK];
    uint16_t pixels; /* im2col: then box[0] are channels */
    int16_t lower[3], upper[3];
    uint16_t offset[3];
};
#define STRATA_BULK_WORDS 24
/* Returns the words used: of a tensor's copy and of others always as many. */
unsigned strata_bulk_pack(const struct strata_bulk *b, uint64_t words[STRATA_BULK_WORDS]);
/* False: the words are no copy. */
bool strata_bulk_unpack(const uint64_t *words, unsigned n, struct strata_bulk *out);

/* imm of STRATA_OP_SREG: what it reads. What differs between the lanes of a warp comes through the
 * load/store pipe. */
enum strata_special_read {
    STRATA_SPECIAL_UNTOLD, /* the trace does not name the register */
    STRATA_SPECIAL_OF_LANE,
    STRATA_SPECIAL_OF_WARP,
};

/* imm of a load of constants (space STRATA_SPACE_CONST) that names one itself, not by its lanes:
 * this and the place of the constant among the program's own. Less: not told, or a parameter. */
#define STRATA_CONSTANT_PLACE 1

/* imm of STRATA_OP_BRANCH in PTX: the rounds of the loop it closes that the assembler makes one; 0:
 * not told. This many: as many as there are. */
#define STRATA_ALL_ROUNDS 255
/* Beside them, 1 more than the 32-bit registers alive where the loop begins, times this; 0: not
 * told. */
#define STRATA_BRANCH_ALIVE 256

/* imm of STRATA_OP_BULK_WAIT: the groups, and this if only their reading is waited for. */
#define STRATA_BULK_WAIT_READ (1 << 16)

enum strata_wgmma_type {
    STRATA_WGMMA_F16 = 0, /* and bf16 */
    STRATA_WGMMA_TF32,
    STRATA_WGMMA_F8, /* e4m3, e5m2 */
    STRATA_WGMMA_I8,
    STRATA_WGMMA_B1,
    STRATA_N_WGMMA_TYPES
};
/* imm of STRATA_OP_WGMMA. Its record has two words: the descriptors of A (0 if in registers) and
 * B, as the instruction has them. */
struct strata_wgmma_shape {
    uint16_t n, k; /* m is 64 */
    uint8_t type;  /* enum strata_wgmma_type */
    bool a_in_registers, sparse;
    bool commits; /* the last of a group, which machine code says in the instruction itself */
};
static inline int32_t strata_wgmma_pack(struct strata_wgmma_shape s)
{
    return (int32_t)(s.n | (uint32_t)s.k << 9 | (uint32_t)s.type << 20 |
                     (uint32_t)s.a_in_registers << 24 | (uint32_t)s.sparse << 25 |
                     (uint32_t)s.commits << 26);
}
static inline struct strata_wgmma_shape strata_wgmma_unpack(int32_t imm)
{
    uint32_t bits = (uint32_t)imm;
    struct strata_wgmma_shape s = {(uint16_t)(bits & 511),
                                   (uint16_t)(bits >> 9 & 1023),
                                   (uint8_t)(bits >> 20 & 15),
                                   bits >> 24 & 1,
                                   bits >> 25 & 1,
                                   bits >> 26 & 1};
    return s;
}

struct strata_dim3 {
    uint32_t x, y, z;
};

/* Where the register count came from. */
enum strata_regs_source {
    STRATA_REGS_TRACE = 0,
    STRATA_REGS_CUBIN,
    STRATA_REGS_ESTIMATE,
    STRATA_REGS_USER
};
enum strata_isa {
    STRATA_ISA_SASS = 0,
    STRATA_ISA_PTX,
    STRATA_ISA_SYNTHETIC,
    STRATA_ISA_THREADLIST
};

/* How long the L2 is asked to keep a line, with the numbers of the driver's interface. */
enum strata_access_property {
    STRATA_ACCESS_NORMAL = 0,
    STRATA_ACCESS_STREAMING,
    STRATA_ACCESS_PERSISTING,
    STRATA_N_ACCESS_PROPERTIES
};
/* An access policy window: of the lines in [base, base + bytes) a share, hit_ratio, has the first
 * property, the others have the second. bytes 0: none. */
struct strata_access_window {
    uint64_t base, bytes;
    float hit_ratio;
    uint8_t hit, miss; /* enum strata_access_property */
};

/* How the texels of a texture lie in memory. */
enum strata_texels {
    STRATA_TEXELS_TILED = 0, /* an array: tiles of STRATA_TILE_BYTES by STRATA_TILE_ROWS */
    STRATA_TEXELS_PITCHED,   /* rows of linear memory */
    STRATA_TEXELS_LINEAR,    /* linear memory, read by whole numbers (tex1Dfetch) */
    STRATA_N_TEXELS
};
/* Tiles in which a card keeps the texels of an array (device/probe/texture_probe.cu). */
enum { STRATA_TILE_BYTES = 64, STRATA_TILE_ROWS = 8 };

/* A texture that a launch can read: slices (or layers) of rows, also where there is one. */
struct strata_launch_texture {
    uint64_t base, pitch_bytes, slice_bytes;
    uint32_t width, height, depth; /* texels, rows, slices; none is 0 */
    uint8_t texels;                /* enum strata_texels */
    uint8_t texel_bytes;           /* 1 to 16 */
    uint8_t wraps;                 /* bit i: the last of axis i has the first as a neighbour */
    bool layered;                  /* slices are layers: no read mixes two */
    bool filters;                  /* reads may mix neighbouring texels */
};

/* One kernel launch; strings and textures are owned by the trace. */
struct strata_launch {
    const char *program;     /* name of the folder or file the trace came from */
    const char *trace;       /* file name of this launch inside it, "kernel-1.traceg.xz" */
    const char *kernel;      /* mangled name */
    const char *source_file; /* whose lines the instructions have; NULL: unknown */
    uint64_t id;
    struct strata_dim3 grid, block;
    uint32_t registers_per_thread;
    uint32_t regs_source;         /* enum strata_regs_source */
    uint32_t shared_static_bytes; /* Accel-Sim traces give only the sum: it is here */
    uint32_t shared_dynamic_bytes;
    uint32_t sm_version; /* 90 */
    uint32_t isa;        /* enum strata_isa */
    uint64_t stream;
    uint64_t shared_base, local_base; /* generic windows, 0 if unknown */
    uint64_t warp_instructions;       /* 0 if not known without reading */
    uint64_t sampled_blocks;          /* 0: all blocks were recorded; else how many */
    uint32_t code_arch;               /* what the code is for, 90 for sm_90; 0: not known */
    char code_arch_suffix;            /* 'a' or 'f' for code of one architecture or family, or 0 */
    bool failed;                      /* the kernel failed: its blocks are those until then */
    struct strata_dim3 cluster;       /* blocks of a cluster; 0 or 1: none */
    struct strata_access_window window;
    uint64_t persisting_bytes; /* of the L2 set aside for persisting lines when it ran */
    bool persisting_reset;     /* before it all persisting lines were made normal ones */
    const struct strata_launch_texture *textures; /* there were when it ran; NULL: not told */
    uint32_t n_textures;
};

/* The texture that an instruction reads at an address, NULL: the launch does not tell. Where
 * several lie there, the one that fits the instruction, of those the last. */
const struct strata_launch_texture *strata_launch_texture_at(const struct strata_launch *l,
                                                             const struct strata_inst *inst,
                                                             uint64_t address);

/* Of a launch that stands for no other so many blocks tell which launches it is like. */
enum { STRATA_PROFILE_BLOCKS = 12 };

/* The k-th of `sampled` blocks that are evenly spread over n. */
static inline uint64_t strata_sampled_block(uint64_t k, uint64_t sampled, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)(k + 1) * n + sampled - 1) / sampled) - 1;
}

/* Whether it has to do with lines of the L2 that persist. */
static inline bool strata_launch_tells_of_persisting(const struct strata_launch *l)
{
    return l->window.bytes || l->persisting_bytes || l->persisting_reset;
}

/* Blocks and warps of a launch. */
static inline uint64_t strata_launch_blocks(const struct strata_launch *l)
{
    return (uint64_t)l->grid.x * l->grid.y * l->grid.z;
}
static inline uint32_t strata_launch_threads_per_block(const struct strata_launch *l)
{
    return l->block.x * l->block.y * l->block.z;
}
static inline uint32_t strata_launch_warps_per_block(const struct strata_launch *l)
{
    return (strata_launch_threads_per_block(l) + STRATA_WARP_SIZE - 1) / STRATA_WARP_SIZE;
}

/* A block in byte code. `bytes[warp_offset[w] .. warp_offset[w+1])` is warp w. */
struct strata_block {
    uint64_t index; /* linear: x + grid.x * (y + grid.y * z) */
    uint32_t n_warps;
    uint32_t *warp_offset;       /* n_warps + 1 entries */
    uint32_t *warp_instructions; /* n_warps entries */
    uint8_t *bytes;
    const struct strata_code *code;
};
void strata_block_destroy(struct strata_block *block); /* NULL is allowed */

/* Decodes one warp of a block. The fields are private to src/trace; the struct
 * is public so that a model can embed one per resident warp. Small, since models step through
 * thousands of them: 800 bytes on the heap, and 24 for each static instruction of the launch that
 * has addresses. */
#define STRATA_BRANCH_MEMORY 64
struct strata_cursor { /* what every step reads comes first, in one line of the machine's cache */
    uint64_t control_bytes;          /* read ahead of their turn, the next one lowest */
    uint64_t branches;               /* places of the jumps that are set */
    uint32_t last_index, next_index; /* executed last, predicted next */
    uint32_t run;                    /* instructions left in the current predicted run */
    uint32_t mask, other_mask;
    uint32_t n_control_bytes;
    const uint8_t *controls, *data;
    struct strata_addr_state *state; /* per static instruction with addresses: allocated by _init */
    const uint8_t *tokens, *tokens_end, *first, *data_start;
    const struct strata_code *code;
    struct strata_cursor_memory *memory; /* all jumps, and the addresses of a list */
    uint32_t jump_from, jump_to;         /* the jump taken last, as in `memory` */
    uint32_t cap_state;
    bool is_lent; /* the memory: it is not freed */
};
/* _init allocates; _release frees; a cursor may be re-initialised without release to reuse its
 * memory (zero the struct before the first _init). */
strata_status strata_cursor_init(struct strata_cursor *c, const struct strata_block *b,
                                 uint32_t warp, struct strata_error *err);
void strata_cursor_release(struct strata_cursor *c);
/* True: *out is the next warp instruction. False: the warp is over. Bytes come from a block that
 * the reader has validated, so decoding cannot fail. */
bool strata_cursor_next(struct strata_cursor *c, struct strata_winst *out);

/* ---- reading ---- */

struct strata_trace; /* opaque */

struct strata_trace_options {
    bool accelsim_compat; /* the upstream parser's rules for widths, mode 1 with gaps, generic LD/ST
                           */
    bool lenient;         /* accept a launch whose last thread block is cut short (default true) */
    uint32_t reserved[4];
};
void strata_trace_options_init(struct strata_trace_options *opt);

enum strata_event_kind {
    STRATA_EVENT_LAUNCH = 0,
    STRATA_EVENT_MEMCPY_HTOD,
    STRATA_EVENT_MEMCPY_DTOH,
    STRATA_EVENT_MEMSET
};
struct strata_event {
    uint32_t kind;
    uint32_t launch;  /* index of the launch for STRATA_EVENT_LAUNCH */
    uint64_t address; /* device address of a copy */
    uint64_t bytes;
    /* What it waits for, as far as the trace tells (docs/format-strata.md, "Order"). */
    uint64_t stream; /* that it was issued to; 0: the default stream */
    uint32_t flags;  /* enum strata_event_flag */
    uint32_t first_edge, n_edges;
};
enum strata_event_flag {
    STRATA_EVENT_ORDERED = 1u << 0,  /* waits for what its edges name, and for nothing else; without
                                        it, for the event before it on its stream */
    STRATA_EVENT_IN_GRAPH = 1u << 1, /* a node of a graph that was launched */
    STRATA_EVENT_GRAPH_BEGIN = 1u << 2, /* ... the first of that launch of it */
    STRATA_EVENT_ON_DEVICE = 1u << 3, /* one side of a copy from device to device: the reading, and
                                         right after it the writing */
};
enum strata_edge_kind {
    STRATA_EDGE_STREAM = 0, /* order of one stream, or between streams by an event */
    STRATA_EDGE_GRAPH,      /* between nodes of a graph */
    STRATA_EDGE_DEPENDENT, /* programmatic dependent launch: may begin before the other has ended */
    STRATA_EDGE_HOST,      /* the host waited for it before it issued this and all that follows */
    STRATA_N_EDGE_KINDS
};
struct strata_edge {
    uint32_t event; /* index of an earlier event of the trace */
    uint32_t kind;  /* enum strata_edge_kind */
};

/* Opens a .strata file, an Accel-Sim folder or kernelslist file, one .traceg[.xz|.gz|.zst], or a
 * thread-list text file or folder (.trc), or NVBit mem_trace text. Reads headers only, except that
 * the last two have none and are read once. */
strata_status strata_trace_open(const char *path, const struct strata_trace_options *opt,
                                struct strata_trace **out, struct strata_error *err);
void strata_trace_close(struct strata_trace *t);
size_t strata_trace_launch_count(const struct strata_trace *t);
const struct strata_launch *strata_trace_launch(const struct strata_trace *t, size_t i);
size_t strata_trace_event_count(const struct strata_trace *t);
const struct strata_event *strata_trace_event(const struct strata_trace *t, size_t i);
/* Edges of all events: those of event e are [e->first_edge, e->first_edge + e->n_edges). */
const struct strata_edge *strata_trace_edge(const struct strata_trace *t, size_t i);
const char *strata_trace_format_name(const struct strata_trace *t); /* "strata", "accelsim", ... */

struct strata_reader; /* reads the blocks of one launch; opaque */
strata_status strata_reader_open(struct strata_trace *t, size_t launch, struct strata_reader **out,
                                 struct strata_error *err);
void strata_reader_close(struct strata_reader *r);
/* Another reader of the same launch, from its start: for models that make several passes. */
strata_status strata_reader_reopen(const struct strata_reader *r, struct strata_reader **out,
                                   struct strata_error *err);
const struct strata_launch *strata_reader_launch(const struct strata_reader *r);
const struct strata_code *strata_reader_code(const struct strata_reader *r);
/* The k-th event of the trace, counted from its start, as long as it comes before the reader's
 * launch; then NULL. */
const struct strata_event *strata_reader_event_before(const struct strata_reader *r, size_t k);
/* The next block in file order; STRATA_END after the last. The caller destroys the block. */
strata_status strata_reader_next(struct strata_reader *r, struct strata_block **out,
                                 struct strata_error *err);
/* The next block in order of its linear index (blocks that come early are held back in byte code).
 */
strata_status strata_reader_next_ordered(struct strata_reader *r, struct strata_block **out,
                                         struct strata_error *err);
/* Makes the next strata_reader_next start at block `block_index`, and go on in file order. If the
 * trace has no such block: STRATA_END, and the reader is at its end. Native files only, otherwise
 * STRATA_EUNSUPPORTED. Not to be mixed with strata_reader_next_ordered. */
strata_status strata_reader_seek(struct strata_reader *r, uint64_t block_index,
                                 struct strata_error *err);
/* Things worth telling the user: unknown opcodes, truncated end, ... Valid until _close. */
size_t strata_reader_warning_count(const struct strata_reader *r);
const char *strata_reader_warning(const struct strata_reader *r, size_t i);

/* ---- writing ---- */

/* Collects static instructions; equal ones get one index. */
strata_status strata_code_create(struct strata_code **out, struct strata_error *err);
void strata_code_destroy(struct strata_code *code);
/* `inst` is copied, its opcode text too. opclass, space, memop, width_bytes and hints must be set
 * (strata_inst_decode_sass does it from the opcode text). Executions of the instruction can have
 * addresses if it has a memory operation outside constant space, or opclass STRATA_OP_MEM, or a
 * trace_width other than 0. */
strata_status strata_code_add(struct strata_code *code, const struct strata_inst *inst,
                              uint32_t *index, struct strata_error *err);
/* Fills opclass, space, memop, width_bytes, hints from a SASS opcode text; returns false if the
 * mnemonic is unknown (opclass is then STRATA_OP_OTHER, or STRATA_OP_MEM if it has addresses). */
bool strata_inst_decode_sass(struct strata_inst *inst, bool has_addresses, bool accelsim_compat);

/* Builds one block, warp by warp. */
struct strata_builder;
strata_status strata_builder_create(struct strata_code *code, struct strata_builder **out,
                                    struct strata_error *err);
void strata_builder_destroy(struct strata_builder *b);
strata_status strata_builder_begin_block(struct strata_builder *b, uint64_t index, uint32_t n_warps,
                                         struct strata_error *err);
/* Warps may be begun in any order, each once; a warp never begun is empty. */
strata_status strata_builder_begin_warp(struct strata_builder *b, uint32_t warp,
                                        struct strata_error *err);
/* No addresses: addr = NULL. Otherwise 32 entries by lane (inactive ones ignored). With an empty
 * mask an instruction has no addresses. Addresses of all active lanes on one line base + (l -
 * first)
 * * stride become STRATA_ADDR_STRIDE. */
strata_status strata_builder_add(struct strata_builder *b, uint32_t inst_index, uint32_t mask,
                                 const uint64_t *addr, struct strata_error *err);
/* The same for an affine access: lane l has base + (l - first active lane) * stride. */
strata_status strata_builder_add_strided(struct strata_builder *b, uint32_t inst_index,
                                         uint32_t mask, uint64_t base, int32_t stride,
                                         struct strata_error *err);
strata_status strata_builder_end_block(struct strata_builder *b, struct strata_block **out,
                                       struct strata_error *err);

/* Writes a whole trace: native (.strata) or Accel-Sim (a folder). Output goes to a temporary name
 * and is renamed by _finish; _abort removes it. Devices and pipes are written in place; "-" is
 * standard output (native only). */
struct strata_writer;
struct strata_writer_options {
    const char *format;    /* "strata" or "accelsim"; NULL: from the path's suffix */
    int compression_level; /* 0: the format's default; negative: none, where the format can */
    /* Native only: where the bytes go instead of a file; false: they could not be taken (errno).
     * Then no file is made or renamed, and the path is for messages. */
    bool (*write)(void *user, const void *bytes, size_t n);
    void *write_user;
    uint32_t reserved[4];
};
strata_status strata_writer_create(const char *path, const struct strata_writer_options *opt,
                                   struct strata_writer **out, struct strata_error *err);
strata_status strata_writer_memcpy(struct strata_writer *w, uint32_t event_kind, uint64_t address,
                                   uint64_t bytes, struct strata_error *err);
/* What the next copy, fill or launch waits for; formats that cannot tell leave it out. */
struct strata_order {
    uint64_t stream;
    uint32_t flags; /* enum strata_event_flag */
    const struct strata_edge *edge;
    size_t n_edges;
};
strata_status strata_writer_order(struct strata_writer *w, const struct strata_order *order,
                                  struct strata_error *err);
/* `code` must stay valid until strata_writer_end_launch, and may grow until then. */
/* Where to ask for the control codes of instructions that have none, when they are written (native
 * format only). The source leaves *out alone if it does not know them. */
typedef strata_status (*strata_control_source)(void *context, const struct strata_launch *launch,
                                               const struct strata_inst *inst,
                                               struct strata_control *out,
                                               struct strata_error *err);
void strata_writer_controls_from(struct strata_writer *w, strata_control_source source,
                                 void *context);
strata_status strata_writer_begin_launch(struct strata_writer *w,
                                         const struct strata_launch *launch,
                                         const struct strata_code *code, struct strata_error *err);
strata_status strata_writer_block(struct strata_writer *w, const struct strata_block *block,
                                  struct strata_error *err);
strata_status strata_writer_end_launch(struct strata_writer *w, struct strata_error *err);
/* Ends a launch before its last block was written (a size limit, an interrupt): read back, it is a
 * sample of the blocks written, of which there must be one. Accel-Sim's format cannot say so. */
strata_status strata_writer_cut_launch(struct strata_writer *w, struct strata_error *err);
/* Ends a launch whose kernel failed: it is marked, and holds the blocks written until then, or
 * none.
 */
strata_status strata_writer_fail_launch(struct strata_writer *w, struct strata_error *err);
/* The file or folder that is written until _finish renames it; NULL: the output is written in
 * place. */
const char *strata_writer_temporary(const struct strata_writer *w);
uint64_t strata_writer_bytes(const struct strata_writer *w); /* written so far */
strata_status strata_writer_finish(struct strata_writer *w, struct strata_error *err); /* frees w */
void strata_writer_abort(struct strata_writer *w);                                     /* frees w */

/* Makes a native trace whole whose process ended before it could: what stands behind the last
 * launch that ended goes, and the index is written. *n_launches is what is left; with none the file
 * is not touched. */
strata_status strata_trace_mend(const char *path, uint64_t *n_launches, struct strata_error *err);

#endif
