"""What predict and timeline take of memory does not grow with launches, but for the trace's own list of them.
Arguments: the tool, and the program that makes traces of many launches."""
import os
import subprocess
import sys
import tempfile

tool, many_launches = (os.path.abspath(word) for word in sys.argv[1:3])
FEW, MANY = 300, 6000
LIMIT = 4.0  # KB a launch (the pages of the heap make 1 of it unsure); results that wait to be written take 10 to 40
NO_LARGE_PAGES = 41  # PR_SET_THP_DISABLE: whether the system has a page of 2 MB to give is chance, and counts
STORED = 10000  # launches of a model that takes no time


def peak_kb(words):
    """Of this one command: usage of children is a maximum over all of them, so that each has a parent of its own."""
    ask = (f"import ctypes, resource, subprocess, sys; ctypes.CDLL(None).prctl({NO_LARGE_PAGES}, 1, 0, 0, 0);"
           "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return int(subprocess.run([sys.executable, "-c", ask] + words, check=True, stdout=subprocess.PIPE).stdout)


def growth_once(words, few, many):
    small, large = (peak_kb([tool, words[0], f"{n}.strata", "--gpu", "h200", "-q"] + words[1:]) for n in (few, many))
    print(f"{' '.join(words)}: {small} KB for {few} launches, {large} KB for {many}")
    return (large - small) / (many - few)


def check(words, few, many):
    """The same command takes up to 17 MB more in one run than in another, whatever its launches: the least of three counts, and MANY is so many that
    these are below the limit."""
    for _ in range(3):
        per_launch = growth_once(words, few, many)
        if per_launch < LIMIT:
            return
    sys.exit(f"{' '.join(words)}: {per_launch:.2f} KB a launch, {LIMIT} are allowed")


os.environ.pop("MALLOC_PERTURB_", None)  # which writes over all that is freed
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for n in FEW, MANY, STORED // 10, STORED:
        subprocess.run([many_launches, f"{n}.strata", str(n)], check=True)
    for words in (["predict", "-f", "json", "--cache-control", "none"], ["timeline", "-f", "perfetto"],
                  ["timeline", "-f", "text", "--sample", "1%"],
                  ["predict", "-f", "json", "--cache-control", "none", "--sample", "1%"]):
        check(words, FEW, MANY)
    for form in "text", "json":
        check(["predict", "--model", "coalesce", "-j", "2", "-f", form], STORED // 10, STORED)
print("memory does not grow with launches")
