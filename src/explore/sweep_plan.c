/* sweep_plan.c - the points of a sweep: axes with lists and ranges, and lines of a file. */
#include "explore/plan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"

enum { LARGEST_FILE_BYTES = 1 << 28, LONGEST_RANGE = 1000000 };

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the points of the sweep");
}

strata_status strata_sweep_create(const struct strata_gpu *base, struct strata_sweep **out,
                                  struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return no_memory(err);
    (*out)->base = *base;
    return STRATA_OK;
}

void strata_sweep_destroy(struct strata_sweep *s)
{
    if (!s)
        return;
    for (size_t a = 0; a < s->n_axes; a++) {
        for (size_t v = 0; v < s->axis[a].n; v++)
            free(s->axis[a].value[v]);
        free(s->axis[a].value);
        free(s->axis[a].key);
    }
    for (size_t l = 0; l < s->n_lines; l++) {
        for (size_t k = 0; k < s->line[l].n; k++) {
            free(s->line[l].setting[k].key);
            free(s->line[l].setting[k].value);
        }
        free(s->line[l].setting);
    }
    free(s->axis);
    free(s->line);
    free(s);
}

const char *plan_model_key(const char *key)
{
    return strncmp(key, "model.", 6) ? NULL : key + 6;
}

/* ---- values ---- */

/* A value in the spelling of `gpu show`, so that 16384 and 16KiB are one point; as it stands if the
 * GPU cannot take it, which is then told of its points. */
static char *spell(const struct strata_sweep *s, const char *key, const char *value)
{
    char text[STRATA_GPU_TEXT];
    if (plan_model_key(key))
        return strdup(value);
    struct strata_gpu *gpu = malloc(sizeof *gpu);
    if (!gpu)
        return NULL;
    *gpu = s->base;
    bool good = strata_gpu_set(gpu, key, value, NULL) == STRATA_OK;
    if (good)
        strata_gpu_value_text(gpu, strata_gpu_find_key(key), text, sizeof text);
    free(gpu);
    return strdup(good ? text : value);
}

static strata_status check_key(const struct strata_sweep *s, const char *key, const char *file,
                               uint32_t line, struct strata_error *err)
{
    struct strata_error why = {0};
    if (plan_model_key(key) || strata_gpu_find_key(key))
        return STRATA_OK;
    /* The words of gpu_set, which has a suggestion. */
    struct strata_gpu *gpu = malloc(sizeof *gpu);
    if (!gpu)
        return no_memory(err);
    *gpu = s->base;
    strata_gpu_set(gpu, key, "0", &why);
    free(gpu);
    return strata_fail(err, file ? STRATA_ECONFIG : STRATA_EUSAGE, file, line, 0, "%s",
                       why.message);
}

static strata_status add_value(struct strata_sweep *s, struct sweep_axis *a, const char *value,
                               struct strata_error *err)
{
    char *copy = spell(s, a->key, value);
    if (!copy || !ARRAY_RESERVE(a->value, a->n, a->cap, 1)) {
        free(copy);
        return no_memory(err);
    }
    a->value[a->n++] = copy;
    return STRATA_OK;
}

/* ---- ranges ---- */

struct range {
    double from, to, step;
    bool multiplies;
};

/* The number a value of this key stands for, by the GPU file's own reading of it. */
static bool number_of(const struct strata_sweep *s, const struct strata_gpu_key *key,
                      const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end)
        return isfinite(*out);
    if (!key)
        return false;
    struct strata_gpu *gpu = malloc(sizeof *gpu);
    if (!gpu)
        return false;
    *gpu = s->base;
    bool good = strata_gpu_set(gpu, key->path, text, NULL) == STRATA_OK;
    if (good)
        *out = strata_gpu_number(gpu, key, 0);
    free(gpu);
    return good;
}

