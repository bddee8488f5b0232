/* strata/probe.h - raw data of the microbenchmarks, real or modelled, on disk and in memory.
 *
 * A folder holds manifest.json (schema strata.probe/1) and one CSV file per series, plain or
 * compressed; docs/probe-format.md is the reference. A series is a small table of numbers with
 * named columns and named parameters; everything `strata dissect` infers, it infers from series. */
#ifndef STRATA_PROBE_H
#define STRATA_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#define STRATA_SERIES_MAX_COLUMNS    8
#define STRATA_SERIES_MAX_PARAMETERS 16
#define STRATA_SERIES_NAME           64

struct strata_series {
    char name[STRATA_SERIES_NAME]; /* letters, digits, '.', '_' and '-'; unique in its set */
    char file[STRATA_SERIES_NAME + 16];
    char experiment[32]; /* "chase", "sets", "mshr", ...: what the columns mean */
    char path[16];       /* "l1", "l2", "readonly", "texture", "tlb", "shared", "dram" */
    struct {
        char key[32];
        double value;
    } parameter[STRATA_SERIES_MAX_PARAMETERS];
    uint32_t n_parameters;
    char column[STRATA_SERIES_MAX_COLUMNS][32];
    uint32_t n_columns;
    double *value; /* rows one after another, n_columns numbers each */
    size_t n_rows, cap_values;
};

struct strata_probe_set {
    char target[80]; /* "cuda" or "model:<gpu>" */
    char card[128], driver[64], date[40];
    double clock_mhz, memory_clock_mhz; /* 0: not recorded */
    uint32_t sm_version, sms;           /* properties of the card; 0: not recorded */
    struct strata_series *series;
    size_t n_series, cap_series;
};

/* Reads DIR/manifest.json and every series it names. The caller releases *out, also after a
 * failure. */
strata_status strata_probe_load(const char *dir, struct strata_probe_set *out,
                                struct strata_error *err);
/* Writes all series (compressed if their file name says so) and the manifest last, under a
 * temporary name until complete. Makes the folder if there is none. */
strata_status strata_probe_save(const char *dir, const struct strata_probe_set *set,
                                struct strata_error *err);
void strata_probe_release(struct strata_probe_set *set);

/* The text of a manifest and of a series, for programs that keep them elsewhere. */
strata_status strata_probe_parse(const char *text, size_t length, const char *file,
                                 struct strata_probe_set *out, struct strata_error *err);
strata_status strata_series_parse(const char *text, size_t length, const char *file,
                                  struct strata_series *out, struct strata_error *err);

/* A new series with these columns (names separated by commas); NULL without memory. The pointer
 * holds until the next series is added. */
struct strata_series *strata_probe_add(struct strata_probe_set *set, const char *name,
                                       const char *experiment, const char *path,
                                       const char *columns);
bool strata_series_set_parameter(struct strata_series *s, const char *key, double value);
/* One more row of n_columns numbers. */
bool strata_series_add_row(struct strata_series *s, const double *value);

const struct strata_series *strata_probe_find(const struct strata_probe_set *set, const char *name);
/* The value of a parameter, or `otherwise`. */
double strata_series_parameter(const struct strata_series *s, const char *key, double otherwise);
/* Index of a column; -1 if there is none. */
int strata_series_column(const struct strata_series *s, const char *name);
static inline double strata_series_at(const struct strata_series *s, size_t row, int column)
{
    return s->value[row * s->n_columns + (size_t)column];
}

#endif
