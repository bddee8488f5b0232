/* gpu_value.c - one value of a description: text to field and back.
 *
 * A number may be followed by its unit. A bare number has the unit of its key; a unit that is
 * given must be that unit or one that converts to it (KiB to bytes, GHz to MHz). */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gpu/gpu_internal.h"

struct unit {
    const char *of; /* the key's unit */
    const char *spelling;
    double factor;
};

static const struct unit units[] = {
    {"bytes", "B", 1},
    {"bytes", "byte", 1},
    {"bytes", "bytes", 1},
    {"bytes", "kB", 1e3},
    {"bytes", "KB", 1e3},
    {"bytes", "MB", 1e6},
    {"bytes", "GB", 1e9},
    {"bytes", "KiB", 1024},
    {"bytes", "MiB", 1048576},
    {"bytes", "GiB", 1073741824},
    {"MHz", "MHz", 1},
    {"MHz", "GHz", 1e3},
    {"cycles", "cycle", 1},
    {"cycles", "cycles", 1},
    {"clocks", "clock", 1},
    {"clocks", "clocks", 1},
    {"steps", "step", 1},
    {"steps", "steps", 1},
    {"bytes/cycle", "bytes/cycle", 1},
    {"bytes/cycle", "B/cycle", 1},
    {"lines/cycle", "lines/cycle", 1},
    {"lines/cycle", "line/cycle", 1},
};

static bool refuse(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(char *why, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return false;
}

static void *field(struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    return (char *)gpu + key->offset;
}

static const void *const_field(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    return (const char *)gpu + key->offset;
}

static uint32_t *count_of(struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    return (uint32_t *)(void *)((char *)gpu + key->count_offset);
}

static const uint32_t *const_count(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    return (const uint32_t *)(const void *)((const char *)gpu + key->count_offset);
}

static bool is_real(const struct strata_gpu_key *key)
{
    return key->type == STRATA_GPU_DOUBLE || key->type == STRATA_GPU_DOUBLES;
}

/* strtod alone would take "inf", "nan" and hexadecimal. */
static bool leading_number(const char *text, double *value, const char **rest)
{
    size_t n = strspn(text, "0123456789.");
    if (text[n] == 'e' || text[n] == 'E') {
        size_t m = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-');
        size_t digits = strspn(text + m, "0123456789");
        if (digits)
            n = m + digits;
    }
    char buffer[64];
    if (!n || n >= sizeof buffer || text[0] == '.')
        return false;
    memcpy(buffer, text, n);
    buffer[n] = 0;
    char *end;
    errno = 0;
    *value = strtod(buffer, &end);
    *rest = text + n;
    return !*end && !errno;
}

static bool unit_factor(const struct strata_gpu_key *key, const char *spelling, double *factor)
{
    *factor = 1;
    if (!*spelling || !strcmp(spelling, key->unit))
        return true;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(units[i].of, key->unit) && !strcmp(units[i].spelling, spelling)) {
            *factor = units[i].factor;
            return true;
        }
    return false;
}

static const char *kind_of_number(const struct strata_gpu_key *key)
{
    return !strcmp(key->unit, "bytes") ? "a size such as 96KiB"
           : is_real(key)              ? "a number"
                                       : "a whole number";
}

static bool number(const struct strata_gpu_key *key, const char *text, double *value, char *why,
                   size_t size)
{
    const char *rest;
    double factor;
    if (!leading_number(text, value, &rest))
        return refuse(why, size, "\"%.40s\" is not %s", text, kind_of_number(key));
    while (*rest == ' ')
        rest++;
    if (!unit_factor(key, rest, &factor)) {
        if (!*key->unit)
            return refuse(why, size, "\"%.40s\" is not %s (the key has no unit)", text,
                          kind_of_number(key));
        return refuse(why, size, "\"%.20s\" is not a unit of this key, which is in %s", rest,
                      key->unit);
    }
    *value *= factor;
    if (!is_real(key) && *value != floor(*value))
        return refuse(why, size, "\"%.40s\" is not a whole number%s%s", text,
                      *key->unit ? " of " : "", key->unit);
    if (*value < key->min)
        return refuse(why, size, "\"%.40s\" is below the least allowed, %.15g", text, key->min);
    if (*value > key->max)
        return refuse(why, size, "\"%.40s\" is above the most allowed, %.15g", text, key->max);
    return true;
}

static bool boolean(const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(text, words[i])) {
            *value = i & 1;
            return true;
        }
    return false;
}

static bool store_enum(uint32_t *out, const struct strata_gpu_key *key, const char *text, char *why,
                       size_t size)
{
    char choices[256] = "";
    for (uint32_t i = 0; key->names[i]; i++) {
        if (!strcmp(key->names[i], text)) {
            *out = i;
            return true;
        }
        size_t used = strlen(choices);
        snprintf(choices + used, sizeof choices - used, "%s%s", i ? ", " : "", key->names[i]);
    }
    return refuse(why, size, "\"%.40s\" is not one of %s", text, choices);
}