static bool is_plain_key(const struct strata_gpu_key *k)
{
    return !k || k->type == STRATA_GPU_UINT || k->type == STRATA_GPU_SIZE ||
           k->type == STRATA_GPU_SIZE32 || k->type == STRATA_GPU_DOUBLE;
}

static strata_status refuse_range(const char *key, const char *words, const char *why,
                                  struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EUSAGE, NULL, 0, 0,
        "the range \"%.80s\" of %.80s %s; write FROM..TO, FROM..TO+STEP or FROM..TO*FACTOR.", words,
        key, why);
}

/* "16KiB..256KiB*2"; `words` holds "..". */
static strata_status parse_range(const struct strata_sweep *s, const char *key, const char *words,
                                 struct range *r, struct strata_error *err)
{
    const struct strata_gpu_key *k = plan_model_key(key) ? NULL : strata_gpu_find_key(key);
    char text[256];
    if (strlen(words) >= sizeof text || !is_plain_key(k))
        return refuse_range(key, words, "is not one of plain numbers", err);
    strcpy(text, words);
    char *to = strstr(text, ".."), *step;
    *to = 0;
    to += 2;
    /* An exponent's sign is no step. */
    for (step = to; *step && *step != '*' &&
                    !(*step == '+' && step > to && tolower((unsigned char)step[-1]) != 'e');
         step++)
        ;
    r->multiplies = *step == '*';
    bool has_step = *step;
    *step = 0;
    r->step = 1;
    if (!number_of(s, k, text, &r->from) || !number_of(s, k, to, &r->to))
        return refuse_range(key, words, "has an end that is no number", err);
    char *end = NULL;
    if (has_step && r->multiplies)
        r->step = strtod(step + 1, &end);
    else if (has_step && !number_of(s, k, step + 1, &r->step))
        return refuse_range(key, words, "has a step that is no number", err);
    if (end && (end == step + 1 || *end))
        return refuse_range(key, words, "has a factor that is no number", err);
    if (r->from > r->to || (r->multiplies ? r->step <= 1 || r->from <= 0 : r->step <= 0))
        return refuse_range(key, words, "never arrives", err);
    return STRATA_OK;
}

/* In the spelling of `gpu show`, without asking it a million times. */
static strata_status add_number(struct sweep_axis *a, double v, struct strata_error *err)
{
    const struct strata_gpu_key *k = plan_model_key(a->key) ? NULL : strata_gpu_find_key(a->key);
    bool size = k && (k->type == STRATA_GPU_SIZE || k->type == STRATA_GPU_SIZE32) && v >= 0 &&
                v < 1e18 && v == nearbyint(v);
    struct strata_text t = {0};
    char text[64];
    if (size)
        strata_text_put(&t, strata_gpu_size_text((uint64_t)v, text, sizeof text));
    else
        strata_text_put_number(&t, v);
    if (t.out_of_memory || !ARRAY_RESERVE(a->value, a->n, a->cap, 1)) {
        strata_text_release(&t);
        return no_memory(err);
    }
    a->value[a->n++] = t.data;
    return STRATA_OK;
}

static double value_in(const struct range *r, size_t i)
{
    return r->multiplies ? r->from * pow(r->step, (double)i) : r->from + r->step * (double)i;
}

static strata_status add_range(struct strata_sweep *s, struct sweep_axis *a, const char *words,
                               struct strata_error *err)
{
    struct range r = {0};
    strata_status status = parse_range(s, a->key, words, &r, err);
    /* A hair more than the end, so that 0.1..0.3+0.1 has three values. */
    double last = r.to + fabs(r.to) * 1e-12;
    if (status == STRATA_OK && !(value_in(&r, LONGEST_RANGE) > last)) /* also what is no number */
        return refuse_range(a->key, words, "has more than a million values", err);
    for (size_t i = 0; status == STRATA_OK; i++) {
        double v = value_in(&r, i);
        if (v > last)
            break;
        char digits[32]; /* 0.7 and two steps of 0.1 are 0.9 */
        snprintf(digits, sizeof digits, "%.13g", v);
        v = strtod(digits, NULL);
        status = add_number(a, v, err);
    }
    return status;
}

