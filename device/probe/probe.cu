// probe.cu - microbenchmarks of a GPU's memory hierarchy: one program, one run, raw data in a folder.
//
//   probe --out DIR [--driver TEXT] [--only PART,...] [--plan FILE]
//
// --only limits the run to some of the parts below; --plan runs the chases of FILE instead, one a
// line (see README.md).
#include "probe.h"
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <sstream>

Parameters &Parameters::add(const char *name, long long value)
{
    text += (text.empty() ? "\"" : ",\"") + std::string(name) + "\":" + std::to_string(value);
    return *this;
}
Parameters &Parameters::add(const char *name, const char *value)
{
    text += (text.empty() ? "\"" : ",\"") + std::string(name) + "\":\"" + value + "\"";
    return *this;
}

Report::Report(std::string folder, std::string driver) : folder_(folder), driver_(driver) {}
FILE *Report::add(const std::string &name, const char *experiment, const char *path,
                  const Parameters &parameters, const char *header)
{
    std::string file = name + ".csv", full = folder_ + "/" + file;
    FILE *f = fopen(full.c_str(), "w");
    if (!f) {
        fprintf(stderr, "%s: cannot be written; give --out a folder that exists.\n", full.c_str());
        exit(3);
    }
    fprintf(f, "%s\n", header);
    series_ += series_.empty() ? "\n  " : ",\n  ";
    series_ += "{\"name\":\"" + name + "\",\"file\":\"" + file + "\",\"experiment\":\"" + experiment +
               "\",\"path\":\"" + path + "\",\"parameters\":{" + parameters.text + "}}";
    return f;
}
void Report::say(const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    summary_.push_back(line);
}
bool Report::wanted(const char *group) const
{
    for (const std::string &g : groups)
        if (g == group)
            return true;
    return groups.empty();
}
void Report::finish()
{
    cudaDeviceProp properties;
    int memory_khz = 0;
    CK(cudaGetDeviceProperties(&properties, 0));
    CK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    std::string name = folder_ + "/manifest.json", temporary = name + ".part";
    FILE *f = fopen(temporary.c_str(), "w");
    if (!f || fprintf(f,
                      "{\"schema\":\"strata.probe/1\",\"target\":\"cuda\",\"card\":\"%s\",\"driver\":\"%s\","
                      "\"clock_mhz\":%.0f,\"memory_clock_mhz\":%d,\"sm_version\":%d,\"sms\":%d,\"l2_bytes\":%d,\"overhead_cycles\":%u,\"date\":\"%s\","
                      "\"series\":[%s\n]}\n",
                      properties.name, driver_.c_str(), sm_clock_mhz(), memory_khz / 1000,
                      properties.major * 10 + properties.minor, properties.multiProcessorCount,
                      properties.l2CacheSize, overhead.chase, date, series_.c_str()) < 0 ||
        fclose(f) || rename(temporary.c_str(), name.c_str())) {
        fprintf(stderr, "%s: cannot be written.\n", name.c_str());
        exit(3);
    }
    for (const std::string &line : summary_)
        printf("%s\n", line.c_str());
}

// ---- chases of a plan ---------------------------------------------------------------------------

static probe_path path_of(const std::string &name)
{
    if (name == "l2" || name == "tlb" || name == "dram")
        return PATH_L2;
    return name == "readonly" ? PATH_READONLY : name == "texture" ? PATH_TEXTURE : PATH_L1;
}
static void plan_line(Report &report, const char *file, int number, const std::string &text)
{
    std::map<std::string, std::string> key = {{"path", "l1"}, {"element", "4"}, {"warmup", "1"}, {"carveout", "8192"}};
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        size_t equals = word.find('=');
        if (equals == std::string::npos) {
            fprintf(stderr, "%s:%d: \"%s\" is not key=value.\n", file, number, word.c_str());
            exit(3);
        }
        key[word.substr(0, equals)] = word.substr(equals + 1);
    }
    auto value = [&](const char *name) { return strtoull(key[name].c_str(), nullptr, 10); };
    unsigned long long array = value("array"), stride = value("stride"), element = value("element"), steps = value("steps");
    if (key["name"].empty() || !array || !stride || !steps || !element || element & (element - 1) || stride % element) {
        fprintf(stderr, "%s:%d: a chase needs name, array, stride and steps, an element that is a power of two and a stride that is a multiple of it.\n", file, number);
        exit(3);
    }
    char *memory = device_memory(array + stride);
    link_stride(memory, (unsigned)element, (unsigned)(array / element), (unsigned)(stride / element));
    Chase c;
    c.path = path_of(key["path"]);
    c.base = memory;
    c.element_bytes = (unsigned)element;
    c.warm_steps = (unsigned)(value("warmup") * ((array + stride - 1) / stride));
    c.steps = (unsigned)steps;
    c.carveout_bytes = (unsigned)value("carveout");
    c.texture_elements = (unsigned)(array / 4);
    Parameters p;
    p.add("array_bytes", (long long)array).add("stride_bytes", (long long)stride).add("element_bytes", (long long)element);
    p.add("warmup", (long long)value("warmup")).add("carveout_bytes", (long long)value("carveout"));
    write_chase(report, key["name"], "chase", key["path"].c_str(), p, chase(c));
    CK(cudaFree(memory));
}
void probe_plan(Report &report, const char *plan_file)
{
    FILE *f = strcmp(plan_file, "-") ? fopen(plan_file, "r") : stdin;
    if (!f) {
        fprintf(stderr, "%s: cannot be read.\n", plan_file);
        exit(3);
    }
    char line[1024];
    for (int number = 1; fgets(line, sizeof line, f); number++)
        if (line[0] != '#' && line[strspn(line, " \t\n")])
            plan_line(report, plan_file, number, line);
    fclose(f);
}

struct Part {
    const char *name;
    void (*run)(Report &);
};
static const Part kParts[] = {
    {"latency", probe_latency}, {"l1", probe_l1},         {"sets", probe_sets},         {"mshr", probe_mshr},
    {"coalesce", probe_coalesce}, {"writes", probe_writes}, {"l2", probe_l2},           {"dram", probe_dram},
    {"shared", probe_shared},   {"throughput", probe_throughput}, {"spectrum", probe_spectrum}, {"tlb", probe_tlb},
};

int main(int argc, char **argv)
{
    std::string out, driver = "unknown", only;
    const char *plan = nullptr;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--out"))
            out = argv[i + 1];
        if (!strcmp(argv[i], "--driver"))
            driver = argv[i + 1];
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        if (!strcmp(argv[i], "--plan"))
            plan = argv[i + 1];
    }
    if (out.empty() || argc % 2 == 0) {
        fprintf(stderr, "usage: probe --out DIR [--driver TEXT] [--only PART,...] [--plan FILE]\n");
        return 2;
    }
    Report report(out, driver);
    std::istringstream list(only);
    for (std::string word; std::getline(list, word, ',');)
        report.groups.push_back(word);
    if (only != "counters")
        calibrate();
    if (plan)
        probe_plan(report, plan);
    else if (only == "counters")
        probe_counters(report);
    else
        for (const Part &part : kParts)
            if (report.wanted(part.name)) {
                clock_t start = clock();
                part.run(report);
                CK(cudaDeviceSynchronize());
                report.say("part %s took %.1f s", part.name, (double)(clock() - start) / CLOCKS_PER_SEC);
            }
    report.finish();
    return 0;
}
