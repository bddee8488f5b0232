"""A long command says on a terminal how far it is and how long it still takes, and nothing on a pipe.
Arguments: the tool and a trace of several launches."""
import os
import pty
import re
import subprocess
import sys

tool, trace = sys.argv[1:3]
words = [tool, "predict", trace, "--gpu", "h200", "--model", "coalesce", "-f", "csv", "-o", os.devnull]


def on_a_terminal(arguments):
    ours, theirs = pty.openpty()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:  # the other end is gone
        pass
    assert child.wait() == 0
    return seen.decode()


shown = on_a_terminal(words)
assert " of 45 launches" in shown and " s left" in shown, shown
# what is left falls from one line to the next; only when it is over, and was too little, is it told anew
told = [int(s) for s in re.findall(r"(\d+) s left", shown)]
assert all(after <= before or before <= 1 for before, after in zip(told, told[1:])), told
assert " s left" not in on_a_terminal(words + ["-q"])
# a launch that takes long is no reason for silence, and what is left is counted down meanwhile, never up
two = on_a_terminal([tool, "predict", trace, "--gpu", "h200", "--model", "sim", "-c", "2", "-o", os.devnull])
assert " s so far" in two, "nothing is told while the first launch runs"
left = [int(s) for s in re.findall(r"1 of 2 launches.* (\d+) s left", two)]
assert left and left == sorted(left, reverse=True), left
piped = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
assert " s left" not in piped, piped
print("progress is told on a terminal only")