/* ---- axes ---- */

static char separator_of(const char *key)
{
    const struct strata_gpu_key *k = plan_model_key(key) ? NULL : strata_gpu_find_key(key);
    bool list = k && (k->type == STRATA_GPU_UINTS || k->type == STRATA_GPU_SIZES ||
                      k->type == STRATA_GPU_DOUBLES);
    return list ? ';' : ',';
}

static strata_status add_values(struct strata_sweep *s, struct sweep_axis *a, const char *words,
                                struct strata_error *err)
{
    const char stop[2] = {separator_of(a->key), 0};
    strata_status status = STRATA_OK;
    for (const char *at = words; status == STRATA_OK;) {
        size_t n = strcspn(at, stop);
        char *one = strndup(at, n);
        if (!one)
            return no_memory(err);
        if (!n)
            status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                                 "a value is missing in \"%.80s=%.200s\".", a->key, words);
        else
            status = strstr(one, "..") ? add_range(s, a, one, err) : add_value(s, a, one, err);
        free(one);
        if (!at[n])
            break;
        at += n + 1;
    }
    return status;
}

static double product_of(const struct strata_sweep *s)
{
    double n = s->n_lines ? (double)s->n_lines : 1;
    for (size_t a = 0; a < s->n_axes; a++)
        n *= (double)s->axis[a].n;
    return n;
}

static strata_status check_count(const struct strata_sweep *s, struct strata_error *err)
{
    double n = product_of(s);
    if (n <= STRATA_SWEEP_MAX_POINTS)
        return STRATA_OK;
    return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                       "the sweep has %.0f points, more than the %d allowed; vary less at once.", n,
                       STRATA_SWEEP_MAX_POINTS);
}

strata_status strata_sweep_vary(struct strata_sweep *s, const char *words, struct strata_error *err)
{
    const char *equals = strchr(words, '=');
    if (!equals || equals == words)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--vary takes KEY=VALUES, not \"%.200s\".", words);
    if (!ARRAY_RESERVE(s->axis, s->n_axes, s->cap_axes, 1))
        return no_memory(err);
    struct sweep_axis *a = &s->axis[s->n_axes];
    memset(a, 0, sizeof *a);
    a->key = strndup(words, (size_t)(equals - words));
    if (!a->key)
        return no_memory(err);
    s->n_axes++;
    strata_status status = check_key(s, a->key, NULL, 0, err);
    for (size_t i = 0; status == STRATA_OK && i + 1 < s->n_axes; i++)
        if (!strcmp(s->axis[i].key, a->key))
            status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                                 "%.80s is varied twice; give all its values at once.", a->key);
    if (status == STRATA_OK)
        status = add_values(s, a, equals + 1, err);
    return status == STRATA_OK ? check_count(s, err) : status;
}

/* ---- lines of a file ---- */

static strata_status add_setting(struct strata_sweep *s, struct sweep_line *line, const char *word,
                                 const char *file, uint32_t number, struct strata_error *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return strata_fail(err, STRATA_EFORMAT, file, number, 0,
                           "a point is made of KEY=VALUE words, and \"%.80s\" is none.", word);
    if (!ARRAY_RESERVE(line->setting, line->n, line->cap, 1))
        return no_memory(err);
    struct sweep_setting *p = &line->setting[line->n];
    p->key = strndup(word, (size_t)(equals - word));
    strata_status status = p->key ? check_key(s, p->key, file, number, err) : no_memory(err);
    p->value = status == STRATA_OK ? spell(s, p->key, equals + 1) : NULL;
    if (status == STRATA_OK && !p->value)
        status = no_memory(err);
    if (status != STRATA_OK)
        free(p->key);
    else
        line->n++;
    return status;
}

