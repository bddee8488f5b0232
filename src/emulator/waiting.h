/* waiting.h - which reads are asked again and again until another block has changed what they read,
 * or another warp of the block a word of shared memory.
 *
 * A loop waits if a round of it is short, reads one place around the L1 or tries to swap or
 * exchange the same number there, does nothing that others could see, and ends by what the answer
 * is. A loop that swaps what it has computed from the answer works; how often it comes round hangs
 * on the others all the same. */
#ifndef STRATA_EMULATOR_WAITING_H
#define STRATA_EMULATOR_WAITING_H

#include <stdbool.h>
#include <stdint.h>

enum emu_step_kind {
    EMU_STEP_PLAIN, /* its results come from what it reads in registers */
    EMU_STEP_READS, /* from memory or a clock too */
    EMU_STEP_WORKS  /* others may see it, or nobody knows where it leads */
};

/* An instruction as far as it matters here. */
#define EMU_STEP_REGISTERS 32
#define EMU_NOWHERE        UINT32_MAX
struct emu_step {
    uint8_t kind;    /* enum emu_step_kind */
    bool guarded;    /* lanes may leave it out: what it writes may be what was there */
    uint8_t n_reads; /* guards are read */
    uint8_t n_writes;
    uint32_t reads[EMU_STEP_REGISTERS], writes[EMU_STEP_REGISTERS]; /* by any numbers */
    uint32_t to[2]; /* the instructions that follow; EMU_NOWHERE: the end, or none */
    bool parts;     /* it may lead to either */
};

struct emu_code {
    const void *user;
    /* *out is zeroed, but that the next instruction follows. */
    void (*step)(const void *user, uint32_t at, struct emu_step *out);
    /* A round that carries nothing into the next one waits, even if the way out of it may lead back
     * to it: a loop around the one that waits. */
    bool in_loops;
};

void emu_step_reads(struct emu_step *step, uint32_t reg);
void emu_step_writes(struct emu_step *step, uint32_t reg);

/* Is instruction `at`, which reads memory around the L1, swaps or exchanges, the asking of a loop
 * that waits? */
bool emu_code_waits_at(const struct emu_code *code, uint32_t at);
/* Does instruction `at`, which compares and swaps, do so again in a short round that does nothing
 * else, with what it has found instead: has somebody been there first? */
bool emu_code_retries_at(const struct emu_code *code, uint32_t at);

#endif
