/* demangle.c - kernel names out of the Itanium C++ ABI's mangling (its section 5.1), which nvcc and
 * clang use. Only what names a function: namespaces, template arguments with their types and
 * numbers, substitutions. Parameters and the result's type are not read. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>

enum { MOST_OUT = 2048, MOST_PARTS = 48, MOST_DEPTH = 24 };

struct demangler {
    const char *at;
    size_t length, depth;
    /* Where each substitutable part lies in `kept`, S_ first. */
    size_t part_begin[MOST_PARTS], part_length[MOST_PARTS], n_parts, kept_length;
    char out[MOST_OUT], kept[4 * MOST_OUT];
};

static bool put(struct demangler *d, const char *words, size_t n)
{
    if (d->length + n >= MOST_OUT)
        return false;
    memcpy(d->out + d->length, words, n);
    d->length += n;
    d->out[d->length] = 0;
    return true;
}

static bool put_words(struct demangler *d, const char *words)
{
    return put(d, words, strlen(words));
}

/* The letter is read if it is next; what is not there is not stepped over: a name may end here. */
static bool take(struct demangler *d, char letter)
{
    bool is_next = *d->at == letter;
    d->at += is_next;
    return is_next;
}

/* What was written since `begin` can be named again by S_, S0_, ... */
static bool keep(struct demangler *d, size_t begin)
{
    size_t n = d->length - begin;
    if (d->n_parts == MOST_PARTS || d->kept_length + n > sizeof d->kept)
        return false;
    memcpy(d->kept + d->kept_length, d->out + begin, n);
    d->part_begin[d->n_parts] = d->kept_length;
    d->part_length[d->n_parts++] = n;
    d->kept_length += n;
    return true;
}

static bool put_source_name(struct demangler *d)
{
    char *end;
    unsigned long n = strtoul(d->at, &end, 10);
    if (!n || n > strlen(end))
        return false;
    d->at = end + n;
    if (n >= 11 && !strncmp(end, "_GLOBAL__N_", 11))
        return put_words(d, "(anonymous)");
    return put(d, end, n);
}

/* S_ is the first, S0_ the second, in base 36; false also for one that was never kept. */
static bool put_kept(struct demangler *d)
{
    size_t index = 0;
    if (*d->at != '_') {
        for (; isdigit((unsigned char)*d->at) || isupper((unsigned char)*d->at); d->at++) {
            index = 36 * index +
                    (size_t)(isdigit((unsigned char)*d->at) ? *d->at - '0' : *d->at - 'A' + 10);
            if (index > MOST_PARTS)
                return false;
        }
        index++;
    }
    if (!take(d, '_') || index >= d->n_parts)
        return false;
    return put(d, d->kept + d->part_begin[index], d->part_length[index]);
}