static bool store_string(char *out, const struct strata_gpu_key *key, const char *text, char *why,
                         size_t size)
{
    if (strlen(text) >= key->capacity)
        return refuse(why, size, "the text is longer than %u bytes", key->capacity - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return refuse(why, size, "the text holds a line break or a control character");
    if (!strata_text_is_utf8(text, strlen(text)))
        return refuse(why, size, "the text is not UTF-8");
    memset(out, 0, key->capacity);
    memcpy(out, text, strlen(text));
    return true;
}

bool gpu_store_scalar(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                      char *why, size_t size)
{
    void *out = field(gpu, key);
    double value;
    switch (key->type) {
    case STRATA_GPU_BOOL:
        return boolean(text, out) || refuse(why, size, "\"%.40s\" is neither true nor false", text);
    case STRATA_GPU_ENUM:
        return store_enum(out, key, text, why, size);
    case STRATA_GPU_STRING:
        return store_string(out, key, text, why, size);
    default:
        break;
    }
    if (!number(key, text, &value, why, size))
        return false;
    if (key->type == STRATA_GPU_DOUBLE)
        *(double *)out = value;
    else if (key->type == STRATA_GPU_SIZE)
        *(uint64_t *)out = (uint64_t)value;
    else
        *(uint32_t *)out = (uint32_t)value;
    return true;
}

bool gpu_is_list(const struct strata_gpu_key *key)
{
    return key->type == STRATA_GPU_UINTS || key->type == STRATA_GPU_SIZES ||
           key->type == STRATA_GPU_DOUBLES;
}

static size_t element_size(const struct strata_gpu_key *key)
{
    return key->type == STRATA_GPU_UINTS ? sizeof(uint32_t) : 8;
}

void gpu_list_clear(struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    memset(field(gpu, key), 0, key->capacity * element_size(key));
    *count_of(gpu, key) = 0;
}

static bool push(struct strata_gpu *gpu, const struct strata_gpu_key *key, double value, char *why,
                 size_t size)
{
    uint32_t *n = count_of(gpu, key);
    if (*n >= key->capacity)
        return refuse(why, size, "the list has more than %u elements", key->capacity);
    void *out = (char *)field(gpu, key) + *n * element_size(key);
    if (key->type == STRATA_GPU_UINTS)
        *(uint32_t *)out = (uint32_t)value;
    else if (key->type == STRATA_GPU_SIZES)
        *(uint64_t *)out = (uint64_t)value;
    else
        *(double *)out = value;
    ++*n;
    return true;
}

/* "a-b" and "a-b/step", up or down. */
static bool append_range(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                         char *why, size_t size)
{
    unsigned first, last, step = 1;
    int end = 0, end_step = 0;
    if (sscanf(text, "%6u-%6u%n/%6u%n", &first, &last, &end, &step, &end_step) < 2 || !step ||
        text[end_step ? end_step : end])
        return refuse(why, size, "\"%.40s\" is not a range such as 0-15 or 0-30/2", text);
    if (first > key->max || last > key->max)
        return refuse(why, size, "\"%.40s\" goes above the most allowed, %.15g", text, key->max);
    for (unsigned x = first; first <= last ? x <= last : x >= last && x <= first;
         x = first <= last ? x + step : x - step)
        if (!push(gpu, key, x, why, size))
            return false;
    return true;
}

static bool append_repeated(struct strata_gpu *gpu, const struct strata_gpu_key *key,
                            const char *text, const char *star, char *why, size_t size)
{
    char item[64];
    unsigned times;
    int end = 0;
    double value;
    if ((size_t)(star - text) >= sizeof item || sscanf(star + 1, "%6u%n", &times, &end) < 1 ||
        star[1 + end])
        return refuse(why, size, "\"%.40s\" is not of the form value*times", text);
    memcpy(item, text, (size_t)(star - text));
    item[star - text] = 0;
    if (!number(key, item, &value, why, size))
        return false;
    for (unsigned i = 0; i < times; i++)
        if (!push(gpu, key, value, why, size))
            return false;
    return true;
}

bool gpu_list_append(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                     char *why, size_t size)
{
    const char *star = strchr(text, '*');
    if (star)
        return append_repeated(gpu, key, text, star, why, size);
    if (key->type == STRATA_GPU_UINTS && text[0] != '-' && strchr(text, '-'))
        return append_range(gpu, key, text, why, size);
    double value;
    return number(key, text, &value, why, size) && push(gpu, key, value, why, size);
}

/* ---- fields as numbers ---- */

uint32_t strata_gpu_count(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    return gpu_is_list(key) ? *const_count(gpu, key) : 1;
}

double strata_gpu_number(const struct strata_gpu *gpu, const struct strata_gpu_key *key, uint32_t i)
{
    const void *v = const_field(gpu, key);
    switch (key->type) {
    case STRATA_GPU_SIZE:
    case STRATA_GPU_SIZES:
        return (double)((const uint64_t *)v)[i];
    case STRATA_GPU_DOUBLE:
    case STRATA_GPU_DOUBLES:
        return ((const double *)v)[i];
    case STRATA_GPU_BOOL:
        return *(const bool *)v;
    default:
        return ((const uint32_t *)v)[i];
    }
}

static uint32_t last_name(const struct strata_gpu_key *key)
{
    uint32_t n = 0;
    while (key->names[n + 1])
        n++;
    return n;
}

bool gpu_in_bounds(const struct strata_gpu *gpu, const struct strata_gpu_key *key, char *why,
                   size_t size)
{
    uint32_t n = strata_gpu_count(gpu, key);
    double min = key->min, max = key->names ? last_name(key) : key->max;
    if (key->type == STRATA_GPU_STRING)
        return memchr(const_field(gpu, key), 0, key->capacity) ||
               refuse(why, size, "the text does not end");
    if (gpu_is_list(key) && n > key->capacity)
        return refuse(why, size, "the list has more than %u elements", key->capacity);
    for (uint32_t i = 0; i < n; i++) {
        double value = strata_gpu_number(gpu, key, i);
        if (!(value >= min))
            return refuse(why, size, "%.15g is below the least allowed, %.15g", value, min);
        if (value > max)
            return refuse(why, size, "%.15g is above the most allowed, %.15g", value, max);
    }
    return true;
}

/* ---- value -> text ---- */

struct text {
    char *out;
    size_t size, used;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->out + t->used, t->size - t->used, format, args);
    va_end(args);
    if (n > 0)
        t->used = t->used + (size_t)n < t->size ? t->used + (size_t)n : t->size - 1;
}

