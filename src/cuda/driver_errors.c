/* driver_errors.c - names and sentences of error codes. */
#include "cuda/driver.h"

struct error_text {
    int code;
    const char *name, *text;
};

static const struct error_text table[] = {
#define ERROR(code, name, runtime_name, text) {code, name, text},
#include "cuda/error_names.h"
#undef ERROR
};

static const struct error_text *find(CUresult code)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == (int)code && table[i].name[0])
            return &table[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult code, const char **out)
{
    const struct error_text *e = find(code);
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = e ? e->name : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **out)
{
    const struct error_text *e = find(code);
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = e ? e->text : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
