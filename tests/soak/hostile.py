"""A hostile tester: random descriptions, damaged files, killed commands, refused allocations and misbehaving programs, with what
must hold.

usage: hostile.py STRATA SOURCE [--seconds N] [--seed N] [--part NAME] [--malloc LIBRARY] [--record FILE]

Seeded: the same seed tries the same things in the same order, as far as the time goes. Prints what it tried and each
finding with the command that shows it; exits 1 if there is one. --record adds a row for each kind of thing tried to a CSV file.
"""

import argparse
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from hostile_allocations import allocations
from hostile_programs import programs

MODELS = ["coalesce", "reuse", "interval", "learned", "flow", "sim"]
GPUS = ["gtx470", "gtx780", "titanv-new", "titanv-old", "h200", "pascal-mdm"]
# Small enough for the clocked model on the machine that runs the tests.
KERNELS = [
    ("stream", {"elements": (2048, 8192), "bytes": [4, 8, 16], "threads": [64, 128, 256], "reads": (1, 3)}),
    ("strided", {"stride": [4, 8, 32, 128, 516, 4096], "iterations": (2, 8), "blocks": (1, 12), "threads": [32, 64, 128]}),
    ("gather", {"elements": (1024, 4096), "table": (256, 65536), "iterations": (1, 4)}),
    ("chase", {"bytes": (1024, 65536), "stride": [32, 128, 256], "iterations": (32, 256), "shuffle": [0, 1]}),
    ("broadcast", {"stride": [4, 32, 128], "iterations": (4, 32), "blocks": (1, 16)}),
    ("stencil2d", {"nx": (64, 256), "ny": (16, 64)}),
    ("matmul", {"m": [32, 48], "n": [32, 64], "k": [16, 32], "tile": [8, 16]}),
]
# Counters of which no model needs a clock to know them. Spellings are Nsight Compute's.
CLOCKLESS = ["smsp__inst_executed.sum", "smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
             "launch__grid_size", "launch__block_size", "launch__registers_per_thread"]
SUFFIX = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
CYCLES = "sm__cycles_elapsed.max"
SHARES = {"descriptions": 0.35, "damaged": 0.25, "killed": 0.1, "allocations": 0.15, "programs": 0.15}


