#!/usr/bin/env python3
"""Writes the fixtures of the golden cases beside it: four invented launches, measured and predicted."""
import csv, json, os

here = os.path.dirname(os.path.abspath(__file__))
L1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
L2 = "lts__t_sectors_srcunit_tex_op_read"
NAMES = ["smsp__inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", L1 + ".sum", L1 + "_lookup_hit.sum",
         "l1tex__m_xbar2l1tex_read_sectors.sum", L2 + ".sum", L2 + "_lookup_hit.sum", "dram__sectors_read.sum",
         "sm__cycles_elapsed.max"]
UNITS = ["inst", "request", "sector", "sector", "sector", "sector", "sector", "sector", "cycle"]
# program, trace, kernel (mangled), kernel (written out), grid, block, counters
LAUNCHES = [
    ("stream", "kernel-1.traceg.xz", "_Z4copyPKfPf", "copy(const float *, float *)", (512, 1, 1), (256, 1, 1),
     [40960, 4096, 16384, 0, 16384, 16384, 0, 16640, 9000]),
    ("stencil", "kernel-1.traceg.xz", "_Z5jacobPKfPfi", "jacob(const float *, float *, int)", (64, 64, 1), (32, 8, 1),
     [1310720, 163840, 720896, 524288, 196608, 150000, 84464, 65792, 24000]),
    ("stencil", "kernel-2.traceg.xz", "_Z5jacobPKfPfi", "jacob(const float *, float *, int)", (64, 64, 1), (32, 8, 1),
     [1310720, 163840, 720896, 524300, 196596, 150010, 84400, 65800, 24100]),
    ("tiny", "kernel-1.traceg.xz", "_ZN2ns4initILi4EEEvPf", "void ns::init<4>(float *)", (1, 1, 1), (32, 1, 1),
     [100, 4, 16, 0, 16, 16, 0, 264, 4100]),
]
FLOW = [
    [40960, 4096, 16384, 0, 16384, 16384, 0, 16384, 9450],
    [1310720, 163840, 720896, 540672, 180224, 141000, 76000, 65536, 26400],
    [1310720, 163840, 720896, 540672, 180224, 141000, 76000, 65536, 26400],
    [100, 4, 16, 0, 16, 16, 0, 16, 3900],
]


def path(name):
    return open(os.path.join(here, name), "w", newline="")


def dims(d, table):
    return "x".join(map(str, d)) if table else "(%d, %d, %d)" % d


with path("counters.csv") as f:
    w = csv.writer(f, lineterminator="\n")
    w.writerow(["program", "kernel", "trace", "grid", "block", "regs", "shmem"] + NAMES)
    for program, trace, kernel, _, grid, block, values in LAUNCHES:
        w.writerow([program, kernel, trace, dims(grid, True), dims(block, True), 32, 0] + values)

identity = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
            "Device", "CC"]
with path("ncu_raw.csv") as f:
    f.write("==PROF== Connected to process 4711\nThe program's own words, with a \" and commas\n")
    w = csv.writer(f, quoting=csv.QUOTE_ALL, lineterminator="\n")
    w.writerow(identity + NAMES + ["gpu__time_duration.sum"])
    w.writerow([""] * len(identity) + UNITS + ["usecond"])
    for i, (_, _, _, kernel, grid, block, values) in enumerate(LAUNCHES):
        w.writerow([i, 4711, "app", "host", kernel, 1, 7, dims(block, False), dims(grid, False), 0, "9.0"] +
                   ["n/a" if v == 264 else f"{v:,}" for v in values] + [f"{values[-1] / 1980:.3f}"])
    f.write("==PROF== Disconnected from process 4711\n")

with path("ncu_details.csv") as f:
    w = csv.writer(f, quoting=csv.QUOTE_ALL, lineterminator="\n")
    w.writerow(identity + ["Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type"])
    for i, (_, _, _, kernel, grid, block, values) in enumerate(LAUNCHES):
        for name, unit, value in zip(NAMES, UNITS, values):
            w.writerow([i, 4711, "app", "host", kernel, 1, 7, dims(block, False), dims(grid, False), 0, "9.0",
                        "Command line profiler metrics", name, unit, f"{value:,}", "", ""])

launches = [{"program": p, "trace": t, "id": i + 1, "kernel": k, "grid": list(g), "block": list(b),
             "metrics": dict(zip(NAMES, v))} for i, ((p, t, k, _, g, b, _), v) in enumerate(zip(LAUNCHES, FLOW))]
with path("flow.json") as f:
    json.dump({"schema": "strata.prediction/1", "tool": "strata", "gpu": "h200", "model": "flow", "seed": 1,
               "launches": launches}, f, indent=1)
    f.write("\n")
with path("coalesce.csv") as f:
    w = csv.writer(f, lineterminator="\n")
    w.writerow("program,trace,id,kernel,metric,unit,value,model,gpu".split(","))
    for i, (p, t, k, _, _, _, v) in enumerate(LAUNCHES):
        for name, unit, value in list(zip(NAMES, UNITS, v))[:3]:
            w.writerow([p, t, i + 1, k, name, unit, value, "coalesce", "h200"])
