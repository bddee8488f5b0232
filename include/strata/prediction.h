/* strata/prediction.h - the results of one model over many launches, and how they are written down.
 *
 * docs/prediction-format.md describes the JSON (schema strata.prediction/1) and the CSV; both can
 * be read back. Units are those of strata_metric_find. */
#ifndef STRATA_PREDICTION_H
#define STRATA_PREDICTION_H

#include <stddef.h>
#include <stdint.h>
#include <strata/result.h>
#include <strata/status.h>

#define STRATA_PREDICTION_SCHEMA "strata.prediction/1"

struct strata_prediction {
    char *tool; /* "strata 0.2.0" */
    char *gpu;  /* name of the GPU, not the path of its file */
    char *model;
    char *variant; /* NULL: the model's default */
    char *label; /* NULL: none; tells apart what is otherwise the same, an older build's answer, say
                  */
    uint64_t seed;
    uint64_t gpu_digest; /* strata_gpu_digest; 0: not known, as in what was read from a file */
    char **override;     /* "key=value", as given with --set, in that order */
    size_t n_overrides, cap_overrides;
    struct strata_result *result; /* in launch order */
    size_t n_results, cap_results;
};

/* Copies the words; tool is this library's own name and version. */
strata_status strata_prediction_init(struct strata_prediction *p, const char *gpu,
                                     const char *model, const char *variant, uint64_t seed,
                                     struct strata_error *err);
strata_status strata_prediction_add_override(struct strata_prediction *p, const char *words,
                                             struct strata_error *err);
/* Takes over *result, which is empty afterwards. */
strata_status strata_prediction_add_result(struct strata_prediction *p,
                                           struct strata_result *result, struct strata_error *err);
void strata_prediction_release(struct strata_prediction *p);

enum strata_format {
    STRATA_FORMAT_TEXT = 0,
    STRATA_FORMAT_CSV,
    STRATA_FORMAT_JSON,
    STRATA_FORMAT_TERMINAL /* text with colours, where a printer has any; no word names it */
};
/* "text", "csv" or "json"; STRATA_EUSAGE for any other word. */
strata_status strata_format_parse(const char *word, enum strata_format *out,
                                  struct strata_error *err);

/* The whole prediction as text; *text is freed by the caller. */
strata_status strata_prediction_print(const struct strata_prediction *p, enum strata_format format,
                                      char **text, size_t *length, struct strata_error *err);

/* One line a launch, for people: time, cycles, hit rates, DRAM traffic. *text is freed by the
 * caller. */
strata_status strata_prediction_summary(const struct strata_prediction *p, char **text,
                                        size_t *length, struct strata_error *err);
/* One row a launch and metric in the columns of `ncu --csv`, and a column Source that says "model";
 * what a prediction does not know (process, stream, host) is empty. *text is freed by the caller.
 */
strata_status strata_prediction_print_ncu(const struct strata_prediction *p, char **text,
                                          size_t *length, struct strata_error *err);

/* Any of these launch by launch, for results that are not kept: what comes before n_launches of
 * them, each by its number from 0 on (p->result is not looked at), what comes after the last. *text
 * is freed by the caller. */
enum strata_layout {
    STRATA_LAYOUT_TEXT = STRATA_FORMAT_TEXT,
    STRATA_LAYOUT_CSV = STRATA_FORMAT_CSV,
    STRATA_LAYOUT_JSON = STRATA_FORMAT_JSON,
    STRATA_LAYOUT_SUMMARY, /* strata_prediction_summary */
    STRATA_LAYOUT_NCU      /* strata_prediction_print_ncu */
};
strata_status strata_prediction_head(const struct strata_prediction *p, enum strata_layout layout,
                                     size_t n_launches, char **text, size_t *length,
                                     struct strata_error *err);
strata_status strata_prediction_launch(const struct strata_prediction *p, enum strata_layout layout,
                                       size_t number, const struct strata_result *r, char **text,
                                       size_t *length, struct strata_error *err);
strata_status strata_prediction_tail(enum strata_layout layout, char **text, size_t *length,
                                     struct strata_error *err);

/* Predictions read from files: one for a JSON file, one for each (model, GPU) of a CSV file. */
struct strata_predictions {
    struct strata_prediction *item;
    size_t n, cap;
};
/* Adds what `path` ("-": standard input) holds. JSON or CSV is told by the content. */
strata_status strata_predictions_load(struct strata_predictions *set, const char *path,
                                      struct strata_error *err);
strata_status strata_predictions_parse(struct strata_predictions *set, const char *data,
                                       size_t length, const char *file, struct strata_error *err);
void strata_predictions_release(struct strata_predictions *set);

#endif
