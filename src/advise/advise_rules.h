/* advise_rules.h - the table of rules: when one applies, and what is made ideal to tell its gain.
 */
#ifndef STRATA_ADVISE_RULES_H
#define STRATA_ADVISE_RULES_H

#include <strata/advise.h>
#include <strata/place.h>
#include <strata/sites.h>

#include "advise/trace_rewrite.h"

/* What rules look at. */
struct advise_facts {
    const struct strata_gpu *gpu;
    const struct strata_launch *launch;
    const struct strata_result *result;
    const struct strata_sites *sites;
    struct strata_occupancy occupancy;
    struct strata_speed_of_light peak;
    double cycles, time_ns;
};

struct advise_rule {
    struct strata_rule_text text;
    /* True: the finding is worth a run; evidence has been added. */
    bool (*applies)(const struct advise_facts *f, struct strata_finding *out);
    /* What of a site belongs to the finding; NULL: it has no lines. */
    uint64_t (*weight)(const struct strata_site *x);
    const char *const *ideal; /* "key=value" of the GPU, NULL-terminated; NULL: a rewrite */
    enum rewrite_kind rewrite;
    uint32_t waves; /* smaller blocks: how often they shall fill the GPU */
};

const struct advise_rule *advise_rules(size_t *n);
/* False if the result does not know it. */
bool advise_get(const struct advise_facts *f, const char *metric, double *value);
void advise_add_evidence(struct strata_finding *out, const char *name, double value,
                         const char *unit);

#endif
