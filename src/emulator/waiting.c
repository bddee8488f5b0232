/* waiting.c - ways from an instruction back to itself, and whether one of them waits. */
#include "emulator/waiting.h"

#include <stddef.h>

/* Instructions of a round: a spin lock of machine code has 7, one of cooperative groups 6. */
#define MOST_STEPS 16
/* Steps to try: a round of that length has few branches. */
#define MOST_TRIES 1024

void emu_step_reads(struct emu_step *step, uint32_t reg)
{
    if (step->n_reads < EMU_STEP_REGISTERS)
        step->reads[step->n_reads++] = reg;
    else
        step->kind = EMU_STEP_WORKS;
}

void emu_step_writes(struct emu_step *step, uint32_t reg)
{
    if (step->n_writes < EMU_STEP_REGISTERS)
        step->writes[step->n_writes++] = reg;
    else
        step->kind = EMU_STEP_WORKS;
}

struct search {
    const struct emu_code *code;
    uint32_t asks; /* the instruction it is about */
    bool retries;  /* is it whether it swaps again what it has found? */
    uint32_t tries;
    struct emu_step round[MOST_STEPS]; /* the first is the one that asks */
    uint32_t at[MOST_STEPS], n;
};

static void fetch(const struct search *s, uint32_t at, struct emu_step *out)
{
    *out = (struct emu_step){.to = {at + 1, EMU_NOWHERE}};
    s->code->step(s->code->user, at, out);
}

/* ---- what a round computes ---- */

/* Of a register. */
enum {
    SAME = 0,
    MOVES = 1,  /* another number in each round */
    ANSWER = 2, /* from the answer */
    CARRIED = 4 /* from the round before */
};

struct known {
    uint32_t reg[MOST_STEPS * 4], n;
    uint8_t is[MOST_STEPS * 4];
};

static uint8_t *find(struct known *k, uint32_t reg)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->reg[i] == reg)
            return &k->is[i];
    return NULL;
}

/* Registers that no step writes are the same in every round; of the others nobody knows before a
 * step has written them. False: too many. */
static bool find_written(const struct search *s, struct known *k)
{
    k->n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t w = 0; w < s->round[i].n_writes; w++) {
            if (find(k, s->round[i].writes[w]))
                continue;
            if (k->n == sizeof k->is)
                return false;
            k->reg[k->n] = s->round[i].writes[w];
            k->is[k->n++] = MOVES | CARRIED;
        }
    return true;
}

static uint8_t what_it_reads(struct known *k, const struct emu_step *step)
{
    uint8_t is = SAME;
    for (uint32_t i = 0; i < step->n_reads; i++) {
        const uint8_t *of = find(k, step->reads[i]);
        is |= of ? *of : SAME;
    }
    return is;
}

static void write_results(struct known *k, const struct emu_step *step, uint8_t is)
{
    for (uint32_t i = 0; i < step->n_writes; i++) {
        uint8_t *of = find(k, step->writes[i]);
        *of = step->guarded ? *of | is : is;
    }
}

/* ---- rounds ---- */

/* Does a way lead from here back to the asking without work? Then the answer does not decide. */
static bool comes_back(struct search *s, uint32_t at, uint32_t steps)
{
    struct emu_step step;
    if (at == s->asks)
        return true;
    if (at == EMU_NOWHERE || !steps || !s->tries)
        return false;
    s->tries--;
    fetch(s, at, &step);
    return step.kind != EMU_STEP_WORKS &&
           (comes_back(s, step.to[0], steps - 1) || comes_back(s, step.to[1], steps - 1));
}

/* The way a branch of the round has that is not the round's. */
static uint32_t other_way(const struct search *s, uint32_t i)
{
    uint32_t next = i + 1 < s->n ? s->at[i + 1] : s->asks;
    const struct emu_step *step = &s->round[i];
    return step->to[0] == next ? step->to[1] : step->to[0];
}

static bool carries_nothing(const struct known *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->is[i] & CARRIED)
            return false;
    return true;
}

/* It asks the same in each round, or swaps what it has found, and a branch leads out by what the
 * answer is. */
static bool round_waits(struct search *s)
{
    struct known k;
    bool decides = false, parts = false;
    if (!find_written(s, &k))
        return false;
    write_results(&k, &s->round[0], MOVES | ANSWER);
    for (uint32_t i = 1; i < s->n; i++) {
        const struct emu_step *step = &s->round[i];
        uint8_t is = what_it_reads(&k, step);
        if (step->parts && is & ANSWER) {
            parts = true;
            decides = decides || !comes_back(s, other_way(s, i), MOST_STEPS);
        }
        write_results(&k, step, step->kind == EMU_STEP_READS ? is | MOVES : is);
    }
    if (s->retries)
        return parts && what_it_reads(&k, &s->round[0]) & ANSWER;
    decides |= parts && s->code->in_loops && carries_nothing(&k);
    return decides && what_it_reads(&k, &s->round[0]) == SAME;
}

static bool is_in_round(const struct search *s, uint32_t at)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] == at)
            return true;
    return false;
}

/* Follows all ways from `at` that may close a round. */
static bool goes_round(struct search *s, uint32_t at)
{
    if (at == s->asks)
        return round_waits(s);
    if (at == EMU_NOWHERE || s->n == MOST_STEPS || !s->tries || is_in_round(s, at))
        return false;
    s->tries--;
    struct emu_step *step = &s->round[s->n];
    fetch(s, at, step);
    if (step->kind == EMU_STEP_WORKS)
        return false;
    uint32_t to[2] = {step->to[0], step->to[1]};
    s->at[s->n++] = at;
    bool waits = goes_round(s, to[0]) || goes_round(s, to[1]);
    s->n--;
    return waits;
}

static bool search_rounds(struct search s)
{
    s.at[0] = s.asks;
    fetch(&s, s.asks, &s.round[0]);
    return goes_round(&s, s.round[0].to[0]);
}

bool emu_code_waits_at(const struct emu_code *code, uint32_t at)
{
    return search_rounds((struct search){.code = code, .asks = at, .tries = MOST_TRIES, .n = 1});
}

bool emu_code_retries_at(const struct emu_code *code, uint32_t at)
{
    return search_rounds(
        (struct search){.code = code, .asks = at, .retries = true, .tries = MOST_TRIES, .n = 1});
}
