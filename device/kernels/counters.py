#!/usr/bin/env python3
"""Converts Nsight Compute's raw table of a suite run into the project's counter table.

    counters.py RAW.csv METRICS.txt LIST [PROGRAM] >COUNTERS.csv

LIST is what `suite --list` prints: the n-th profiled launch has to be the n-th kernel of it.
The program of a row is PROGRAM ("suite" if not given), its trace "kernel-N", N counting launches from 1.
"""
import csv
import re
import sys


def launches(list_path):
    """(test, kernel) of every launch in order."""
    with open(list_path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return [(row[1], kernel) for row in rows for kernel in row[3].split()]


def raw_rows(raw_path):
    """The table without what the profiler says around it and without its row of units."""
    with open(raw_path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(line for line in f if line.startswith('"')))
    return [row for row in rows if row["ID"].strip().isdigit()]


def number(text):
    text = text.replace(",", "").strip()
    return "" if text in ("", "n/a", "nan") else text


def dimensions(text):
    """"(128, 1, 1)" as 128x1x1."""
    return "x".join(re.findall(r"\d+", text))


def is_named(mangled, kernel):
    return mangled == kernel or mangled.startswith(f"_Z{len(kernel)}{kernel}")


def main():
    raw, metrics_path, list_path = sys.argv[1:4]
    program = sys.argv[4] if len(sys.argv) > 4 else "suite"
    with open(metrics_path, encoding="utf-8") as f:
        metrics = f.read().split()
    expected, rows = launches(list_path), raw_rows(raw)
    if len(rows) != len(expected):
        sys.exit(f"{raw}: {len(rows)} launches were profiled, the suite has {len(expected)}.")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["program", "kernel", "trace", "grid", "block", "regs", "shmem"] + metrics)
    for i, (row, (test, kernel)) in enumerate(zip(rows, expected), 1):
        if not is_named(row["Kernel Name"], kernel):
            sys.exit(f"{raw}: launch {i} is {row['Kernel Name']}, test {test} should launch {kernel}.")
        value = {m: number(row.get(m, "")) for m in metrics}
        shared = sum(int(float(value[f"launch__shared_mem_per_block_{kind}"] or 0))
                     for kind in ("static", "dynamic"))
        out.writerow([program, row["Kernel Name"], f"kernel-{i}", dimensions(row["Grid Size"]),
                      dimensions(row["Block Size"]), value["launch__registers_per_thread"], shared]
                     + [value[m] for m in metrics])


if __name__ == "__main__":
    main()
