"""Misbehaving programs under `strata trace`: each does a few things to its process and ends in some way. Every launch that
came back is in a sound trace, nothing is left behind, and the exit code is the program's."""

import json
import os
import shutil
import subprocess
import time

STEPS = ["none", "fork-exit", "fork-gpu", "fork-exec", "fork-twice", "vfork-exec", "spawn-self", "shell", "exec-nothing", "new-session",
         "close-all", "close-standard", "take-numbers", "change-folder", "close-mask", "few-files", "alarms", "block-signals", "own-handlers",
         "jump-from-fault", "launch-in-handler", "threads", "jump-from-callback", "load-and-unload", "launch-at-exit", "context-again",
         "kernel-fails", "exec-self"]
# How a program may end, and the code that `strata trace` passes on.
ENDS = {"none": 0, "exit-in-callback": 9, "exit-in-thread": 9, "end-main-thread": 0, "exit-five": 5, "leave-at-once": 7, "leave-quickly": 3,
        "terminate": 143, "kill-self": 137, "fault": 139, "abort": 134, "exec-true": 0, "become-daemon": 0}
# Signals that are not delivered while all are blocked: the program goes on and ends well.
BLOCKED = {"terminate": 0, "fault": 0}
LIMIT_S = 60


def compile_program(soak):
    driver = os.path.join(os.path.dirname(os.path.dirname(soak.strata)), "src/cuda/libcuda.so.1")
    program = soak.folder / "program"
    if not os.path.exists(driver) or not shutil.which("cc"):
        return None
    subprocess.run(["cc", "-std=gnu17", "-O1", f"-I{soak.source}/device/include", "-o", program,
                    soak.source / "tests/soak/hostile_program.c", driver, "-lpthread", "-ldl"], check=True)
    return program


def random_steps(soak):
    steps = [soak.random.choice(STEPS) for _ in range(soak.random.randint(1, 5))]
    return steps + [soak.random.choice(list(ENDS))]


def expected_code(steps):
    end = steps[-1]
    return BLOCKED.get(end, ENDS[end]) if "block-signals" in steps else ENDS[end]


def launches_of(soak, trace, command):
    p = soak.run("check", trace)
    if p and p.returncode:
        soak.finding(f"{trace.name} is not sound", command)
    p = soak.run("info", "--format", "json", trace)
    return p.stdout.count(b'"kernel"') if p else 0


def run_program(soak, program, steps):
    folder = soak.folder / "traced"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    log = soak.folder / "launches.log"
    log.unlink(missing_ok=True)
    words = [soak.strata, "trace", "-o", "out.strata", "--", str(program), ",".join(steps), str(log)]
    soak.count("programs")
    # A daemon outlives the command: its output must not keep us waiting.
    with open(soak.folder / "program.err", "wb") as err:
        p = subprocess.Popen(words, cwd=folder, env=soak.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=err, start_new_session=True)
        try:
            code = p.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.wait()
            soak.finding(f"no end after {LIMIT_S} s", words)
            return
    if code != expected_code(steps):
        told = (soak.folder / "program.err").read_text(errors="replace")[-300:]
        soak.finding(f"exit {code}, not {expected_code(steps)}: {told}", words)
    daemon = steps[-1] == "become-daemon"
    wanted = log.read_text().count("launch") if log.exists() else 0
    if daemon:
        time.sleep(0.6)  # what it starts later is not recorded and leaves nothing
    recorded = sum(launches_of(soak, trace, words) for trace in sorted(folder.glob("out*.strata")))
    if recorded != wanted:
        soak.finding(f"{recorded} launches in the traces, {wanted} came back", words)
    for name in sorted(os.listdir(folder)):
        if ".tmp." in name:
            soak.finding(f"{name} was left", words)


def programs(soak, end):
    program = compile_program(soak)
    if not program:
        print("programs: skipped, there is no compiler or no driver beside the tool")
        return
    singles = [["none", s, "none"] for s in STEPS] + [["none", e] for e in ENDS]
    soak.random.shuffle(singles)
    while not soak.over(end):
        run_program(soak, program, singles.pop() if singles else random_steps(soak))