class Soak:
    def __init__(self, options):
        self.strata, self.source = str(Path(options.strata).resolve()), Path(options.source).resolve()
        self.random = random.Random(options.seed)
        self.deadline = time.monotonic() + options.seconds
        self.folder = Path(tempfile.mkdtemp(prefix="strata-soak-"))
        self.malloc = options.malloc and str(Path(options.malloc).resolve())  # commands run in another folder
        self.counts, self.findings = {}, []
        self.environment = dict(os.environ, STRATA_GPU_PATH=str(self.source / "gpus"), LC_ALL="C")

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def finding(self, what, command):
        words = " ".join(str(w) for w in command)
        self.findings.append(what)
        print(f"FINDING {what}\n  {words}", flush=True)

    def over(self, share_end):
        return time.monotonic() >= share_end

    def run(self, *words, limit=60, environment=None, allow_usage=False):
        """Runs the tool; what no input may do (crash, hang, more than a few lines) is a finding."""
        command = [self.strata, *map(str, words)]
        try:
            p = subprocess.run(command, cwd=self.folder, env=environment or self.environment, timeout=limit,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            self.finding(f"no end after {limit} s", command)
            return None
        if p.returncode < 0 or p.returncode > 4:
            self.finding(f"ended by {p.returncode}", command)
        if p.returncode == 2 and not allow_usage:
            self.finding("a command that the tester misspells: " + p.stderr.decode(errors="replace")[:200], command)
        if p.returncode in (2, 3, 4) and not p.stderr.strip():
            self.finding(f"exit {p.returncode} without a word", command)
        if re.search(rb"[\x00-\x08\x0b-\x1f]", p.stderr):
            self.finding("control characters on standard error", command)
        return p

    # ---- random descriptions ----

    def kernel(self, name):
        kind, shape = self.random.choice(KERNELS)
        words = []
        for key, values in shape.items():
            value = self.random.randint(*values) if isinstance(values, tuple) else self.random.choice(values)
            words.append(f"{key}={value}")
        self.run("generate", kind, *words, "-q", "-o", name)
        return f"{kind} {' '.join(words)}"

    def keys(self):
        p = self.run("gpu", "keys", "--format", "json")
        return [k for k in json.loads(p.stdout)["keys"]] if p and p.returncode == 0 else []

    def settings(self, keys):
        """A few random keys at random values, near their default or anywhere within their bounds."""
        words = []
        for key in self.random.sample(keys, self.random.randint(0, 4)):
            bounds = re.fullmatch(r"([\d.e+]+)(\w*) to ([\d.e+]+)(\w*)", key["allowed"])
            if bounds:
                low, high = (float(bounds[i]) * SUFFIX.get(bounds[i + 1], 1) for i in (1, 3))
                value = self.random.choice([low, high, low + (min(high, 4096) - low) * self.random.random(),
                                            2 ** self.random.randint(0, 16)])
                value = value if key["type"] == "number" else int(value)
            elif key["type"] in ("name", "true/false"):
                value = self.random.choice(re.split(r", | or ", key["allowed"] or "true, false"))
            else:
                continue
            words += ["--set", f"{key['key']}={value}"]
        return words

    def predict(self, trace, gpu, model, words):
        p = self.run("predict", trace, "--gpu", gpu, "-m", model, "-q", "-f", "json", *words, limit=120, allow_usage=True)
        self.count("model runs")
        if not p or p.returncode:
            return None
        values = json.loads(p.stdout)["launches"][0]
        counters = values.get("metrics", values.get("counters", {}))
        counters = {k: v["value"] if isinstance(v, dict) else v for k, v in counters.items()}
        command = ["predict", trace, "--gpu", gpu, "-m", model, *words]
        for name, value in counters.items():
            if isinstance(value, (int, float)) and not value >= 0:
                self.finding(f"{name} is {value}", command)
        self.adds_up(counters, command)
        return counters

    def adds_up(self, c, command):
        """Hits and misses are the sectors; what the L2 was asked for came from the L1."""
        for op in ("ld", "st"):
            base = f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}"
            parts = [c.get(f"{base}_lookup_{w}.sum") for w in ("hit", "miss")]
            if c.get(base + ".sum") is not None and None not in parts and sum(parts) > c[base + ".sum"] * 1.0001 + 1:
                self.finding(f"{base}: {parts[0]} hits and {parts[1]} misses of {c[base + '.sum']}", command)
        share = c.get("l1tex__t_sector_hit_rate.pct")
        if share is not None and share > 100.001:
            self.finding(f"an L1 hit rate of {share}", command)

    def descriptions(self, end):
        keys = self.keys()
        while not self.over(end):
            self.kernel("k.strata")
            gpu, words = self.random.choice(GPUS), self.settings(keys)
            answers = {m: self.predict("k.strata", gpu, m, words) for m in MODELS}
            answers = {m: a for m, a in answers.items() if a}
            for name in CLOCKLESS:
                told = {m: a[name] for m, a in answers.items() if name in a}
                if len(set(told.values())) > 1:
                    self.finding(f"{name} differs: {told}", ["predict", "k.strata", "--gpu", gpu, *words])
            self.longer_is_not_faster(gpu, answers)
            self.larger_is_not_worse(gpu)

    def longer_is_not_faster(self, gpu, answers):
        """The order of warps may change with any latency, so a small share is left."""
        model = self.random.choice(["flow", "sim", "interval"])
        key = self.random.choice(["l2.hit", "dram.access", "sm.latency.fp32", "l1.hit", "shared.latency"])
        short = self.predict("k.strata", gpu, model, ["--set", f"{key}=300"])
        long = self.predict("k.strata", gpu, model, ["--set", f"{key}=3000"])
        self.count("latencies")
        if short and long and CYCLES in short and long[CYCLES] < short[CYCLES] * 0.95:
            self.finding(f"{key} of 3000 is faster in {model} on {gpu}: {short[CYCLES]} to {long[CYCLES]} cycles",
                         ["predict", "k.strata"])

    def larger_is_not_worse(self, gpu):
        model = self.random.choice(["flow", "sim", "reuse"])
        name = "lts__t_sectors_op_read_lookup_hit.sum"
        words = ["--set", "l2.replacement=lru"]
        less = self.predict("k.strata", gpu, model, words)
        more = self.predict("k.strata", gpu, model, words + ["--set", "l2.ways=0"])
        self.count("capacities")
        if less and more and name in less and name in more and more[name] < less[name] * 0.8 - 64:
            self.finding(f"an L2 without sets hits less in {model} on {gpu}: {less[name]} to {more[name]}",
                         ["predict", "k.strata"])

    # ---- damaged files ----

    def mutate(self, data):
        data = bytearray(data)
        for _ in range(self.random.choice([1, 1, 2, 4, 16])):
            if not data:
                break
            at = self.random.randrange(len(data))
            kind = self.random.randrange(5)
            if kind == 0:
                data[at] ^= 1 << self.random.randrange(8)
            elif kind == 1:
                data[at] = self.random.choice([0, 1, 0x7f, 0x80, 0xff, ord("-"), ord("9"), 10])
            elif kind == 2:
                del data[at:at + self.random.choice([1, 4, 64])]
            elif kind == 3:
                data[at:at] = data[max(0, at - 32):at]
            else:
                data[at:at + 8] = struct.pack("<Q", self.random.choice([0, 2**31, 2**32 - 1, 2**63, 2**64 - 1]))
        return bytes(data)

    def mutate_native(self, data):
        """One record is changed and its checksums made good; the index goes, so that the file is scanned."""
        records, at = [], 16
        while at + 24 <= len(data):
            kind, launch, size = struct.unpack_from("<IIQ", data, at)
            if kind == 6 or at + 24 + size > len(data):
                break
            records.append([kind, launch, data[at + 24:at + 24 + size]])
            at += 24 + size
        if not records:
            return self.mutate(data)
        victim = self.random.choice(records)
        victim[2] = self.mutate(victim[2])
        out = bytearray(data[:16])
        for kind, launch, payload in records:
            head = struct.pack("<IIQI", kind, launch, len(payload), zlib.crc32(payload))
            out += head + struct.pack("<I", zlib.crc32(head)) + payload
        return bytes(out)

    def mutate_learned(self, data):
        body = self.mutate(data[32:])
        head = bytearray(data[:32])
        struct.pack_into("<QI", head, 16, len(body), zlib.crc32(body))
        return bytes(head) + body

    def seeds(self):
        """(file, how to change it, what reads it)"""
        t = self.source / "tests"
        self.run("generate", "stencil2d", "nx=96", "ny=16", "-q", "-o", "seed.strata")
        self.run("generate", "gather", "elements=512", "-q", "-o", "gather.strata")
        self.run("convert", "seed.strata", "text", "-q")
        self.run("predict", "seed.strata", "--gpu", "h200", "-m", "coalesce", "-q", "-f", "json", "-o", "seed.json")
        self.run("predict", "seed.strata", "--gpu", "h200", "-m", "coalesce", "-q", "-f", "csv", "-o", "seed.csv")
        sweep = ["sweep", "seed.strata", "--gpu", "h200", "-m", "coalesce", "--vary", "l1.hit=30,31", "-q", "--db"]
        self.run(*sweep, "seed.db")
        kernel = next(self.folder.glob("text/kernel-*"))
        readers = [["info"], ["check"], ["predict", "--gpu", "h200", "-q", "-m", "coalesce"],
                   ["predict", "--gpu", "titanv-new", "-q"], ["reuse", "-q", "--gpu", "h200"]]
        seeds = [(self.folder / "seed.strata", self.mutate_native, readers),
                 (self.folder / "gather.strata", self.mutate_native, readers),
                 (self.folder / "seed.strata", self.mutate, readers[:2]), (kernel, self.mutate, readers),
                 (self.folder / "seed.json", self.mutate, [["report", "-q", "-o", "page.html"]]),
                 (self.folder / "seed.csv", self.mutate, [["report", "-q", "-o", "page.html"]]),
                 (self.source / "gpus/h200.yaml", self.mutate, [["gpu", "check"], ["gpu", "show"]])]
        if (self.folder / "seed.db").exists():
            seeds.append((self.folder / "seed.db", self.mutate, [sweep]))
        counters = t / "data/counters.csv"
        if counters.exists():
            seeds.append((counters, self.mutate, [["correlate", "-q", "seed.json", "--measured"]]))
        models = list((self.source / "models").glob("*.learn"))
        for model in models[:1]:
            seeds.append((model, self.mutate_learned,
                          [["predict", "seed.strata", "--gpu", "h200", "-q", "-m", "learned", "--set"]]))
        for ptx in sorted((t / "data/ptx").glob("*.ptx"))[:4]:
            seeds.append((ptx, self.mutate, [["trace", "-q", "--grid", "1", "--block", "32", "-o", "out.strata", "--ptx"]]))
        for cubin in sorted((t / "data").glob("*/*.cubin"))[:4]:
            seeds.append((cubin, self.mutate, [["sass"]]))
        return [(p, p.read_bytes(), change, reads) for p, change, reads in seeds]

    def damaged(self, end):
        seeds = self.seeds()
        while not self.over(end):
            path, data, change, readers = self.random.choice(seeds)
            changed = change(data)
            if path.parent.name == "text":
                target = path
            else:
                target = self.folder / ("changed" + "".join(path.suffixes[-1:]))
            target.write_bytes(changed)
            reader = self.random.choice(readers)
            name = path.parent if path.parent.name == "text" else target
            words = reader + ([f"model.file={name}"] if reader[-1] == "--set" else [str(name)])
            # Whatever a file claims, this much is enough for a few kilobytes.
            before = set(os.listdir(self.folder))
            p = self.run(*words, limit=30, allow_usage=True)
            self.count("damaged files")
            if p and p.returncode and "out.strata" in set(os.listdir(self.folder)) - before:
                self.finding("a failed command left its output", words)
            for name in set(os.listdir(self.folder)) - before:
                if ".tmp." in name or ".part" in name:
                    self.finding(f"{name} was left", words)
            for leftover in ("out.strata", "page.html"):
                (self.folder / leftover).unlink(missing_ok=True)
            path.parent.name == "text" and path.write_bytes(data)

    # ---- killed commands ----

    def killed(self, end):
        self.run("generate", "stream", "elements=65536", "-q", "-o", "big.strata")
        commands = [["convert", "big.strata", "out.strata", "-q"], ["convert", "big.strata", "outdir", "-q"],
                    ["generate", "stream", "elements=262144", "-q", "-o", "out.strata"],
                    ["predict", "big.strata", "--gpu", "h200", "-q", "-f", "json", "-o", "out.json"],
                    ["dissect", "-t", "model:gtx780", "--save", "saved"],
                    ["sweep", "big.strata", "--gpu", "h200", "-m", "reuse", "--vary", "l1.hit=30..40+1", "--db", "out.db",
                     "-q", "-o", "out.csv", "-f", "csv"]]
        while not self.over(end):
            words = self.random.choice(commands)
            sign = self.random.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
            before = set(os.listdir(self.folder))
            p = subprocess.Popen([self.strata, *words], cwd=self.folder, env=self.environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.random() * self.random.choice([0.02, 0.1, 0.5]))
            p.send_signal(sign)
            try:
                p.wait(timeout=30)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
                self.finding(f"no end 30 s after {sign.name}", words)
            self.count("killed commands")
            if p.returncode not in (0, -sign, -signal.SIGKILL):
                self.finding(f"exit code {p.returncode} after {sign.name}", words)
            for name in sorted(set(os.listdir(self.folder)) - before):
                self.whole(name, words)
            for name in ("out.strata", "out.json", "out.csv", "out.db", "out.db-wal", "out.db-shm"):
                (self.folder / name).unlink(missing_ok=True)
            for name in ("outdir", "saved"):
                subprocess.run(["rm", "-rf", str(self.folder / name)], check=False)

    def whole(self, name, words):
        """What is there under its final name is complete."""
        if ".tmp." in name or ".part" in name:
            self.finding(f"{name} was left", words)
        elif name in ("out.strata", "outdir"):
            p = self.run("check", "-q", name)
            if p and p.returncode:
                self.finding(f"{name} is not whole", words)
        elif name == "out.json":
            json.loads((self.folder / name).read_text())


