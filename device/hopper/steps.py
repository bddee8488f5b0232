#!/usr/bin/env python3
"""How far the SMs of a GPC that read the same data are apart when they ask for it.

  steps.py NAME LOG BLOCKS SHARE    LOG: what a program built with -DSTEP_LOG wrote (xz or not); of the first BLOCKS blocks SHARE in a row read one tile

A line a step: the spread of the clocks of such SMs (deviation, range), the median gap of neighbours, and in how many of 100 it is at most 36 and
80 cycles, the time in which reads that hit the L2 still join.
"""
import collections
import lzma
import statistics
import struct
import sys

STEPS, BLOCKS, EDGES, SMS = 256, 2048, 32, 132


def signed(x):
    x &= 0xffffffff
    return x - (1 << 32) if x >> 31 else x


def read(path):
    data = (lzma.open if path.endswith(".xz") else open)(path, "rb").read()
    words = struct.unpack(f"{len(data) // 4}I", data)
    edges, rest = words[:SMS * EDGES * 2], words[SMS * EDGES * 2:]
    at = [dict(zip(edges[s * EDGES * 2:(s + 1) * EDGES * 2:2], edges[s * EDGES * 2 + 1:(s + 1) * EDGES * 2:2])) for s in range(SMS)]
    offset = [statistics.median(signed(at[s][t] - at[0][t]) for t in at[s] if t in at[0]) for s in range(SMS)]
    return offset, rest[:BLOCKS], rest[BLOCKS:]


def gpcs(offset):
    """Clocks of a GPC began together: they are a few cycles apart, those of others many."""
    first, out = [], []
    for o in offset:
        near = [i for i, f in enumerate(first) if abs(f - o) < 500]
        out.append(near[0] if near else len(first))
        if not near:
            first.append(o)
    return out


def main():
    name, path, blocks, share = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    offset, sm, clock = read(path)
    gpc = gpcs(offset)
    for step in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 47, 63, 95):
        groups = collections.defaultdict(list)
        for b in range(blocks):
            if clock[b * STEPS + step]:
                groups[gpc[sm[b]], b // share].append(signed(clock[b * STEPS + step] - int(offset[sm[b]]) - clock[0]))
        groups = [sorted(v) for v in groups.values() if len(v) > 1]
        if not groups:
            break
        gaps = [b - a for v in groups for a, b in zip(v, v[1:])]
        print(name, step, round(statistics.fmean(map(statistics.pstdev, groups))), round(statistics.fmean(v[-1] - v[0] for v in groups)),
              round(statistics.median(gaps)), *(round(100 * sum(g <= most for g in gaps) / len(gaps)) for most in (36, 80)), sep=",")


main()
