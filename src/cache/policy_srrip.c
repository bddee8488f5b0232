/* policy_srrip.c - static re-reference interval prediction with two bits (Jaleel et al. 2010): a
 * line comes in with a long interval, a hit makes it short, the first way with the longest one
 * goes. */
#include "cache/policy_files.h"

enum { LONG = 2, LONGEST = 3 };

/* Called for a line that comes in and for one that is hit; the slot's age tells which: only a new
 * line has an age that no touch followed, so the state is kept as interval + 1 and 0 means new. */
void srrip_on_access(struct cache *c, uint32_t set, uint32_t slot)
{
    (void)set;
    c->policy_state[slot] = c->policy_state[slot] == 0 ? LONG + 1 : 1;
}

uint32_t srrip_victim(struct cache *c, uint32_t set)
{
    uint32_t first = c->set_start[set], end = c->set_start[set + 1];
    for (;;) {
        for (uint32_t s = first; s < end; s++)
            if (c->policy_state[s] == LONGEST + 1) {
                c->policy_state[s] = 0; /* the next line here is new */
                return s;
            }
        for (uint32_t s = first; s < end; s++)
            c->policy_state[s]++;
    }
}