def record(options, counts):
    with open(options.record, "a") as out:
        for what, n in counts.items():
            out.write(f"{time.strftime('%Y-%m-%d', time.gmtime())},{os.uname().machine},{options.seconds},{options.seed},{what},{n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("strata")
    parser.add_argument("source")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", choices=list(SHARES))
    parser.add_argument("--malloc")
    parser.add_argument("--record")
    options = parser.parse_args()
    # A shell starts its background jobs with SIGINT ignored, nohup with SIGHUP, and so would be what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    soak = Soak(options)
    shares = {options.part: 1.0} if options.part else SHARES
    parts = {"descriptions": Soak.descriptions, "damaged": Soak.damaged, "killed": Soak.killed, "allocations": allocations,
             "programs": programs}
    try:
        for part, share in shares.items():
            parts[part](soak, min(soak.deadline, time.monotonic() + options.seconds * share))
    finally:
        subprocess.run(["rm", "-rf", str(soak.folder)], check=False)
    counts = ", ".join(f"{n} {what}" for what, n in soak.counts.items())
    print(f"soak: seed {options.seed}: {counts}; {len(soak.findings)} findings")
    if options.record:
        record(options, {**soak.counts, "findings": len(soak.findings)})
    sys.exit(bool(soak.findings))


main()
