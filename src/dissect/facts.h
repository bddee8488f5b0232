/* facts.h - adding answers to a dissection. */
#ifndef STRATA_DISSECT_FACTS_H
#define STRATA_DISSECT_FACTS_H

#include <strata/dissect.h>

struct fact_sink {
    struct strata_dissection *d;
    struct strata_error *err;
    strata_status status;
};

/* A fact that is known; is_key is found out from the name. The rest is printf's. */
void fact_add(struct fact_sink *f, const char *name, const char *unit,
              const struct strata_finding *finding, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A question that the data leaves open, and why. */
void fact_open(struct fact_sink *f, const char *name, const char *unit, const char *why);
struct strata_finding finding_of(double confidence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* src/dissect/limits.c */
void infer_mshrs(const struct strata_probe_set *set, struct fact_sink *f);
void infer_coalescer(const struct strata_probe_set *set, struct fact_sink *f);
void infer_l2_write(const struct strata_probe_set *set, struct fact_sink *f);
void infer_spectrum(const struct strata_probe_set *set, struct fact_sink *f);
void infer_shared(const struct strata_probe_set *set, struct fact_sink *f);
void infer_throughput(const struct strata_probe_set *set, struct fact_sink *f);
void infer_l2_size(const struct strata_probe_set *set, struct fact_sink *f);
void infer_reach(const struct strata_probe_set *set, struct fact_sink *f);
/* src/dissect/dissect_l2.c */
void infer_l2_fetch(const struct strata_probe_set *set, struct fact_sink *f);
void infer_l2_partitions(const struct strata_probe_set *set, struct fact_sink *f);
/* src/dissect/set_hash.c */
void infer_set_hash(const struct strata_probe_set *set, struct fact_sink *f);

#endif
