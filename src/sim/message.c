/* message.c - mailboxes: messages are sent in any order of their times and taken in that of time.
 */
#include "sim/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void sim_mailbox_push(struct sim_mailbox *b, const struct sim_message *m)
{
    if (b->n == b->cap && !ARRAY_RESERVE(b->message, b->n, b->cap, 1)) {
        b->failed = true;
        return;
    }
    b->message[b->n++] = *m;
    if (m->time < b->first || b->n == 1)
        b->first = m->time;
}

static bool reserve_scratch(struct sim_mailbox *b, size_t n_due, size_t cycles)
{
    if (b->cap_due < n_due && !ARRAY_RESERVE(b->due, 0, b->cap_due, n_due))
        return false;
    return b->cap_count >= cycles || ARRAY_RESERVE(b->count, 0, b->cap_count, cycles);
}

/* Counting sort by cycle: stable, so messages of one cycle stay in the order of sending. */
size_t sim_mailbox_due(struct sim_mailbox *b, uint64_t begin, uint64_t end)
{
    if (!b->n || b->first >= end)
        return 0;
    size_t cycles = (size_t)(end - begin);
    if (!reserve_scratch(b, b->n, cycles + 1)) {
        b->failed = true;
        return 0;
    }
    memset(b->count, 0, (cycles + 1) * sizeof *b->count);
    for (size_t i = 0; i < b->n; i++)
        if (b->message[i].time < end)
            b->count[b->message[i].time > begin ? b->message[i].time - begin + 1 : 1]++;
    for (size_t c = 1; c <= cycles; c++)
        b->count[c] += b->count[c - 1];
    for (size_t i = 0; i < b->n; i++)
        if (b->message[i].time < end)
            b->due[b->count[b->message[i].time > begin ? b->message[i].time - begin : 0]++] =
                (uint32_t)i;
    return b->count[cycles - 1];
}

void sim_mailbox_drop(struct sim_mailbox *b, uint64_t end)
{
    size_t kept = 0;
    b->first = UINT64_MAX;
    for (size_t i = 0; i < b->n; i++) {
        if (b->message[i].time < end)
            continue;
        if (b->message[i].time < b->first)
            b->first = b->message[i].time;
        if (kept != i)
            b->message[kept] = b->message[i];
        kept++;
    }
    b->n = kept;
}

void sim_mailbox_release(struct sim_mailbox *b)
{
    free(b->message);
    free(b->due);
    free(b->count);
    memset(b, 0, sizeof *b);
}
