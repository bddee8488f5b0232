/* async.h - operands of asynchronous instructions. */
#ifndef STRATA_PTX_ASYNC_H
#define STRATA_PTX_ASYNC_H

#include "emulator/bulk.h"
#include "emulator/wgmma.h"
#include "ptx/exec.h"

/* An address in brackets: a register or constant, and an offset. */
struct ptx_place {
    uint32_t ref; /* PTX_NO_REF: absent */
    bool narrow;  /* 4-byte lanes */
    bool generic; /* else of the space the instruction names */
    bool shared;  /* which is shared memory */
    int64_t offset;
};
uint64_t ptx_place_get(const struct ptx_warp *w, const struct ptx_place *p, unsigned lane);
/* The same as a shared address; false: it is none, which is reported. */
bool ptx_place_shared(struct ptx_warp *w, const struct ptx_inst *in, const struct ptx_place *p,
                      unsigned lane, uint32_t *out);

struct ptx_bulk {
    struct emu_bulk model; /* what does not change */
    struct ptx_place global, shared, to, barrier;
    uint32_t bytes; /* references */
    uint32_t coordinate[EMU_TENSOR_MAP_RANK];
    uint32_t offset[3];
    uint32_t ranks; /* of 16 bits: the low half of a lane */
};

struct ptx_barrier {
    struct ptx_place place;
    uint8_t op;      /* enum strata_barrier_op */
    uint32_t value;  /* reference: count, bytes */
    uint32_t state;  /* reference, 64 bits: of test_wait without parity; destination of arrive */
    uint32_t parity; /* reference */
    uint32_t done;   /* predicate written */
    bool no_increment;
};

struct ptx_store_async {
    struct ptx_place place, barrier;
    uint8_t n, width; /* elements */
    bool reduces;
    uint8_t op, type;
    const uint32_t *refs;
    bool wide;
};

struct ptx_tensormap {
    struct ptx_place place, from;
    uint8_t field; /* enum emu_tensor_field */
    uint8_t dimension;
    uint32_t value; /* reference */
    bool wide;
};

struct ptx_wgmma {
    struct emu_wgmma model;
    uint32_t scale_d; /* predicate; PTX_NO_REF: always */
    uint32_t a_desc, b_desc;
    const uint32_t *d, *a;
    uint32_t metadata; /* register, of a sparse A */
    uint16_t n_d;
};

#endif
