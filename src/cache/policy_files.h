/* policy_files.h - policies with a file of their own, for the table in policy.c. */
#ifndef STRATA_CACHE_POLICY_FILES_H
#define STRATA_CACHE_POLICY_FILES_H

#include "cache/cache.h"

void plru_on_access(struct cache *c, uint32_t set, uint32_t slot);
uint32_t plru_victim(struct cache *c, uint32_t set);
uint32_t weighted_victim(struct cache *c, uint32_t set);
void nru_on_access(struct cache *c, uint32_t set, uint32_t slot);
uint32_t nru_victim(struct cache *c, uint32_t set);
uint32_t not_mru_victim(struct cache *c, uint32_t set);
void srrip_on_access(struct cache *c, uint32_t set, uint32_t slot);
uint32_t srrip_victim(struct cache *c, uint32_t set);

#endif
