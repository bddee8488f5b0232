/* bulk.h - bulk and tensor copies between global and shared memory.
 *
 * They are done at once when they are issued, which is one of the orders the hardware may choose.
 */
#ifndef STRATA_EMULATOR_BULK_H
#define STRATA_EMULATOR_BULK_H

#include "emulator/emulator.h"
#include "emulator/tensor_map.h"

enum emu_bulk_kind {
    EMU_BULK_LOAD = 0, /* global to shared */
    EMU_BULK_STORE,
    EMU_BULK_REDUCE,
    EMU_BULK_PREFETCH, /* of the L2 */
    EMU_BULK_SHARED    /* shared to shared of the cluster */
};

struct emu_bulk {
    uint8_t kind;
    bool tensor, im2col, multicast, has_barrier;
    bool reduces;     /* EMU_BULK_SHARED: it adds to what is there, or the like */
    uint8_t rank;     /* of the instruction */
    uint8_t op, type; /* of a reduction: enum emu_atomic, enum emu_type */
    uint16_t ranks;   /* multicast: blocks of the cluster */
    uint64_t global;  /* address, of the tensor map if it is a tensor's */
    uint32_t bytes;   /* if it is no tensor's */
    uint32_t shared;  /* address; the source's of EMU_BULK_SHARED */
    uint32_t to;      /* EMU_BULK_SHARED: the target's */
    uint32_t barrier; /* address */
    int32_t coordinate[EMU_TENSOR_MAP_RANK];
    uint16_t offset[3]; /* im2col */
};

/* Does it and, if the block is recorded, records it. False after a failure, which is reported. */
bool emu_bulk_run(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                  const struct emu_bulk *bulk);
/* An operation on the barrier at a shared address, of any block of the cluster. */
enum emu_barrier_op {
    EMU_MBARRIER_INIT,
    EMU_MBARRIER_INVAL,
    EMU_MBARRIER_ARRIVE,
    EMU_MBARRIER_EXPECT,
    EMU_MBARRIER_COMPLETE
};
/* `value`: count or bytes; *before (may be NULL): the bits before. */
bool emu_mbarrier_do(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                     uint64_t address, enum emu_barrier_op op, uint32_t value, bool drop,
                     uint64_t *before);
/* The same for an operation as it is recorded (enum strata_barrier_op). `variant`: of
 * STRATA_BARRIER_ARRIVE_EXPECT that later phases expect one less, of STRATA_BARRIER_ARRIVE_COPIES
 * that the barrier does not count one more until then. */
bool emu_mbarrier_apply(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                        uint32_t address, unsigned op, uint32_t value, bool variant,
                        uint64_t *before);
/* Records one word a lane (strata_barrier_pack). */
void emu_record_barrier(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                        const uint64_t words[EMU_LANES]);
/* What a warp waits at that waits for ever: one of these, or the shared address of a barrier. */
#define EMU_WAITS_FOR_CLUSTER EMU_NO_INDEX
#define EMU_WAITS_FOR_GROUP   (EMU_NO_INDEX - 1)
void emu_describe_wait(struct emu_block *block, uint32_t what, char *out, size_t size);
/* A test of the barrier at a shared address by a lane: `failed` again and again, and with nobody
 * left who could end the phase, it is a wait that never ends (deadlock.c). */
void emu_note_test(struct emu_warp *w, const struct emu_site *site, unsigned lane, uint32_t address,
                   bool failed);
/* Has the phase of this parity ended? False in *ok after a failure. */
bool emu_mbarrier_is_past(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                          uint64_t address, bool parity, bool *ok);
/* The bytes of a tensor map or another object behind a generic address: parameters too. NULL after
 * a failure. */
uint8_t *emu_object_at(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                       uint64_t address, uint64_t bytes, const char *what);
#endif