/* After an S. *is_std: only "std" was written, and a name has to follow. */
static bool put_substitution(struct demangler *d, bool *is_std)
{
    static const struct {
        char letter;
        const char *words;
    } known[] = {{'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
                 {'i', "std::istream"},   {'o', "std::ostream"},      {'d', "std::iostream"}};
    *is_std = *d->at == 't';
    if (*is_std) {
        d->at++;
        return put_words(d, "std");
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (*d->at == known[i].letter) {
            d->at++;
            return put_words(d, known[i].words);
        }
    return put_kept(d);
}

static bool put_type(struct demangler *d);
static bool put_arguments(struct demangler *d);

/* One part of a name and the template arguments behind it; each can be named again. */
static bool put_part(struct demangler *d, size_t begin, bool *keeps)
{
    bool is_std = false;
    *keeps = true;
    while (*d->at == 'L') /* internal linkage */
        d->at++;
    if (*d->at == 'S') {
        d->at++;
        *keeps = false;
        if (!put_substitution(d, &is_std))
            return false;
        if (!is_std || *d->at == 'E')
            return true;
        *keeps = true;
        return isdigit((unsigned char)*d->at) && put_words(d, "::") && put_source_name(d);
    }
    if (d->length > begin && !put_words(d, "::"))
        return false;
    return isdigit((unsigned char)*d->at) && put_source_name(d);
}

/* The template arguments behind what was written since `begin`. Those of the kernel itself come
 * last in its name: where they cannot be read, "<...>" stands for them and *cut_short tells it. */
static bool put_own_arguments(struct demangler *d, size_t begin, bool *cut_short)
{
    size_t name_end = d->length;
    if (put_arguments(d) && keep(d, begin))
        return true;
    if (!cut_short)
        return false;
    d->length = name_end;
    *cut_short = true;
    return put_words(d, "<...>");
}

/* N ... E, or one part alone. `cut_short` is NULL but for the kernel's own name. */
static bool put_name(struct demangler *d, bool *cut_short)
{
    size_t begin = d->length;
    bool nested = *d->at == 'N', keeps;
    if (nested)
        d->at++;
    while (nested && (*d->at == 'K' || *d->at == 'V' || *d->at == 'r'))
        d->at++;
    do {
        if (!put_part(d, begin, &keeps) || (keeps && !keep(d, begin)))
            return false;
        if (*d->at == 'I' && !put_own_arguments(d, begin, cut_short))
            return false;
    } while (nested && *d->at != 'E' && !(cut_short && *cut_short));
    d->at += nested;
    return true;
}

/* NULL: no built-in type, or one with more letters. */
static const char *builtin_type(char letter)
{
    static const char *const names['z' - 'a' + 1] = {
        ['v' - 'a'] = "void",        ['w' - 'a'] = "wchar_t",
        ['b' - 'a'] = "bool",        ['c' - 'a'] = "char",
        ['a' - 'a'] = "signed char", ['h' - 'a'] = "unsigned char",
        ['s' - 'a'] = "short",       ['t' - 'a'] = "unsigned short",
        ['i' - 'a'] = "int",         ['j' - 'a'] = "unsigned int",
        ['l' - 'a'] = "long",        ['m' - 'a'] = "unsigned long",
        ['x' - 'a'] = "long long",   ['y' - 'a'] = "unsigned long long",
        ['n' - 'a'] = "__int128",    ['o' - 'a'] = "unsigned __int128",
        ['f' - 'a'] = "float",       ['d' - 'a'] = "double",
        ['e' - 'a'] = "long double", ['g' - 'a'] = "__float128",
        ['z' - 'a'] = "..."};
    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

/* "float const*", as demanglers write it. */
static bool put_decorated(struct demangler *d, const char *decoration)
{
    size_t begin = d->length;
    d->at++;
    return put_type(d) && put_words(d, decoration) && keep(d, begin);
}

static bool put_array(struct demangler *d)
{
    size_t begin = d->length, digits = strspn(d->at + 1, "0123456789");
    const char *number = d->at + 1;
    d->at = number + digits;
    return take(d, '_') && put_type(d) && put_words(d, " [") && put(d, number, digits) &&
           put_words(d, "]") && keep(d, begin);
}

static bool put_undecorated(struct demangler *d)
{
    const char *name = builtin_type(*d->at);
    if (name) {
        d->at++;
        return put_words(d, name);
    }
    if (!strncmp(d->at, "Dh", 2) || !strncmp(d->at, "Dn", 2)) {
        bool is_half = d->at[1] == 'h';
        d->at += 2;
        return put_words(d, is_half ? "half" : "decltype(nullptr)");
    }
    return (*d->at == 'N' || *d->at == 'S' || isdigit((unsigned char)*d->at)) && put_name(d, NULL);
}

static bool put_type(struct demangler *d)
{
    if (++d->depth > MOST_DEPTH)
        return false;
    bool done = *d->at == 'P'   ? put_decorated(d, "*")
                : *d->at == 'R' ? put_decorated(d, "&")
                : *d->at == 'O' ? put_decorated(d, "&&")
                : *d->at == 'K' ? put_decorated(d, " const")
                : *d->at == 'V' ? put_decorated(d, " volatile")
                : *d->at == 'A' ? put_array(d)
                                : put_undecorated(d);
    d->depth--;
    return done;
}

/* L type number E: numbers of plain types by themselves, those of enumerations with their type. */
static bool put_literal(struct demangler *d)
{
    size_t begin = d->length;
    bool is_bool = d->at[1] == 'b', plain = builtin_type(d->at[1]) != NULL;
    d->at++;
    if (!plain && !put_words(d, "("))
        return false;
    if (!put_type(d))
        return false;
    if (plain)
        d->length = begin;
    else if (!put_words(d, ")"))
        return false;
    if (*d->at == 'n') {
        d->at++;
        if (!put_words(d, "-"))
            return false;
    }
    size_t n = strspn(d->at, "0123456789");
    const char *number = d->at;
    d->at += n;
    bool done = is_bool ? put_words(d, *number == '1' ? "true" : "false") : put(d, number, n);
    return n && done && take(d, 'E');
}

/* A list up to its E, with commas; a pack (J ... E) goes into the list around it. */
static bool put_list(struct demangler *d, bool *first)
{
    if (++d->depth > MOST_DEPTH)
        return false;
    for (; *d->at != 'E'; *first = false) {
        if (*d->at == 'J') {
            d->at++;
            if (!put_list(d, first))
                return false;
            continue;
        }
        if (!*first && !put_words(d, ", "))
            return false;
        if (!(*d->at == 'L' ? put_literal(d) : put_type(d)))
            return false;
    }
    d->at++;
    d->depth--;
    return true;
}

static bool put_arguments(struct demangler *d)
{
    bool first = true;
    d->at++;
    return put_words(d, "<") && put_list(d, &first) && put_words(d, ">");
}

static void cut(const char *words, char *out, size_t size)
{
    size_t n = strlen(words);
    if (n < size) {
        memcpy(out, words, n + 1);
        return;
    }
    snprintf(out, size, "%.*s...", size > 4 ? (int)size - 4 : 0, words);
}

/* "void ns::gemm<8>(float *)" without its result and its parameters; those are the last pair of
 * parentheses, which may hold others. */
static void cut_written(const char *name, char *out, size_t size)
{
    char kept[1024];
    size_t n = strlen(name), open = 0;
    if (!strncmp(name, "void ", 5)) {
        name += 5;
        n -= 5;
    }
    if (n && name[n - 1] == ')')
        for (size_t i = n; i-- > 0;) {
            open += name[i] == ')';
            open -= name[i] == '(';
            if (!open) {
                n = i ? i : n;
                break;
            }
        }
    snprintf(kept, sizeof kept, "%.*s", n < sizeof kept ? (int)n : (int)sizeof kept - 1, name);
    cut(kept, out, size);
}

void strata_kernel_display_name(const char *name, char *out, size_t size)
{
    struct demangler d = {.at = name + 2};
    bool cut_short = false;
    if (strncmp(name, "_Z", 2))
        cut_written(name, out, size);
    else if (put_name(&d, &cut_short))
        cut(d.out, out, size);
    else
        strata_kernel_base_name(name, out, size);
}

void strata_launch_name(const char *program, const char *trace, uint64_t id, const char *kernel,
                        char out[STRATA_LAUNCH_NAME_SIZE])
{
    char name[160];
    strata_kernel_display_name(kernel, name, sizeof name);
    if (*trace)
        snprintf(out, STRATA_LAUNCH_NAME_SIZE, "%.160s/%.160s%s%s", program, trace,
                 *name ? "  " : "", name);
    else
        snprintf(out, STRATA_LAUNCH_NAME_SIZE, "%llu:%s", (unsigned long long)id, name);
}
