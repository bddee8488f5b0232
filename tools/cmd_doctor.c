/* cmd_doctor.c - strata doctor: what will work on this machine, and what to do about the rest. */
#include <dlfcn.h>
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <strata/gpu.h>

#include "cmd.h"
#include "gpu_option.h"
#include "options.h"
#include "output.h"
#include "print.h"

enum state { GOOD, LIMITED, MISSING };
static const char *const state_names[] = {"ok", "limited", "missing"};

struct finding {
    enum state state;
    char detail[320]; /* what was found */
};

/* One thing to look for. */
struct probe {
    const char *name;
    void (*look)(const char *root, struct finding *f);
    const char *used_for;
    const char *fix; /* printed unless the state is GOOD */
};

static void found(struct finding *f, enum state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void found(struct finding *f, enum state state, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f->state = state;
    vsnprintf(f->detail, sizeof f->detail, format, args);
    va_end(args);
}

static void look_compression(const char *root, struct finding *f)
{
    (void)root;
    found(f, GOOD, "zstd %s, xz %s and zlib %s are built in", ZSTD_versionString(),
          lzma_version_string(), zlibVersion());
}

/* A program in PATH or, below the root, in one more folder; its path or NULL. */
static bool find_program(const char *root, const char *name, const char *extra_folder, char *out,
                         size_t size)
{
    const char *path = getenv("PATH");
    char folders[4096];
    snprintf(folders, sizeof folders, "%s:%s", path ? path : "/usr/bin:/bin", extra_folder);
    for (char *save = NULL, *folder = strtok_r(folders, ":", &save); folder;
         folder = strtok_r(NULL, ":", &save)) {
        snprintf(out, size, "%s%s/%s", root, folder, name);
        if (!access(out, X_OK))
            return true;
    }
    return false;
}

static void look_program(const char *root, const char *name, const char *extra_folder,
                         struct finding *f)
{
    char path[280];
    if (find_program(root, name, extra_folder, path, sizeof path))
        found(f, GOOD, "%s", path);
    else
        found(f, MISSING, "no program %s in PATH or %s", name, extra_folder);
}

static void look_nvcc(const char *root, struct finding *f)
{
    look_program(root, "nvcc", "/usr/local/cuda/bin", f);
}

static void look_clang(const char *root, struct finding *f)
{
    look_program(root, "clang", "/usr/lib/llvm/bin", f);
}

static void look_ncu(const char *root, struct finding *f)
{
    look_program(root, "ncu", "/usr/local/cuda/bin", f);
}

static void look_mpi(const char *root, struct finding *f)
{
    look_program(root, "mpirun", "/usr/lib64/openmpi/bin", f);
}

/* The first line of a file below the root that holds `word`; an empty word takes any line. */
static bool find_line(const char *root, const char *file, const char *word, char *line, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, file);
    FILE *f = fopen(path, "r");
    bool hit = false;
    while (f && !hit && fgets(line, (int)size, f)) {
        line[strcspn(line, "\n")] = 0;
        hit = strstr(line, word) != NULL;
    }
    if (f)
        fclose(f);
    return hit;
}

/* The kernel module says which driver there is; the library is what programs need. */
static void look_driver(const char *root, struct finding *f)
{
    char line[200];
    bool module = find_line(root, "/proc/driver/nvidia/version", "", line, sizeof line);
    void *library = *root ? NULL : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        dlclose(library);
    if (module && (library || *root))
        found(f, GOOD, "%s", line);
    else if (module)
        found(f, LIMITED, "the kernel module is loaded but libcuda.so.1 is not found");
    else
        found(f, MISSING, "no NVIDIA driver is loaded");
}

static void look_counters(const char *root, struct finding *f)
{
    char line[200];
    if (!find_line(root, "/proc/driver/nvidia/params", "RmProfilingAdminOnly", line, sizeof line)) {
        found(f, MISSING, "the driver's parameters cannot be read, so no counters either");
        return;
    }
    const char *colon = strchr(line, ':');
    bool admin_only = colon && strtol(colon + 1, NULL, 10) != 0;
    if (!admin_only)
        found(f, GOOD, "everyone may read performance counters (RmProfilingAdminOnly is 0)");
    else if (!*root && geteuid() == 0)
        found(f, GOOD, "RmProfilingAdminOnly is 1, and you are root");
    else
        found(f, LIMITED, "only root may read performance counters (RmProfilingAdminOnly is 1)");
}

static void look_disk(const char *root, struct finding *f)
{
    struct statvfs st;
    const char *folder = *root ? root : ".";
    if (statvfs(folder, &st)) {
        found(f, LIMITED, "the free space of %s is not known: %s", folder, strerror(errno));
        return;
    }
    double gigabytes = 1e-9 * (double)st.f_bavail * (double)st.f_frsize;
    found(f, gigabytes < 2 ? LIMITED : GOOD, "%.1f GB free in this folder", gigabytes);
}

