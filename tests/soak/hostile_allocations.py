"""Each allocation of each command refused in turn: one sentence, exit 3, nothing partial, nothing not given back."""

import os
import subprocess

from hostile_programs import compile_program

MODELS = ["coalesce", "reuse", "interval", "learned", "flow", "sim"]


def commands_of(soak):
    """Every command on a small input. What writes names its output out.*, so that leftovers are seen."""
    data = soak.source / "tests/data"
    soak.run("generate", "stencil2d", "nx=64", "ny=8", "-q", "-o", "a.strata")
    soak.run("predict", "a.strata", "--gpu", "h200", "-m", "coalesce", "-q", "-f", "json", "-o", "a.json")
    soak.run("predict", "a.strata", "--gpu", "h200", "-m", "flow", "-q", "-f", "json", "-o", "b.json")
    soak.run("convert", "a.strata", "atext", "-q")
    soak.run("learn", "profile", "a.strata", "--gpu", "h200", "-q", "-o", "a.learn")
    soak.run("learn", "generate", "-o", "cells", "--samples", "1", "--grid-only", "-q")
    kernel = ["--kernel", "saxpy", "--grid", "1", "--block", "64", "--arg", "i32:64", "--arg", "f32:2", "--arg", "buffer:256=random",
              "--arg", "buffer:256=index"]
    commands = [["info", "a.strata"], ["info", "atext"], ["check", "a.strata"], ["gpu", "show", "h200"], ["gpu", "list"], ["gpu", "keys"],
                ["gpu", "diff", "h200", "h100"], ["gpu", "check", "h200"], ["gpu", "import", data / "gpgpusim/volta.config", "-o", "out.yaml"],
                ["metrics"], ["completion", "bash"], ["convert", "a.strata", "out.strata", "-q"], ["convert", "a.strata", "outdir", "-q"],
                ["report", "a.json", "-q", "-o", "out.html"], ["generate", "stencil2d", "nx=64", "ny=8", "-q", "-o", "out.strata"],
                ["hotspots", "a.strata", "--gpu", "h200"], ["reuse", "a.strata", "--gpu", "h200"],
                ["export", "a.strata", "--gpu", "h200", "-q", "-o", "out.csv"],
                ["sweep", "a.strata", "--gpu", "h200", "-m", "coalesce", "--vary", "l1.hit=30,31", "-q"],
                ["sweep", "a.strata", "--gpu", "h200", "-m", "coalesce", "--vary", "l1.hit=30,31", "-q", "--db", "out.db"],
                ["compare", "a.json", "b.json"], ["check-regression", "b.json", "b.json"], ["advise", "a.strata", "--gpu", "h200", "-q"],
                ["correlate", "-q", data / "correlate/flow.json", "--measured", data / "correlate/counters.csv"],
                ["sass", data / "fatbin/two_codes.cubin"], ["trace", "--ptx", data / "ptx/saxpy.ptx", *kernel, "-q", "-o", "out.strata"],
                ["trace", "-q", "-o", "out.strata", "--", "true"],
                ["learn", "profile", "a.strata", "--gpu", "h200", "-q", "-o", "out.learn"],
                ["learn", "evaluate", "a.learn", "-m", "timed", "-m", "sdcm", "-m", "ppt"],
                ["learn", "generate", "-o", "outdir", "--samples", "1", "--grid-only", "-q"],
                ["learn", "train", "cells", "--epochs", "1", "--rows", "64", "-q", "-o", "out.learn"],
                ["learn", "rank", "a.strata", "--gpu", "h200", "-m", "sdcm", "-q"],
                ["timeline", "a.strata", "--gpu", "h200", "-q"], ["bugreport", "-o", "out.txt"],
                ["dissect", "-t", "model:gtx470", "-q"], ["doctor"]]
    program = compile_program(soak)
    if program:
        commands.append(["tune", "--vary", "STEP=none,threads", "--", program, "{STEP},none", "/dev/null"])
    return commands + [["predict", "a.strata", "--gpu", "h200", "-q", "-m", m, "-o", "out.txt"] for m in MODELS]


class Refuser:
    def __init__(self, soak):
        self.soak = soak
        self.leaks = soak.folder / "leaks.txt"
        self.usual = {}  # command: places that keep a block to the end of every run

    def run(self, words, at):
        environment = dict(self.soak.environment, LD_PRELOAD=self.soak.malloc, STRATA_TELL_LEAKS=str(self.leaks))
        if at is not None:
            environment["STRATA_REFUSE_ALLOCATION"] = str(at)
        self.leaks.unlink(missing_ok=True)
        before = set(os.listdir(self.soak.folder))
        p = self.soak.run(*words, limit=120, environment=environment, allow_usage=True)
        places = dict(line.split() for line in self.leaks.read_text().splitlines()) if self.leaks.exists() else {}
        made = set(os.listdir(self.soak.folder)) - before - {self.leaks.name}
        for name in made:
            subprocess.run(["rm", "-rf", str(self.soak.folder / name)], check=False)
        return p, places, made

    def where(self, place):
        p = subprocess.run(["addr2line", "-f", "-e", self.soak.strata, place], capture_output=True, text=True, check=False)
        return " ".join(p.stdout.split()) or place

    def refuse(self, words, at):
        """False: the command has fewer allocations than that."""
        key = " ".join(map(str, words))
        if key not in self.usual:
            usual = self.run(words, None)
            self.usual[key] = usual[0] and usual[0].returncode, usual[1]
        usual_code, usual = self.usual[key]
        p, places, made = self.run(words, at)
        self.soak.count("refused allocations")
        if not p:
            return True
        if b"strata: allocation refused" not in p.stderr:
            return False
        told = [line for line in p.stderr.decode(errors="replace").splitlines() if "allocation refused" not in line]
        shown = [f"STRATA_REFUSE_ALLOCATION={at}", *words]
        if p.returncode == 3 and len(told) != 1:
            self.soak.finding(f"{len(told)} lines instead of one: {told[:2]}", shown)
        if p.returncode not in (usual_code, 3):  # the answer, where it can do without
            self.soak.finding(f"exit {p.returncode} after a refused allocation", shown)
        if p.returncode and made and words[0] != "sweep" and words[:2] != ("learn", "generate"):  # which go on where they were stopped
            self.soak.finding(f"{sorted(made)} were left", shown)
        for place, blocks in places.items():
            if int(blocks) > int(usual.get(place, 0)):
                self.soak.finding(f"{blocks} blocks of {self.where(place)} were not given back", shown)
        return True


def allocations(soak, end):
    if not soak.malloc:
        print("allocations: skipped, there is no library that refuses them")
        return
    refuser = Refuser(soak)
    at = {tuple(map(str, words)): 0 for words in commands_of(soak)}
    commands, tried = list(at), {}
    soak.random.shuffle(commands)
    # Every command gets its turn, ten allocations at a time; further on, where the same code is met again, not each one.
    while commands and not soak.over(end):
        for words in list(commands):
            for _ in range(10):
                if soak.over(end) or not refuser.refuse(words, at[words]):
                    commands.remove(words) if not soak.over(end) else None
                    break
                tried[words[0]] = tried.get(words[0], 0) + 1
                at[words] += 1 if at[words] < 60 else 1 + soak.random.randint(0, at[words] // 15)
    if not tried and not soak.over(end):
        soak.finding("no allocation was refused", [soak.malloc])
    to_the_end = {words[0] for words in at} - {words[0] for words in commands}
    print("allocations refused:", ", ".join(f"{command} {n}{'' if command in to_the_end else '+'}" for command, n in sorted(tried.items())),
          "(+: there are more)", flush=True)
