/* Any bytes as an Accel-Sim kernel file, or as a kernelslist beside one good kernel file. The first
 * byte chooses the options and which of the two. */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char kernel[] =
    "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 3\n#traces\n#BEGIN_TB\n"
    "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 \n\n#END_TB\n";

static char folder[64];

static void remove_folder(void)
{
    char path[128];
    static const char *const names[] = {"kernel-1.traceg", "kernelslist.g"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void write_to_folder(const char *name, const void *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        abort();
}

static void read_list(const uint8_t *data, size_t size, const struct strata_trace_options *opt)
{
    if (!folder[0]) {
        strcpy(folder, "/tmp/strata-fuzz-XXXXXX");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
        write_to_folder("kernel-1.traceg", kernel, sizeof kernel - 1);
    }
    write_to_folder("kernelslist.g", data, size);
    read_trace(folder, opt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_trace_options opt;
    char path[64];
    if (!size)
        return 0;
    strata_trace_options_init(&opt);
    opt.accelsim_compat = data[0] & 1;
    opt.lenient = !(data[0] & 2);
    if (data[0] & 4) {
        read_list(data + 1, size - 1, &opt);
        return 0;
    }
    int fd = file_of(data + 1, size - 1, path, sizeof path);
    read_trace(path, &opt);
    close(fd);
    return 0;
}
