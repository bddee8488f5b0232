/* flow_swaps.c - compare-and-swaps that find their word changed. */
#include <stdlib.h>

#include "flow/flow_swaps.h"

void flow_swaps_release(struct flow_swaps *s)
{
    free(s->warp);
    s->warp = NULL;
}

bool flow_swaps_begin(struct flow_swaps *s, uint32_t n_warps)
{
    if (!s->warp)
        s->warp = calloc(n_warps, sizeof *s->warp);
    return s->warp;
}

void flow_swap_reads(struct flow_swaps *s, uint32_t warp, uint64_t group, uint64_t word, uint64_t t)
{
    s->warp[warp] = (struct flow_swap){word, t, group};
}

bool flow_swap_takes(struct flow_swaps *s, uint32_t warp, uint64_t group, uint64_t word, uint64_t t)
{
    struct flow_swap *own = &s->warp[warp], now = {word, t, group},
                     *last = &s->word[word * 0x9e3779b97f4a7c15ull >> 56];
    bool follows = own->word == word && own->group == group,
         changed = last->word == word && last->group != group && last->time > own->time;
    *own = now; /* taken or not, it has read the word */
    if (follows && changed)
        return false;
    *last = now;
    return true;
}
