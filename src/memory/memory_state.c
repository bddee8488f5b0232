/* memory_state.c - parts of the L2, translations and code, kept from launch to launch. */
#include "memory/memory_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

strata_status strata_memory_state_create(struct strata_memory_state **out, struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STRATA_OK : strata_no_memory(err, NULL, "for the state between launches");
}

static void release_parts(struct strata_memory_state *s)
{
    for (uint32_t i = 0; i < s->n_parts; i++) {
        cache_release(&s->part[i].l2);
        write_back_release(&s->part[i].dirty);
    }
    free(s->part);
    s->part = NULL;
    s->n_parts = 0;
}

void strata_memory_state_destroy(struct strata_memory_state *s)
{
    if (!s)
        return;
    release_parts(s);
    cache_release(&s->tlb2);
    free(s->kernel);
    free(s->event);
    free(s);
}

strata_status strata_memory_state_event(struct strata_memory_state *s,
                                        const struct strata_event *event, struct strata_error *err)
{
    if (event->kind == STRATA_EVENT_LAUNCH || !event->bytes)
        return STRATA_OK;
    if (!ARRAY_RESERVE(s->event, s->n_events, s->cap_events, 1))
        return strata_no_memory(err, NULL, "for the copies between launches");
    s->event[s->n_events++] = *event;
    return STRATA_OK;
}

/* Clocks begin anew with every launch. */
static void forget_times(struct cache *c)
{
    for (uint32_t i = 0; i < c->n_slots; i++)
        memset(c->slot[i].ready, 0, sizeof c->slot[i].ready);
}

bool memory_state_take(struct strata_memory_state *s, uint32_t index, uint32_t n, struct cache *l2,
                       struct write_back *dirty)
{
    if (s->n_parts != n || !s->part[index].l2.n_slots)
        return false;
    *l2 = s->part[index].l2;
    *dirty = s->part[index].dirty;
    memset(&s->part[index], 0, sizeof s->part[index]);
    return true;
}

strata_status memory_state_keep(struct strata_memory_state *s, uint32_t index, uint32_t n,
                                struct cache *l2, struct write_back *dirty,
                                struct strata_error *err)
{
    if (s->n_parts != n) {
        release_parts(s);
        s->part = calloc(n, sizeof *s->part);
        if (!s->part)
            return strata_no_memory(err, NULL, "for the state between launches");
        s->n_parts = n;
    }
    struct memory_part *p = &s->part[index];
    cache_release(&p->l2);
    write_back_release(&p->dirty);
    p->l2 = *l2;
    p->dirty = *dirty;
    memset(l2, 0, sizeof *l2);
    memset(dirty, 0, sizeof *dirty);
    return STRATA_OK;
}

bool memory_state_take_tlb(struct strata_memory_state *s, struct cache *tlb2)
{
    if (!s->tlb2.n_slots)
        return false;
    *tlb2 = s->tlb2;
    memset(&s->tlb2, 0, sizeof s->tlb2);
    forget_times(tlb2);
    return true;
}

void memory_state_keep_tlb(struct strata_memory_state *s, struct cache *tlb2)
{
    cache_release(&s->tlb2);
    s->tlb2 = *tlb2;
    memset(tlb2, 0, sizeof *tlb2);
}

static uint64_t hash_of(const struct strata_launch *launch)
{
    uint64_t h = 14695981039346656037ull ^ launch->isa;
    for (const char *c = launch->kernel; c && *c; c++)
        h = (h ^ (uint8_t)*c) * 1099511628211ull;
    return h;
}

strata_status memory_state_code(struct strata_memory_state *s, const struct strata_launch *launch,
                                struct memory_code *out, struct strata_error *err)
{
    uint64_t hash = hash_of(launch);
    size_t i = 0;
    while (i < s->n_kernels && s->kernel[i].hash != hash)
        i++;
    *out = (struct memory_code){.base = MEMORY_CODE + i * MEMORY_CODE_BYTES,
                                .kernel = (uint32_t)i,
                                .is_new = i == s->n_kernels};
    if (!out->is_new) {
        out->n_lines = s->kernel[i].n_lines;
        return STRATA_OK;
    }
    if (!ARRAY_RESERVE(s->kernel, s->n_kernels, s->cap_kernels, 1))
        return strata_no_memory(err, NULL, "for the kernels that ran before");
    s->kernel[s->n_kernels++] = (struct memory_kernel){.hash = hash};
    return STRATA_OK;
}
