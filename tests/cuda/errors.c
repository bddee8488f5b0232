/* Names of errors. */
#include "check.h"

int main(void)
{
    const char *text = NULL;
    SAY(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    printf("%s\n", text);
    SAY(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    printf("%s\n", text);
    SAY(cuGetErrorName((CUresult)12345, &text));
    SHOW(text == NULL);
    SAY(cuGetErrorString((CUresult)12345, &text));
    SHOW(text == NULL);
    return 0;
}
