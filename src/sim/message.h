/* message.h - what travels between the parts of the memory side, and the box it waits in. */
#ifndef STRATA_SIM_MESSAGE_H
#define STRATA_SIM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/l2_rules.h"
#include "memory/line_bytes.h"

enum sim_message_kind {
    SIM_MSG_REQUEST = 0, /* of an SM; `node` */
    SIM_MSG_LINK_READ,  /* another partition's slice asks the home of a line; `from`, `mshr` are its
                           own */
    SIM_MSG_LINK_WRITE, /* another partition's slice passes a write on */
    SIM_MSG_LINK_ATOMIC, /* ... an atomic or a reduction; `node` is SIM_NONE for the latter */
    SIM_MSG_FILL,        /* sectors for `mshr` have arrived */
    SIM_MSG_RESULT,      /* result of an atomic done at the other partition */
    SIM_MSG_VOID,        /* the line was changed at its home */
    SIM_MSG_DRAM_READ,   /* to a channel */
    SIM_MSG_DRAM_WRITE
};

struct sim_message {
    uint64_t time;
    uint64_t line; /* byte address of a 128-byte line */
    uint32_t node, mshr;
    union {
        struct line_bytes bytes; /* writes, atomics */
        struct {                 /* fills and results */
            uint16_t waited;     /* cycles of DRAM and its queue in it; saturating */
            uint16_t queued;     /* ... of the queue alone */
        } spent;
    };
    uint16_t from; /* slice that asks */
    struct l2_atomics atomics;
    uint8_t kind, sectors;
    uint8_t packet_kind; /* of the request: enum sim_packet_kind */
    bool joins;          /* one request with the read of its line before */
};

/* Messages under way to one part, in the order of sending. */
struct sim_mailbox {
    struct sim_message *message;
    uint32_t *due;   /* indices of the due ones in the order of time */
    uint32_t *count; /* scratch of the sort */
    size_t n, cap, cap_due, cap_count;
    uint64_t first; /* the earliest time in it; UINT64_MAX: empty */
    bool failed;    /* no memory: a message was lost */
};
void sim_mailbox_push(struct sim_mailbox *b, const struct sim_message *m);
/* Sorts what is due before `end` into b->due; returns how many. */
size_t sim_mailbox_due(struct sim_mailbox *b, uint64_t begin, uint64_t end);
/* Forgets what was due before `end`. */
void sim_mailbox_drop(struct sim_mailbox *b, uint64_t end);
void sim_mailbox_release(struct sim_mailbox *b);

#endif
