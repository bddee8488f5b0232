/* graph.h - graphs as lists of nodes with dependencies. */
#ifndef STRATA_CUDA_GRAPH_H
#define STRATA_CUDA_GRAPH_H

#include "cuda/driver.h"

/* A copy as it was described, and as it is carried out. */
struct copy_node {
    CUDA_MEMCPY3D description;
    struct copy copy;
};

struct CUgraphNode_st {
    struct object object;
    CUgraphNodeType kind;
    CUgraph graph;
    bool enabled;
    bool done; /* while running */
    union {
        struct kernel_call kernel;
        struct copy_node copy;
        struct fill fill;
        struct host_call host;
        CUgraph child;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS memory; /* bytesize 0: taken over from a capture */
    } u;
    void **kernel_params; /* what cuGraphKernelNodeGetParams hands out */
    CUgraphNode *before;  /* must have run */
    size_t n_before, cap_before;
    struct op_set ops; /* while running: what it did, or what it waited for if that was nothing */
    bool is_last;      /* while running: no node waits for it */
};

/* Also serves as the instantiated form, which is a copy. */
struct CUgraph_st {
    struct object object;
    bool is_exec, capturing;
    unsigned long long flags;
    CUgraphNode *node;
    size_t n_nodes, cap_nodes;
    CUuserObject *user;
    size_t n_user, cap_user;
};

static inline bool graph_valid(CUgraph g)
{
    return object_is(g, OBJECT_GRAPH) && !g->is_exec;
}
static inline bool node_valid(CUgraphNode n)
{
    return object_is(n, OBJECT_NODE);
}

CUgraphNode node_add(CUgraph g, CUgraphNodeType kind);
void node_free(CUgraphNode n);
CUresult node_depend(CUgraphNode n, const CUgraphNode *before, size_t count);
CUgraph graph_copy(CUgraph g);
void graph_free(CUgraph g);
CUresult graph_launch(CUgraph g, struct order_stream *s);
size_t graph_place(CUgraph g, CUgraphNode n); /* SIZE_MAX: not there */
/* A node of the original names the one at the same place in the instantiated copy; NULL: none. */
CUgraphNode graph_exec_node(CUgraphExec handle, CUgraphNode n);
/* Takes over what another node of the same kind does. */
CUresult node_assign(CUgraphNode to, CUgraphNode from);

/* ---- user.c ---- */

void user_object_retain(CUuserObject u, unsigned count);
void user_object_release(CUuserObject u, unsigned count);

#endif
