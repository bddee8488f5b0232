/* units.c - conversion between spellings of a unit. */
#include "correlate/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Spellings by what they measure. The kinds matter only for being equal or not. Profilers scale in
 * steps of 1000, also bytes. */
static const struct {
    const char *name;
    char kind;
    bool scales; /* takes K, M, G, T and n, u, m */
} bases[] = {
    {"second", 't', true},    {"s", 't', true},         {"byte", 'b', true},
    {"B", 'b', true},         {"sector", 's', true},    {"sectors", 's', true},
    {"request", 'r', true},   {"requests", 'r', true},  {"inst", 'i', true},
    {"warp", 'w', true},      {"warps", 'w', true},     {"cycle", 'c', true},
    {"cycles", 'c', true},    {"thread", 'h', true},    {"threads", 'h', true},
    {"block", 'k', true},     {"blocks", 'k', true},    {"register", 'g', true},
    {"registers", 'g', true}, {"wavefront", 'f', true}, {"conflict", 'n', true},
    {"issue", 'u', false},    {"wave", 'v', false},     {"%", '%', false},
};

static const struct {
    const char *prefix;
    int power; /* of ten; whole numbers, so that microseconds to nanoseconds is 1000 and nothing
                  else */
} prefixes[] = {{"", 0},   {"K", 3},  {"k", 3},  {"M", 6}, {"G", 9},
                {"T", 12}, {"m", -3}, {"u", -6}, {"n", -9}};

static bool parse_part(const char *text, size_t length, char *kind, int *power)
{
    for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
        size_t n = strlen(bases[b].name);
        if (n > length || strncmp(text + length - n, bases[b].name, n))
            continue;
        for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++)
            if (strlen(prefixes[p].prefix) == length - n &&
                !strncmp(text, prefixes[p].prefix, length - n) &&
                (bases[b].scales || length == n)) {
                *kind = bases[b].kind;
                *power = prefixes[p].power;
                return true;
            }
    }
    return false;
}

struct unit {
    char over, under; /* kinds; under 0: not a quotient */
    int power;
};

static bool parse_unit(const char *text, struct unit *out)
{
    /* Clocks are the one quotient with a name of its own: "Ghz", "hz", "Mhz". */
    size_t length = strlen(text);
    int below = 0;
    out->under = 0;
    if (length >= 2 && length <= 3 &&
        (!strcmp(text + length - 2, "hz") || !strcmp(text + length - 2, "Hz"))) {
        out->over = 'c';
        out->under = 't';
        out->power = text[0] == 'G'                     ? 9
                     : text[0] == 'M'                   ? 6
                     : text[0] == 'K' || text[0] == 'k' ? 3
                                                        : 0;
        return true;
    }
    size_t slash = strcspn(text, "/");
    if (!parse_part(text, slash, &out->over, &out->power))
        return false;
    if (text[slash] && !parse_part(text + slash + 1, strlen(text + slash + 1), &out->under, &below))
        return false;
    out->power -= below;
    return true;
}

/* Nsight Compute 2025 calls warps for each issued instruction "inst", earlier versions "warp". */
static bool is_profilers_word(const char *from, const char *to)
{
    return !strcmp(from, "inst") && !strcmp(to, "warp/issue");
}

bool strata_unit_factor(const char *from, const char *to, double *factor)
{
    struct unit a, b;
    *factor = 1;
    if (!*from || !strcmp(from, to) || is_profilers_word(from, to))
        return true;
    if (!parse_unit(from, &a) || !parse_unit(to, &b) || a.over != b.over)
        return false;
    /* "register" for "register/thread", "byte" for "byte/block": the same number, told more or less
     * exactly by different versions. Rates over time are another matter. */
    if (a.under != b.under && (a.under == 't' || b.under == 't' || (a.under && b.under)))
        return false;
    *factor = pow(10, a.power - b.power);
    return true;
}
