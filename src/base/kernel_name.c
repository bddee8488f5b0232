/* kernel_name.c - bare kernel names. */
#include <strata/kernel_name.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void copy(const char *from, size_t length, char *out, size_t size)
{
    if (length > size - 1)
        length = size - 1;
    memcpy(out, from, length);
    out[length] = 0;
}

/* The last <length><identifier> of "_ZN2at6native6kernelI..." or the only one of "_Z6kernelPf":
 * names come first in the mangling; anything else (a template argument, a parameter) ends them. */
static bool mangled_base(const char *s, char *out, size_t size)
{
    bool found = false;
    if (strncmp(s, "_Z", 2))
        return false;
    s += 2;
    if (*s == 'N')
        s++;
    while (*s == 'K' || *s == 'L') /* const member, internal linkage */
        s++;
    while (isdigit((unsigned char)*s)) {
        char *end;
        unsigned long n = strtoul(s, &end, 10);
        if (n == 0 || n > strlen(end))
            break;
        copy(end, n, out, size);
        found = true;
        s = end + n;
        while (*s == 'L')
            s++;
    }
    return found;
}

/* A namespace without a name looks like arguments; compilers spell it in two ways. */
static size_t unnamed_length(const char *s)
{
    static const char *const spellings[] = {"(anonymous namespace)::", "<unnamed>::"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (!strncmp(s, spellings[i], strlen(spellings[i])))
            return strlen(spellings[i]);
    return 0;
}

void strata_kernel_base_name(const char *name, char *out, size_t size)
{
    if (mangled_base(name, out, size))
        return;
    size_t length = strcspn(name, "<(");
    for (size_t skip; (skip = unnamed_length(name + length)) > 0; length = strcspn(name, "<("))
        name += length + skip;
    while (length && name[length - 1] == ' ')
        length--;
    size_t begin = length;
    while (begin && name[begin - 1] != ' ' && name[begin - 1] != ':' && name[begin - 1] != '*')
        begin--;
    copy(name + begin, length - begin, out, size);
}
