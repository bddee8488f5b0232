#!/usr/bin/env python3
"""Programs of papers 000 and 001: what their predictions say, from a folder of them.

  paper_programs.py reuse FOLDER GPU      mean and worst difference of the L1 miss rate, --variant paper against sim, with each
                                          extension off, and the ratio of times; a CSV of all launches on the second line on
  paper_programs.py interval FOLDER       IPC errors by program, of each variant against sim

FOLDER has the output of `strata predict TRACE --gpu GPU --model MODEL ... --format csv -o PROGRAM.GPU.RUN.csv`: RUN is sim, paper,
onecore, no-associativity, no-latency, no-mshrs (paper 000), or, with pascal for GPU, sim and interval + the variant's name (paper 001);
times.txt: a line "PROGRAM.GPU.RUN exit-code seconds" for each.
"""
import collections
import csv
import glob
import os
import sys

HIT = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"
CYCLES = "sm__cycles_elapsed.max"
VARIANTS = ["gpumech", "gpumech+", "mdm-queue", "mdm-mshr", "mdm"]
# paper 001, Table 2, as far as they are among the traces: the abbreviation and the type
TABLE_2 = {"rod_hotspot": ("HS", "NMD"), "rod_btree": ("BT", "NMD"), "rod_backprop": ("BP", "NMD"), "sdk_fdtd3d": ("FDTD", "NMD"),
           "rod_srad": ("SRAD", "NMD"), "rod_srad2": ("SRAD", "NMD"), "gpgpusim_ray": ("RAY", "NMD"), "poly_2DCONV": ("2DCONV", "NMD"),
           "parboil_stencil": ("ST", "NMD"), "rod_cfd": ("CFD", "MD"), "rod_bfs": ("BFS", "MD"), "parboil_spmv": ("SPMV", "MD"),
           "rod_kmeans": ("KMEANS", "MD"), "mars_pvr": ("PVR", "MD"), "mars_pvc": ("PVC", "MD"), "mars_iix": ("IIX", "MD")}


def values(path, metric):
    """By launch: program, trace, id and kernel. Both layouts: of predict and of sweep --each-launch."""
    found = {}
    with open(path, newline="") as file:
        rows = csv.reader(file)
        head = next(rows, None)
        if not head:
            return found
        if "metric" in head:
            at = {name: i for i, name in enumerate(head)}
            for row in rows:
                if row[at["metric"]] == metric:
                    found[row[at["program"]], row[at["trace"]], row[at["id"]]] = (row[at["kernel"]], float(row[at["value"]]))
        elif metric in head:
            at = {name: i for i, name in enumerate(head)}
            for row in rows:
                if row[at["program"]] and row[at[metric]]:
                    found[row[at["program"]], row[at["trace"]], row[at["id"]]] = ("", float(row[at[metric]]))
    return found


def named(folder, gpu, run):
    """Launches of all programs of a run; the file's name is the program's."""
    every = {}
    for path in sorted(glob.glob(os.path.join(folder, f"*.{gpu}.{run}*.csv"))):
        file = os.path.basename(path)
        program, rest = file.split(f".{gpu}.", 1)
        if rest[:-4].rstrip("0123456789") != run:
            continue
        metric = HIT if gpu != "pascal" else CYCLES
        for (own, trace, number), value in values(path, metric).items():
            every[own if program == "h200" else program, trace, number] = value
    return every


def times(folder):
    found = {}
    with open(os.path.join(folder, "times.txt")) as file:
        for line in file:
            name, code, seconds = (line.split() + ["", ""])[:3]
            if code == "0" and seconds:
                found[name] = float(seconds)
    return found


def reuse(folder, gpu):
    sim = named(folder, gpu, "sim")
    paper = named(folder, gpu, "paper")
    both = sorted(key for key in sim if key in paper)
    out = {}
    for run in ("paper", "no-associativity", "no-latency", "no-mshrs", "onecore"):
        other = named(folder, gpu, run)
        errors = [abs(sim[key][1] - other[key][1]) for key in both if key in other]
        out[run] = sum(errors) / len(errors) if errors else None
    worst = max(both, key=lambda key: abs(sim[key][1] - paper[key][1]))
    clock = times(folder)
    pairs = [(clock[name], clock[name[:-3] + "onecore"]) for name in clock
             if name.endswith(f".{gpu}.sim") and name[:-3] + "onecore" in clock]
    ratio = sum(a for a, _ in pairs) / sum(b for _, b in pairs) if pairs else 0
    print(len(both), len({key[0] for key in both}), *("%.2f" % out[r] if out[r] is not None else "" for r in out), "%.0f" % ratio,
          "%.1f" % abs(sim[worst][1] - paper[worst][1]), worst[0], worst[1])
    for key in both:
        print(",".join([gpu, key[0], key[1], sim[key][0].replace(",", ";")] + ["%.2f" % (100 - value) for value in (sim[key][1], paper[key][1])]))


def interval(folder):
    sim = named(folder, "pascal", "sim")
    made = {v: named(folder, "pascal", "interval" + v) for v in VARIANTS}
    total = collections.defaultdict(lambda: collections.defaultdict(float))
    for key, (_, cycles) in sim.items():
        if any(key not in made[v] for v in VARIANTS):
            continue
        program = total[key[0]]
        program["sim"] += cycles
        for v in VARIANTS:
            program[v] += made[v][key][1]
        # MDM and GPUMech+ differ only in divergent intervals
        if made["mdm"][key][1] != made["gpumech+"][key][1]:
            program["divergent"] += cycles
    for name in sorted(total):
        t = total[name]
        short, kind = TABLE_2.get(name, ("", "MD" if 2 * t["divergent"] > t["sim"] else "NMD"))
        print(name, short or "-", kind, "%.0f" % t["sim"], *("%.1f" % (100 * abs(t["sim"] / t[v] - 1)) for v in VARIANTS))


if __name__ == "__main__":
    {"reuse": reuse, "interval": interval}[sys.argv[1]](*sys.argv[2:])
