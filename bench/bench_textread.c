/* bench_textread.c - how fast compressed text traces are read, beside `xz -dc` alone.
 *
 * usage: bench_textread FILE.traceg.xz...
 *
 * CPU seconds of one core, best of three: of `xz -dc FILE` as its own process, and of reading the
 * file block by block into byte code. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/trace.h>

enum { REPEATS = 3 };

static double cpu_seconds(const struct rusage *u)
{
    return (double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* CPU seconds of `xz -dc path > /dev/null`; negative if it could not run. */
static double time_xz(const char *path)
{
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execlp("xz", "xz", "-dc", "-T1", path, (char *)NULL);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        return -1;
    return cpu_seconds(&usage);
}

static void give_up(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_textread: %s\n", text);
    exit(3);
}

static uint64_t read_all(const char *path)
{
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_error err;
    strata_status st;
    uint64_t n = 0;
    if (strata_trace_open(path, NULL, &t, &err) || strata_reader_open(t, 0, &r, &err))
        give_up(&err);
    while (!(st = strata_reader_next(r, &b, &err))) {
        for (uint32_t w = 0; w < b->n_warps; w++)
            n += b->warp_instructions[w];
        strata_block_destroy(b);
    }
    if (st != STRATA_END)
        give_up(&err);
    strata_reader_close(r);
    strata_trace_close(t);
    return n;
}

static double time_read(const char *path, uint64_t *instructions)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    *instructions = read_all(path);
    getrusage(RUSAGE_SELF, &after);
    return cpu_seconds(&after) - cpu_seconds(&before);
}

static const char *short_name(const char *path)
{
    const char *p = path + strlen(path);
    for (int slashes = 0; p > path && (p[-1] != '/' || ++slashes < 2);)
        p--;
    return p;
}

int main(int argc, char **argv)
{
    double xz_total = 0, read_total = 0;
    uint64_t total = 0;
    printf("%-36s %12s %8s %8s %10s %8s\n", "trace", "warp insts", "xz s", "read s", "M insts/s",
           "x xz");
    for (int i = 1; i < argc; i++) {
        double xz = -1, read = -1;
        uint64_t n = 0;
        for (int k = 0; k < REPEATS; k++) {
            double x = time_xz(argv[i]), r = time_read(argv[i], &n);
            xz = k && xz < x ? xz : x;
            read = k && read < r ? read : r;
        }
        if (xz < 0) {
            fprintf(stderr, "bench_textread: xz cannot be run\n");
            return 4;
        }
        printf("%-36s %12llu %8.3f %8.3f %10.2f %8.2f\n", short_name(argv[i]),
               (unsigned long long)n, xz, read, (double)n / read / 1e6, read / xz);
        xz_total += xz;
        read_total += read;
        total += n;
    }
    if (!total)
        return 2;
    printf("%-36s %12llu %8.3f %8.3f %10.2f %8.2f\n", "all", (unsigned long long)total, xz_total,
           read_total, (double)total / read_total / 1e6, read_total / xz_total);
    return 0;
}