static strata_status parse_line(struct strata_sweep *s, char *text, const char *file,
                                uint32_t number, struct strata_error *err)
{
    char *save = NULL;
    text[strcspn(text, "#")] = 0;
    char *word = strtok_r(text, " \t\r", &save);
    if (!word)
        return STRATA_OK;
    if (!ARRAY_RESERVE(s->line, s->n_lines, s->cap_lines, 1))
        return no_memory(err);
    struct sweep_line *line = &s->line[s->n_lines++];
    memset(line, 0, sizeof *line);
    strata_status status = STRATA_OK;
    for (; word && status == STRATA_OK; word = strtok_r(NULL, " \t\r", &save))
        status = add_setting(s, line, word, file, number, err);
    return status;
}

strata_status strata_sweep_parse_points(struct strata_sweep *s, const char *text, size_t length,
                                        const char *file, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    size_t before = s->n_lines;
    uint32_t number = 1;
    for (size_t at = 0; at < length && status == STRATA_OK; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t n = end ? (size_t)(end - text) - at : length - at;
        char *line = strndup(text + at, n);
        if (!line)
            return no_memory(err);
        status = parse_line(s, line, file, number, err);
        free(line);
        at += n + 1;
    }
    if (status == STRATA_OK && s->n_lines == before)
        status = strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                             "there is no point in it; write one a line, KEY=VALUE KEY=VALUE ...");
    return status == STRATA_OK ? check_count(s, err) : status;
}

strata_status strata_sweep_read_points(struct strata_sweep *s, const char *path,
                                       struct strata_error *err)
{
    char *text;
    size_t length;
    strata_status status = strata_file_read(path, LARGEST_FILE_BYTES, &text, &length, err);
    if (status != STRATA_OK)
        return status;
    status = strata_sweep_parse_points(s, text, length, path, err);
    free(text);
    return status;
}

/* ---- what a point is ---- */

size_t strata_sweep_count(const struct strata_sweep *s)
{
    return (size_t)product_of(s);
}

size_t plan_most_settings(const struct strata_sweep *s)
{
    size_t most = 0;
    for (size_t l = 0; l < s->n_lines; l++)
        most = s->line[l].n > most ? s->line[l].n : most;
    return most + s->n_axes;
}

void plan_settings(const struct strata_sweep *s, size_t i, struct sweep_settings *out)
{
    size_t per_line = 1;
    for (size_t a = 0; a < s->n_axes; a++)
        per_line *= s->axis[a].n;
    out->n = 0;
    if (s->n_lines) {
        const struct sweep_line *line = &s->line[i / per_line];
        for (; out->n < line->n; out->n++) {
            out->key[out->n] = line->setting[out->n].key;
            out->value[out->n] = line->setting[out->n].value;
        }
    }
    i %= per_line;
    for (size_t a = 0; a < s->n_axes; a++) {
        per_line /= s->axis[a].n;
        out->key[out->n] = s->axis[a].key;
        out->value[out->n++] = s->axis[a].value[i / per_line];
        i %= per_line;
    }
}

strata_status strata_sweep_settings(const struct strata_sweep *s, size_t i, char **text,
                                    struct strata_error *err)
{
    struct strata_text t = {0};
    size_t most = plan_most_settings(s) + 1;
    struct sweep_settings settings = {calloc(most, sizeof(char *)), calloc(most, sizeof(char *)),
                                      0};
    if (settings.key && settings.value)
        plan_settings(s, i, &settings);
    strata_text_put(&t, "");
    for (size_t k = 0; k < settings.n; k++)
        strata_text_printf(&t, "%s%s=%s", k ? " " : "", settings.key[k], settings.value[k]);
    bool good = settings.key && settings.value && !t.out_of_memory;
    free(settings.key);
    free(settings.value);
    *text = t.data;
    if (good)
        return STRATA_OK;
    strata_text_release(&t);
    *text = NULL;
    return no_memory(err);
}
