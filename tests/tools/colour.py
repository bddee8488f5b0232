"""Advice and comparisons have colours on a terminal, unless NO_COLOR or TERM forbid it, and none elsewhere.
Arguments: the tool and a folder to write in."""
import os
import pty
import subprocess
import sys

tool, folder = sys.argv[1:3]


def run(words, **settings):
    """What a terminal shows."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | settings
    child = subprocess.Popen([tool, *words], stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:  # the other end is gone
        pass
    assert child.wait() == 0, words
    return seen.decode()


def make(words):
    subprocess.run([tool, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


trace, before, after = (os.path.join(folder, name) for name in ("colour.strata", "before.json", "after.json"))
make(["generate", "strided", "stride=128", "blocks=16", "iterations=4", "-o", trace])
make(["predict", trace, "--gpu", "h200", "-f", "json", "-o", before])
make(["predict", trace, "--gpu", "gtx470", "-f", "json", "-o", after])
for words in (["compare", before, after], ["advise", trace, "--gpu", "h200", "--least-gain", "0", "-q"]):
    assert "\033[1m" in run(words), words
    assert "\033[" not in run(words, NO_COLOR="1"), words
    assert "\033[" not in run(words, TERM="dumb"), words
    plain = subprocess.run([tool, *words], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert plain and "\033[" not in plain, words
assert "\033[31m" in run(["compare", before, after]), "slower is not red"
assert "\033[32m" in run(["compare", after, before]), "faster is not green"
print("colours are for terminals")