static void look_machine(const char *root, struct finding *f)
{
    (void)root;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGE_SIZE);
    double gigabytes = 1e-9 * (double)pages * (double)page;
    found(f, gigabytes < 1 ? LIMITED : GOOD, "%ld core%s, %.1f GB of memory", cores,
          cores == 1 ? "" : "s", gigabytes);
}

static void look_gpu_files(const char *root, struct finding *f)
{
    (void)root;
    struct strata_error err;
    char path[300];
    if (add_gpu_paths(&err) == STRATA_OK &&
        strata_gpu_locate("h200", path, sizeof path, &err) == STRATA_OK)
        found(f, GOOD, "%s", path);
    else
        found(f, MISSING, "%.200s", err.message);
}

static const struct probe probes[] = {
    {"compression", look_compression, "reading and writing traces", ""},
    {"machine", look_machine, "everything; -j N uses N cores",
     "use a machine with at least 1 GB of memory"},
    {"disk", look_disk, "traces and results",
     "free some space or work in another folder; native traces take about 0.25 byte per warp "
     "instruction"},
    {"gpu files", look_gpu_files, "every prediction",
     "run `make install`, or set STRATA_GPU_PATH to the folder gpus/ of the source"},
    {"clang", look_clang, "compiling .cu files to PTX for `strata trace` without CUDA",
     "install the package clang"},
    {"nvcc", look_nvcc, "building device/ (microbenchmarks, kernel suite)",
     "install the CUDA toolkit (package nvidia-cuda-toolkit); predictions do not need it"},
    {"driver", look_driver, "`strata dissect --target cuda` and measuring counters",
     "load an NVIDIA driver; predictions and `strata dissect --target model:GPU` work without"},
    {"counters", look_counters, "measuring hardware counters to compare with",
     "as root, put \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" into "
     "/etc/modprobe.d/nvidia-profiling.conf and reboot, or measure as root; predictions and timing "
     "probes need no counters"},
    {"ncu", look_ncu, "measuring hardware counters to compare with",
     "install Nsight Compute (it comes with the CUDA toolkit); counters measured elsewhere can be "
     "imported as CSV"},
    {"mpi", look_mpi, "`strata sweep` on several machines",
     "install the package openmpi-bin; sweeps on this machine work without"},
};
#define N_PROBES (sizeof probes / sizeof probes[0])

static void print_text(const struct finding *findings)
{
    for (size_t i = 0; i < N_PROBES; i++) {
        printf("%-8s %-12s %s\n", state_names[findings[i].state], probes[i].name,
               findings[i].detail);
        if (findings[i].state == GOOD)
            continue;
        printf("%21s used for: %s\n", "", probes[i].used_for);
        printf("%21s to fix:   %s\n", "", probes[i].fix);
    }
}

static void print_csv(const struct finding *findings)
{
    printf("name,state,detail,used_for,fix\n");
    for (size_t i = 0; i < N_PROBES; i++) {
        const char *const fields[] = {probes[i].name, state_names[findings[i].state],
                                      findings[i].detail, probes[i].used_for,
                                      findings[i].state == GOOD ? "" : probes[i].fix};
        for (size_t j = 0; j < 5; j++) {
            print_csv_field(stdout, fields[j]);
            putchar(j < 4 ? ',' : '\n');
        }
    }
}

static void print_json(const struct finding *findings)
{
    printf("{\"schema\": \"strata.doctor/1\", \"tool\": \"strata " STRATA_VERSION
           "\", \"checks\": [");
    for (size_t i = 0; i < N_PROBES; i++) {
        printf("%s\n  {\"name\": \"%s\", \"state\": \"%s\", \"detail\": ", i ? "," : "",
               probes[i].name, state_names[findings[i].state]);
        print_json_string(stdout, findings[i].detail);
        printf(", \"used_for\": ");
        print_json_string(stdout, probes[i].used_for);
        printf(", \"fix\": ");
        print_json_string(stdout, findings[i].state == GOOD ? "" : probes[i].fix);
        putchar('}');
    }
    printf("\n ]}\n");
}

struct doctor_arguments {
    enum format format;
    const char *root;
};

static strata_status examine(void *context, char **words, int n_words, struct strata_error *err)
{
    static void (*const print[])(const struct finding *) = {print_text, print_csv, print_json};
    const struct doctor_arguments *a = context;
    struct finding findings[N_PROBES];
    struct output o;
    (void)words, (void)n_words;
    strata_status status = output_open(&o, NULL, err);
    if (status != STRATA_OK)
        return status;
    for (size_t i = 0; i < N_PROBES; i++)
        probes[i].look(a->root, &findings[i]);
    print[a->format](findings);
    return output_commit(&o, err);
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_arguments a = {.root = ""};
    const struct option options[] = {
        {0, "format", OPTION_FORMAT, &a.format, "F", "text (default), csv or json"},
        {0, "root", OPTION_STRING, &a.root, "DIR",
         "look below another root folder, such as a container image"},
    };
    const struct command_syntax syntax = {
        .name = "doctor",
        .arguments = "",
        .summary = "Says what will work on this machine, and how to get the rest.",
        .text = "Nothing that is missing keeps predictions from working.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .run = examine,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
