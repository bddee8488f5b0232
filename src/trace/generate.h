/* generate.h - what the generators of synthetic traces share.
 *
 * A generator is a table of static instructions and two functions: one plans the launch from the
 * parameters, one emits the instructions of any warp. Instructions are real SASS mnemonics with
 * registers, so that timed models see the dependences a compiler would leave. */
#ifndef STRATA_TRACE_GENERATE_H
#define STRATA_TRACE_GENERATE_H

#include <strata/generate.h>

#define NO_REGISTER 0xffff

struct generate_code {
    const char *opcode;
    uint16_t dst;    /* NO_REGISTER: none */
    uint16_t src[3]; /* NO_REGISTER: no more */
};

struct generate_plan {
    const struct generator *generator;
    uint64_t value[STRATA_GENERATE_MAX_PARAMETERS]; /* in the order of the parameters */
    struct strata_launch launch;
    struct strata_event input[3]; /* arrays copied to the GPU before the launch */
    size_t n_inputs;
    void *context; /* generate_kernel: the caller's */
};

struct emitter {
    const struct generate_plan *plan;
    struct strata_builder *builder;
    const uint32_t *index; /* of each row of the code table */
    uint64_t block;
    uint32_t warp;
    uint32_t mask;         /* lanes that are threads of the block */
    struct strata_dim3 at; /* the block */
    strata_status status;  /* the first failure; later calls do nothing */
    struct strata_error *err;
};

struct generator {
    struct strata_generate_kind kind;
    const struct generate_code *code;
    size_t n_code;
    strata_status (*plan)(struct generate_plan *p, struct strata_error *err);
    void (*warp)(struct emitter *e);
};

extern const struct generator generate_column_copy, generate_stream, generate_strided,
    generate_gather, generate_chase, generate_broadcast, generate_stencil2d, generate_stencil3d,
    generate_matmul, generate_matmul_tiled;

/* Where arrays lie: far enough apart for any size a parameter allows. */
static inline uint64_t array_base(unsigned i)
{
    return 0x200000000ull + ((uint64_t)i << 44);
}

/* Instruction `row` of the code table, without addresses, by the lanes of mask. */
void emit(struct emitter *e, unsigned row, uint32_t mask);
/* With one address per lane. */
void emit_access(struct emitter *e, unsigned row, uint32_t mask,
                 const uint64_t addr[STRATA_WARP_SIZE]);
/* The warp's thread with this lane number, counted in the block. */
static inline uint32_t thread_of(const struct emitter *e, unsigned lane)
{
    return e->warp * STRATA_WARP_SIZE + lane;
}

/* A trace of a generator that is in no list, with its launch: kernels that a part of the library
 * makes for itself. `g` and `context` outlive it. */
strata_status generate_kernel(const struct generator *g, const struct strata_launch *launch,
                              void *context, struct strata_trace **out, struct strata_error *err);

/* For plan functions. */
void plan_grid(struct generate_plan *p, uint64_t blocks_x, uint64_t blocks_y, uint32_t threads_x,
               uint32_t threads_y);
void plan_input(struct generate_plan *p, unsigned array, uint64_t bytes);
strata_status plan_too_large(const struct generate_plan *p, const char *what,
                             struct strata_error *err);

#endif
