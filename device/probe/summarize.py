#!/usr/bin/env python3
"""Prints what the runs of the probe say, a row a quantity and a column a run.

    summarize.py RUN...

Each RUN is a folder with manifest.json and its series, plain or compressed with zstd. The rows are
medians and means of the raw series only; `strata dissect --from` infers structure from them.
"""
import csv
import io
import json
import statistics
import subprocess
import sys


def rows(folder, name):
    for suffix in (".csv", ".csv.zst"):
        path = f"{folder}/{name}{suffix}"
        try:
            data = open(path, "rb").read()
        except OSError:
            continue
        if suffix.endswith("zst"):
            data = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
        return [{k: float(v) for k, v in r.items()} for r in csv.DictReader(io.StringIO(data.decode()))]
    raise SystemExit(f"{folder}/{name}: there is no such series.")


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


def quantities(folder):
    def average(name, k=0):
        return rows(folder, name)[k]["latency"]

    def latency(name, share=0.5):
        return quantile([r["latency"] for r in rows(folder, name)], share)

    yield "shared memory, dependent loads", average("chain-shared")
    conflict = {r["stride"]: r["latency"] for r in rows(folder, "shared-conflict")}
    for stride in (1, 2, 4, 8, 16, 32):
        yield f"shared memory, {stride}-way conflict", conflict[stride]
    yield "L1 hit, dependent loads", average("chain-l1")
    yield "L1 hit, timed one by one", latency("chase-l1-128-16384-c228")
    yield "read-only path, dependent loads", average("chain-readonly")
    yield "texture path, timed one by one", quantile([r["latency"] for r in rows(folder, "chase-texture-4-4096-c228-cold")], 0.5)
    for r in rows(folder, "l1-carveout"):
        if r["percent"] in (0, 4, 6, 10, 20, 30, 40, 52, 60):
            yield f"L1 lines that stay, carve-out of {r['percent']:.0f} %", r["lines"]
    near, far, copy = l2_partitions(folder)
    yield "L2 near, mean", statistics.mean(near)
    yield "L2 near, 5th percentile", quantile(near, 0.05)
    yield "L2 near, 95th percentile", quantile(near, 0.95)
    yield "L2 far, first read, mean", statistics.mean(far)
    yield "L2 far, read again (copy), mean", statistics.mean(copy)
    yield "L2, dependent loads over 1 MB", average("chain-l2", -2)
    yield "L2, dependent loads over 16 MB", average("chain-l2", -1)
    yield "DRAM, dependent loads", average("chain-dram")
    dram = [r["latency"] for r in rows(folder, "chase-dram-shuffled")]
    yield "DRAM, median", quantile(dram, 0.5)
    split = [x for x in dram if x < 800]
    middle = (quantile(split, 0.05) + quantile(split, 0.95)) / 2
    yield "DRAM near, median", quantile([x for x in split if x < middle], 0.5)
    yield "DRAM far, median", quantile([x for x in split if x >= middle], 0.5)
    yield "DRAM, share above 800 cycles, %", 100 * (1 - len(split) / len(dram))
    hit = plateau(folder, "average-tlb-l2-2M", 1024, 16384)
    first = plateau(folder, "average-tlb-l2-16M", 512, 3584)
    yield "first TLB miss", (first - hit) * 8 / 7
    yield "second TLB miss", plateau(folder, "average-tlb-l2-32M", 2560, 3584) - plateau(folder, "average-tlb-l2-32M", 512, 1984)
    patterns = rows(folder, "spectrum-l2-32M")
    for p in range(1, 7):
        yield f"spectrum around the L1, P{p}", quantile([r["latency"] for r in patterns if r["pattern"] == p], 0.5)
    yield "shared copy, bytes a cycle and SM", max(r["bytes_per_cycle"] for r in rows(folder, "shared-throughput"))
    yield "shared reads, bytes a cycle and SM", max(r["bytes_per_cycle"] for r in rows(folder, "shared-read"))
    for name in ("l1-read", "l2-read", "l2-writes", "dram-read", "dram-write", "dram-copy", "copy-throughput"):
        yield f"{name}, GB/s", max(r["gb_per_s"] for r in rows(folder, name))


def main(folders):
    columns = [dict(quantities(f)) for f in folders]
    for f in folders:
        m = json.load(open(f"{f}/manifest.json"))
        print(f"{f}: {m['card']}, driver {m['driver']}, {m['clock_mhz']} MHz, {m['date']}")
    for name in columns[0]:
        values = [c[name] for c in columns]
        print(f"{name:44}" + "".join(f"{v:12.2f}" for v in values))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("usage: summarize.py RUN...")
    main(sys.argv[1:])