static void add_size(struct text *t, uint64_t bytes)
{
    static const char *const suffix[] = {"", "KiB", "MiB", "GiB"};
    size_t i = 0;
    while (bytes && i < 3 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    add(t, "%llu%s", (unsigned long long)bytes, suffix[i]);
}

const char *strata_gpu_size_text(uint64_t bytes, char *out, size_t size)
{
    struct text t = {out, size, 0};
    if (size)
        add_size(&t, bytes);
    return out;
}

/* The shortest of 15, 16 or 17 digits that reads back as the same number. */
static void add_real(struct text *t, double value)
{
    char buffer[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    add(t, "%s", buffer);
}

/* Runs of at least three equal or consecutive numbers are written short. */
static size_t run_length(const uint32_t *v, size_t n, uint32_t step)
{
    size_t k = 1;
    while (k < n && v[k] == v[k - 1] + step)
        k++;
    return k;
}

static void add_uints(struct text *t, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t up = run_length(v + i, n - i, 1), same = run_length(v + i, n - i, 0);
        add(t, "%s%u", i ? ", " : "", v[i]);
        if (up >= 2)
            add(t, "-%u", v[i + up - 1]);
        else if (same >= 3)
            add(t, "*%zu", same);
        else
            same = 1;
        i += up >= 2 ? up : same;
    }
}

static void add_list(struct text *t, const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    const void *v = const_field(gpu, key);
    uint32_t n = *const_count(gpu, key);
    if (key->type == STRATA_GPU_UINTS) {
        add_uints(t, v, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        add(t, "%s", i ? ", " : "");
        if (key->type == STRATA_GPU_SIZES)
            add_size(t, ((const uint64_t *)v)[i]);
        else
            add_real(t, ((const double *)v)[i]);
    }
}

/* A field may have been set by a program to a value that has no name. */
static const char *enum_name(const struct strata_gpu_key *key, uint32_t value)
{
    for (uint32_t i = 0; key->names[i]; i++)
        if (i == value)
            return key->names[i];
    return "?";
}

const char *strata_gpu_value_text(const struct strata_gpu *gpu, const struct strata_gpu_key *key,
                                  char *out, size_t size)
{
    struct text t = {out, size, 0};
    const void *v = const_field(gpu, key);
    if (!size)
        return out;
    out[0] = 0;
    switch (key->type) {
    case STRATA_GPU_BOOL:
        add(&t, "%s", *(const bool *)v ? "true" : "false");
        break;
    case STRATA_GPU_UINT:
        add(&t, "%u", *(const uint32_t *)v);
        break;
    case STRATA_GPU_SIZE:
        add_size(&t, *(const uint64_t *)v);
        break;
    case STRATA_GPU_SIZE32:
        add_size(&t, *(const uint32_t *)v);
        break;
    case STRATA_GPU_DOUBLE:
        add_real(&t, *(const double *)v);
        break;
    case STRATA_GPU_ENUM:
        add(&t, "%s", enum_name(key, *(const uint32_t *)v));
        break;
    case STRATA_GPU_STRING:
        add(&t, "%s", (const char *)v);
        break;
    case STRATA_GPU_UINTS:
    case STRATA_GPU_SIZES:
    case STRATA_GPU_DOUBLES:
        add_list(&t, gpu, key);
        break;
    }
    return out;
}
