/* accelsim.h - the parts of the Accel-Sim text reader.
 *
 * accelsim_header.c reads what stands before the first thread block,
 * accelsim_line.c one instruction line, accelsim_reader.c the thread-block
 * sections around them, accelsim_list.c folders and kernelslist files;
 * accelsim_write.c writes all of it. */
#ifndef STRATA_TRACE_ACCELSIM_H
#define STRATA_TRACE_ACCELSIM_H

#include <strata/trace.h>

#include "trace/trace_text.h"
#include "trace/trace_internal.h"

/* A block has at most 1024 threads on every GPU so far; the limit only keeps a damaged header from
 * asking for absurd memory. */
#define ACCELSIM_MAX_BLOCK_THREADS 65536u

/* ---- header ---- */

struct accelsim_header {
    char *kernel; /* owned; NULL if the header has no name */
    uint64_t id;
    struct strata_dim3 grid, block;
    uint32_t shared_bytes;
    uint32_t registers;
    uint32_t sm_version;
    uint64_t stream;
    uint64_t shared_base, local_base;
    uint32_t tracer_version; /* 0: no such line */
    bool lineinfo;
    bool has_registers, has_shared, has_grid, has_block, has_sm_version;
};

/* Reads up to the first thread block (which is left unread) or to the end of the file. */
strata_status accelsim_read_header(struct text *t, struct accelsim_header *h,
                                   struct strata_error *err);
void accelsim_header_release(struct accelsim_header *h);
/* True for the compute capabilities that exist (35 to 121): others get a warning. */
bool accelsim_known_sm(uint32_t sm_version);

/* ---- instruction lines ---- */

/* What the parser remembers of a static instruction: the bytes of a line between the mask and the
 * addresses. Nearly every line is a repetition of one seen before, so that one comparison stands
 * for parsing registers, opcode and width. */
enum { MEMO_TEXT_BYTES = 112, MEMO_FIRST = 256, MEMO_MOST = 16384, UNKNOWN_OPCODES_NAMED = 4 };
struct line_memo {
    uint64_t pc;
    uint32_t source_line;
    uint32_t index;                    /* in the code table, of the first line with this text */
    uint32_t by_space[STRATA_N_SPACE]; /* generic accesses: index by resolved space, or NONE */
    int32_t imm;                       /* that `index` and `by_space` have */
    uint8_t space;
    uint8_t length;     /* of text; 0 = free */
    bool has_addresses; /* text ends behind the width's blank; else behind the '\n' */
    bool generic;
    bool unknown_opcode;
    bool missing_addresses; /* a load or store whose width column is 0 */
    char text[MEMO_TEXT_BYTES];
};

struct line_parser {
    struct text *text;
    struct strata_code *code;
    struct strata_builder *builder;
    struct line_memo *memo; /* by instruction address */
    uint32_t n_memo;        /* a power of two; grows with the code of the kernel */
    uint32_t n_memo_misses; /* since it grew */
    uint64_t shared_base, local_base;
    uint32_t n_lead_columns; /* 4 for tracer versions below 3 */
    bool lineinfo, compat;
    uint32_t lead[4]; /* the block and warp that the lead columns should name */
    /* For warnings. */
    uint64_t n_unknown_opcodes, n_missing_addresses, n_wrong_lead, n_gaps;
    uint64_t n_zero_modes;
    char unknown[UNKNOWN_OPCODES_NAMED][32];
};

/* Parses the instruction line that begins at `p` (the current line of the text), ends it and adds
 * it to the builder's current warp. */
strata_status accelsim_parse_line(struct line_parser *lp, const char *p, struct strata_error *err);

/* ---- kernel files, as the functions of the format ---- */

strata_status accelsim_reader_open(struct strata_reader *r, const char *path,
                                   struct strata_error *err);
strata_status accelsim_reader_next(struct strata_reader *r, struct strata_block **out,
                                   struct strata_error *err);
void accelsim_reader_close(struct strata_reader *r);

/* ---- writing (accelsim_write.c), as the functions of the format ---- */

/* The opcode column: SASS text as it came, else an opcode that means the same (accelsim_opcode.c).
 */
void accelsim_opcode_text(const struct strata_inst *inst, uint32_t isa, char *out, size_t size);

strata_status accelsim_write_create(struct strata_writer *w, struct strata_error *err);
strata_status accelsim_write_memcpy(struct strata_writer *w, uint32_t event_kind, uint64_t address,
                                    uint64_t bytes, struct strata_error *err);
strata_status accelsim_write_begin_launch(struct strata_writer *w, struct strata_error *err);
strata_status accelsim_write_block(struct strata_writer *w, const struct strata_block *block,
                                   struct strata_error *err);
strata_status accelsim_write_end_launch(struct strata_writer *w, struct strata_error *err);
uint64_t accelsim_write_bytes(const struct strata_writer *w);
strata_status accelsim_write_finish(struct strata_writer *w, struct strata_error *err);
void accelsim_write_close(struct strata_writer *w);
void accelsim_write_abort(struct strata_writer *w);

#endif
