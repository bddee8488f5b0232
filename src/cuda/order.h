/* order.h - what each recorded operation waits for: streams, events, graphs, the host.
 *
 * Operations (copies, fills, launches) are numbered as the trace has them; those that are not
 * recorded have no number and leave no trace here either. Everything runs when it is issued, so
 * this is only written down. Called with the driver's lock held. */
#ifndef STRATA_CUDA_ORDER_H
#define STRATA_CUDA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/trace.h>

/* A set of operations, in rising order. */
struct op_set {
    uint32_t *op;
    size_t n, cap;
};
bool op_set_join(struct op_set *to, const struct op_set *more); /* false: no memory */
void op_set_release(struct op_set *set);

/* A stream: what its next operation waits for. NULL stands for the default stream. */
struct order_stream {
    uint64_t id;
    struct op_set tail;
    bool apart;    /* does not take turns with the default stream */
    bool used;     /* has had an operation: */
    uint32_t last; /* ... this one */
};
bool order_stream_add(struct order_stream *s); /* false: no memory */
void order_stream_remove(struct order_stream *s);
struct op_set *order_tail(struct order_stream *s);
/* Operations from now on go to that stream. dependent: the next may begin before the one before it
 * has ended. */
void order_issue_to(struct order_stream *s, bool dependent);
/* A graph is launched to the current stream. Its nodes: operations wait for `before` (of a root:
 * what the stream did) and are added to *done. At its end the stream waits for `done`. */
void order_graph_begin(void);
void order_node_begin(const struct op_set *before, bool is_root, struct op_set *done);
void order_node_end(void);
void order_graph_end(const struct op_set *done);
/* What the next operation waits for; then it has been recorded. False: no memory. */
bool order_next(struct strata_order *out);
bool order_done(void);
/* The host waited for the operations of a set, or for all (NULL). */
void order_host_waited(const struct op_set *set);

#endif
