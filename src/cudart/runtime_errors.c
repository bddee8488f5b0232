/* runtime_errors.c - names and sentences of error codes, from the table both libraries share. */
#include "cudart/runtime.h"

struct error_text {
    int code;
    const char *name, *text;
};

static const struct error_text table[] = {
#define ERROR(code, driver_name, name, text) {code, name, text},
#include "cuda/error_names.h"
#undef ERROR
};

static const struct error_text *find(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == code && table[i].name[0])
            return &table[i];
    return NULL;
}

const char *cudaGetErrorString(int status);
const char *cudaGetErrorName(int status);

__attribute__((visibility("default"))) const char *cudaGetErrorString(int status)
{
    const struct error_text *e = find(status);
    return e ? e->text : "unrecognized error code";
}

__attribute__((visibility("default"))) const char *cudaGetErrorName(int status)
{
    const struct error_text *e = find(status);
    return e ? e->name : "unrecognized error code";
}
