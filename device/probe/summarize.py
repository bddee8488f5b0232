#!/usr/bin/env python3
"""Prints what the runs of the probe say, a row a quantity and a column a run.

    summarize.py RUN...

Each RUN is a folder with manifest.json and its series, plain or compressed with xz. The rows are
medians and means of the raw series only; `strata dissect --from` infers structure from them.
"""
import csv
import json
import lzma
import statistics
import sys


def rows(folder, name):
    for suffix, open_it in ((".csv", open), (".csv.xz", lzma.open)):
        try:
            with open_it(f"{folder}/{name}{suffix}", "rt") as f:
                return [{k: float(v) for k, v in r.items()} for r in csv.DictReader(f)]
        except OSError:
            continue
    return []


def quantile(values, share):
    values = sorted(values)
    return values[int(share * (len(values) - 1) + 0.5)]


def far_sms(touched):
    """SMs on the other side than the one that touched the lines: half of their first reads are far."""
    far = {}
    for r in touched:
        far.setdefault(r["sm"], []).append(r["first"] > 380)
    return {sm for sm, f in far.items() if sum(f) > 0.2 * len(f)}


def l2_partitions(folder):
    near, far, copy = [], [], []
    for toucher in (0, 2):
        touched = rows(folder, f"l2-touched-{toucher}")
        others = far_sms(touched)
        for r in touched:
            if r["sm"] in others:
                (far if r["first"] > 380 else near).append(r["first"])
                if r["first"] > 380:
                    copy.append(r["third"])
    return near, far, copy


def plateau(folder, name, low, high):
    v = [r["latency"] for r in rows(folder, name) if low <= r["array_bytes"] / r["stride_bytes"] <= high]
    return statistics.mean(v)


def dram_split(folder, far):
    """Loads that do not wait for a refresh, split in the middle between the two partitions."""
    calm = [r["latency"] for r in rows(folder, "chase-dram-shuffled") if r["latency"] < 800]
    middle = (quantile(calm, 0.05) + quantile(calm, 0.95)) / 2
    return quantile([x for x in calm if (x >= middle) == far], 0.5)


def carveout(folder, percent):
    return next(r["lines"] for r in rows(folder, "l1-carveout") if r["percent"] == percent)


def first_tlb_miss(folder):
    # At a stride of 2 MB one access in eight enters another 16 MB.
    hit, miss = plateau(folder, "average-tlb-l2-2M", 1024, 16384), plateau(folder, "average-tlb-l2-16M", 512, 3584)
    return (miss - hit) * 8 / 7


def second_tlb_miss(folder):
    return plateau(folder, "average-tlb-l2-32M", 2560, 3584) - plateau(folder, "average-tlb-l2-32M", 512, 1984)


def quantities():
    def average(name, k=0):
        return lambda f: rows(f, name)[k]["latency"]

    def most(name, column):
        return lambda f: max(r[column] for r in rows(f, name))

    def latency(name, share=0.5):
        return lambda f: quantile([r["latency"] for r in rows(f, name)], share)

    def partition(k, statistic):
        return lambda f: statistic(l2_partitions(f)[k])

    yield "shared memory, dependent loads", average("chain-shared")
    for way in (1, 2, 4, 8, 16, 32):
        yield f"shared memory, {way}-way conflict", lambda f, w=way: next(r["latency"] for r in rows(f, "shared-conflict") if r["stride"] == w)
    yield "L1 hit, dependent loads", average("chain-l1")
    yield "L1 hit, timed one by one", latency("chase-l1-128-16384-c228")
    yield "read-only path, dependent loads", average("chain-readonly")
    yield "texture path, timed one by one", latency("chase-texture-4-4096-c228-cold")
    for percent in (0, 4, 6, 10, 20, 30, 40, 52, 60):
        yield f"L1 lines that stay, carve-out of {percent} %", lambda f, p=percent: carveout(f, p)
    yield "L2 near, mean", partition(0, statistics.mean)
    yield "L2 near, 5th percentile", partition(0, lambda v: quantile(v, 0.05))
    yield "L2 near, 95th percentile", partition(0, lambda v: quantile(v, 0.95))
    yield "L2 far, first read, mean", partition(1, statistics.mean)
    yield "L2 far, read again (copy), mean", partition(2, statistics.mean)
    yield "L2, dependent loads over 1 MB", average("chain-l2", -2)
    yield "L2, dependent loads over 16 MB", average("chain-l2", -1)
    yield "DRAM, dependent loads", average("chain-dram")
    yield "DRAM, median", latency("chase-dram-shuffled")
    yield "DRAM near, median", lambda f: dram_split(f, False)
    yield "DRAM far, median", lambda f: dram_split(f, True)
    yield "DRAM, share above 800 cycles, %", lambda f: 100 * statistics.mean(r["latency"] >= 800 for r in rows(f, "chase-dram-shuffled"))
    yield "first TLB miss", first_tlb_miss
    yield "second TLB miss", second_tlb_miss
    for p in range(1, 7):
        yield f"spectrum around the L1, P{p}", lambda f, p=p: quantile([r["latency"] for r in rows(f, "spectrum-l2-32M") if r["pattern"] == p], 0.5)
    yield "shared copy, bytes a cycle and SM", most("shared-throughput", "bytes_per_cycle")
    yield "shared reads, bytes a cycle and SM", most("shared-read", "bytes_per_cycle")
    for name in ("l1-read", "l2-read", "l2-writes", "dram-read", "dram-write", "dram-copy", "copy-throughput"):
        yield f"{name}, GB/s", most(name, "gb_per_s")


def cell(function, folder):
    try:
        return f"{function(folder):12.2f}"
    except (IndexError, KeyError, ValueError, StopIteration, statistics.StatisticsError):
        return f"{'-':>12}"  # a series this run does not have


def main(folders):
    for f in folders:
        m = json.load(open(f"{f}/manifest.json"))
        print(f"{f}: {m['card']}, driver {m['driver']}, {m['clock_mhz']} MHz, {m['date']}")
    for name, function in quantities():
        print(f"{name:44}" + "".join(cell(function, f) for f in folders))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("usage: summarize.py RUN...")
    main(sys.argv[1:])
