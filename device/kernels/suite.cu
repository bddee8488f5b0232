/* suite.cu - the driver: options, the list of tests, host and device arrays. */
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int size_is_large;
static uint32_t random_state;

/* What the running test has allocated. No test needs more than a dozen. */
enum { MAX_ARRAYS = 64 };
static void *host_array[MAX_ARRAYS], *device_array[MAX_ARRAYS];
static int n_host_arrays, n_device_arrays;

int suite_pick(int small_value, int large_value)
{
    return size_is_large ? large_value : small_value;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "suite: %s: %s\n", what, why);
    exit(1);
}

void suite_require(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail(what, cudaGetErrorString(status));
}

void *suite_host(size_t bytes)
{
    if (n_host_arrays == MAX_ARRAYS)
        fail("host arrays", "a test asks for too many");
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        fail("host arrays", "out of memory");
    return host_array[n_host_arrays++] = p;
}

/* Numerical Recipes' 32-bit linear congruence; its high bits are good enough for test data. */
static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state;
}

float *suite_floats(size_t n, float low, float high)
{
    float *v = (float *)suite_host(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        v[i] = low + (high - low) * (float)(next_random() >> 8) / 16777216.0f;
    return v;
}

double *suite_doubles(size_t n, double low, double high)
{
    double *v = (double *)suite_host(n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        v[i] = low + (high - low) * (double)next_random() / 4294967296.0;
    return v;
}

uint32_t *suite_uints(size_t n, uint32_t bound)
{
    uint32_t *v = (uint32_t *)suite_host(n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        v[i] = (uint32_t)(((uint64_t)next_random() * bound) >> 32);
    return v;
}

void *suite_upload(const void *host, size_t bytes)
{
    if (n_device_arrays == MAX_ARRAYS)
        fail("device arrays", "a test asks for too many");
    void *p = NULL;
    suite_require(cudaMalloc(&p, bytes), "cudaMalloc");
    suite_require(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    return device_array[n_device_arrays++] = p;
}

void *suite_device_zeros(size_t bytes)
{
    return suite_upload(suite_host(bytes), bytes);
}

void *suite_download(const void *device, size_t bytes)
{
    void *host = suite_host(bytes);
    suite_require(cudaGetLastError(), "launch");
    suite_require(cudaDeviceSynchronize(), "kernel");
    suite_require(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost),
                  "cudaMemcpy from the device");
    return host;
}

static void release_arrays(void)
{
    while (n_host_arrays > 0)
        free(host_array[--n_host_arrays]);
    while (n_device_arrays > 0)
        suite_require(cudaFree(device_array[--n_device_arrays]), "cudaFree");
}

static double relative_error(double got, double expected)
{
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;
    double error = fabs(got - expected) / scale;
    return error == error ? error : HUGE_VAL;
}

double suite_error_floats(const float *got, const double *expected, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double error = relative_error(got[i], expected[i]);
        worst = error > worst ? error : worst;
    }
    return worst;
}

double suite_error_doubles(const double *got, const double *expected, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double error = relative_error(got[i], expected[i]);
        worst = error > worst ? error : worst;
    }
    return worst;
}

double suite_mismatches(const uint32_t *got, const uint32_t *expected, size_t n)
{
    size_t differ = 0;
    for (size_t i = 0; i < n; i++)
        differ += got[i] != expected[i];
    return (double)differ;
}

double suite_byte_mismatches(const unsigned char *got, const unsigned char *expected, size_t n)
{
    size_t differ = 0;
    for (size_t i = 0; i < n; i++)
        differ += got[i] != expected[i];
    return (double)differ;
}

/* Is name one of the comma-separated names of list, the name of an area counting for all of it? */
static int is_chosen(const char *list, const char *name, const char *area)
{
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, ",");
        if ((length == strlen(name) && !strncmp(p, name, length)) ||
            (length == strlen(area) && !strncmp(p, area, length)) ||
            (length == 3 && !strncmp(p, "all", 3)))
            return 1;
        p += length + (p[length] == ',');
    }
    return 0;
}

/* A name that chooses nothing is a typing error, not an empty run. */
static void check_names(const char *list)
{
    char name[64];
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        int found = 0;
        for (int a = 0; a < suite_n_areas; a++)
            for (int t = 0; t < suite_areas[a]->n_tests; t++)
                found |= is_chosen(name, suite_areas[a]->tests[t].name, suite_areas[a]->name);
        if (!found)
            fail(name, "no such test or area; --list names them");
        p += length + (p[length] == ',');
    }
}

/* One test; returns 1 when it failed. */
static int run_test(const struct suite_test *test)
{
    random_state = 12345;
    double error = test->run();
    int ok = error <= test->tolerance;
    printf("%-20s %s %.3g\n", test->name, ok ? "ok" : "FAILED", error);
    fflush(stdout);
    release_arrays();
    return !ok;
}

static int run_chosen(const char *list)
{
    int n_run = 0, n_failed = 0;
    for (int a = 0; a < suite_n_areas; a++)
        for (int t = 0; t < suite_areas[a]->n_tests; t++)
            if (is_chosen(list, suite_areas[a]->tests[t].name, suite_areas[a]->name)) {
                n_run++;
                n_failed += run_test(&suite_areas[a]->tests[t]);
            }
    printf("%d of %d tests ok\n", n_run - n_failed, n_run);
    return n_failed != 0;
}

/* Tab-separated: area, test, tolerance, launches in order, what it does. */
static void list_tests(void)
{
    for (int a = 0; a < suite_n_areas; a++)
        for (int t = 0; t < suite_areas[a]->n_tests; t++) {
            const struct suite_test *test = &suite_areas[a]->tests[t];
            printf("%s\t%s\t%g\t%s\t%s\n", suite_areas[a]->name, test->name, test->tolerance,
                   test->kernels, test->summary);
        }
}

static void usage(FILE *to)
{
    fprintf(to, "usage: suite [--run NAME[,NAME...]|all] [--size small|large] [--list]\n"
                "Runs CUDA kernels and checks each on the CPU; a NAME is a test or an area.\n"
                "One line a test: its name, ok or FAILED, and the largest error.\n");
}

int main(int argc, char **argv)
{
    const char *list = "all";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) {
            list_tests();
            return 0;
        } else if (!strcmp(argv[i], "--help")) {
            usage(stdout);
            return 0;
        } else if (!strcmp(argv[i], "--run") && i + 1 < argc) {
            list = argv[++i];
        } else if (!strcmp(argv[i], "--size") && i + 1 < argc &&
                   (!strcmp(argv[i + 1], "small") || !strcmp(argv[i + 1], "large"))) {
            size_is_large = !strcmp(argv[++i], "large");
        } else {
            usage(stderr);
            return 2;
        }
    }
    check_names(list);
    return run_chosen(list);
}
