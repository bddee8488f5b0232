/* bench_interval.c - profiles of launches, stored; evaluated for all variants or for many GPUs.
 *
 *   bench_interval profile GPU OUT TRACE...   writes OUT
 *   bench_interval table GPU PROFILE          cycles of each launch by each variant, as CSV
 *   bench_interval parts GPU PROFILE          the same for the default with each of its parts left
 * out bench_interval time GPU PROFILE N         N configurations of every launch, and what one took
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/interval.h>
#include <strata/predict.h>

static int fail(const struct strata_error *err)
{
    fprintf(stderr, "bench_interval: %s: %s\n", err->file, err->message);
    return 1;
}

static int write_profile(const struct strata_gpu *gpu, const char *out, char **paths, int n_paths)
{
    struct strata_launch_set set = {0};
    struct strata_interval_profile *p;
    struct strata_error err = {0};
    strata_status st = strata_interval_create(&p, &err);
    for (int i = 0; st == STRATA_OK && i < n_paths; i++)
        st = strata_launch_set_add(&set, paths[i], NULL, NULL, NULL, &err);
    for (size_t i = 0; st == STRATA_OK && i < set.n_launches; i++) {
        struct strata_reader *reader;
        st = strata_reader_open(set.launch[i].trace, set.launch[i].index, &reader, &err);
        if (st != STRATA_OK)
            break;
        st = strata_interval_profile_launch(p, gpu, reader, 1, &err);
        strata_reader_close(reader);
    }
    if (st == STRATA_OK)
        st = strata_interval_save(p, out, &err);
    strata_interval_destroy(p);
    strata_launch_set_release(&set);
    return st == STRATA_OK ? 0 : fail(&err);
}

static void print_table(const struct strata_gpu *gpu, const struct strata_interval_profile *p)
{
    printf("program,trace,divergent");
    for (int v = 0; v < STRATA_INTERVAL_N_VARIANTS; v++)
        printf(",%s", strata_interval_variant_name((enum strata_interval_variant)v));
    printf("\n");
    for (size_t i = 0; i < strata_interval_count(p); i++) {
        struct strata_interval_result r;
        strata_interval_evaluate(p, i, gpu, STRATA_INTERVAL_MDM, &r);
        printf("%s,%s,%d", strata_interval_program(p, i), strata_interval_trace(p, i), r.divergent);
        for (int v = 0; v < STRATA_INTERVAL_N_VARIANTS; v++) {
            strata_interval_evaluate(p, i, gpu, (enum strata_interval_variant)v, &r);
            printf(",%.1f", r.cycles);
        }
        printf("\n");
    }
}

static void print_parts(const struct strata_gpu *gpu, const struct strata_interval_profile *p)
{
    printf("program,trace,divergent,default");
    for (unsigned k = 0; strata_interval_part_name(k); k++)
        printf(",no %s", strata_interval_part_name(k));
    printf("\n");
    for (size_t i = 0; i < strata_interval_count(p); i++) {
        struct strata_interval_result r;
        strata_interval_evaluate(p, i, gpu, STRATA_INTERVAL_DEFAULT, &r);
        printf("%s,%s,%d,%.1f", strata_interval_program(p, i), strata_interval_trace(p, i),
               r.divergent, r.cycles);
        for (unsigned k = 0; strata_interval_part_name(k); k++) {
            strata_interval_evaluate_parts(p, i, gpu, STRATA_INTERVAL_DEFAULT,
                                           STRATA_INTERVAL_ALL_PARTS & ~(1u << k), &r);
            printf(",%.1f", r.cycles);
        }
        printf("\n");
    }
}

/* Configurations that differ in what may differ: SMs, clock, MSHRs, latencies, DRAM channels. */
static void time_configurations(struct strata_gpu *gpu, const struct strata_interval_profile *p,
                                long n)
{
    struct timespec a, b;
    struct strata_gpu base = *gpu;
    double sum = 0, slowest = 0;
    size_t launches = strata_interval_count(p);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (long k = 0; k < n; k++) {
        struct timespec c, d;
        gpu->sm.count = base.sm.count / 2 + (uint32_t)(k % 67);
        gpu->l1.mshrs = 32 + (uint32_t)(k % 7) * 32;
        gpu->l2.hit_cycles = base.l2.hit_cycles + (uint32_t)(k % 11) * 10;
        gpu->dram.channels = base.dram.channels / 2 + (uint32_t)(k % 13) * 4;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c);
        for (size_t i = 0; i < launches; i++) {
            struct strata_interval_result r;
            strata_interval_evaluate(p, i, gpu,
                                     k % 2 ? STRATA_INTERVAL_DEFAULT : STRATA_INTERVAL_MDM, &r);
            sum += r.cycles;
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &d);
        double one = ((double)(d.tv_sec - c.tv_sec) * 1e6 + (double)(d.tv_nsec - c.tv_nsec) / 1e3) /
                     (double)launches;
        slowest = one > slowest ? one : slowest;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    printf("%ld configurations of %zu launches: %.2f s of one core, %.2f us for one launch on "
           "average, %.2f us in the slowest "
           "configuration (sum of cycles %.6g)\n",
           n, launches, seconds, seconds * 1e6 / (double)n / (double)launches, slowest, sum);
}

int main(int argc, char **argv)
{
    struct strata_error err = {0};
    struct strata_interval_profile *p;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_interval profile GPU OUT TRACE... | table GPU PROFILE | time "
                        "GPU PROFILE N\n");
        return 2;
    }
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    if (getenv("STRATA_SOURCE")) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
        strata_gpu_add_path(folder, &err);
    }
    int code = 0;
    if (!gpu || strata_gpu_load(argv[2], gpu, &err) != STRATA_OK) {
        code = fail(&err);
    } else if (!strcmp(argv[1], "profile")) {
        code = write_profile(gpu, argv[3], argv + 4, argc - 4);
    } else if (strata_interval_load(argv[3], &p, &err) != STRATA_OK) {
        code = fail(&err);
    } else {
        if (!strcmp(argv[1], "time") && argc > 4)
            time_configurations(gpu, p, atol(argv[4]));
        else if (!strcmp(argv[1], "parts"))
            print_parts(gpu, p);
        else
            print_table(gpu, p);
        strata_interval_destroy(p);
    }
    free(gpu);
    return code;
}
