#!/usr/bin/env python3
"""What a GPU file says of the device a program sees, as a C string: default_device.py DRIVER_DEVICE GPU_FILE OUT.

The keys are those of the table in DRIVER_DEVICE; the string is what `strata trace --gpu` writes into
STRATA_TRACE_DEVICE. Reads as much of YAML as GPU files use for plain numbers."""
import re
import sys

UNITS = {"": 1, "cycles": 1, "MHz": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def numbers(path):
    """{"sm.count": 132, ...}: every key whose value is a whole number."""
    found, sections = {}, []
    for line in open(path, encoding="utf-8"):
        head = re.match(r"((?:  )*)(\w+):\s*$", line)
        row = re.match(r"((?:  )*)(\w+): (?:\{value: )?(\d+) ?(\w*)", line)
        if head:
            sections = sections[: len(head.group(1)) // 2] + [head.group(2)]
        elif row and row.group(4) in UNITS:
            inside = sections[: len(row.group(1)) // 2]
            found[".".join(inside + [row.group(2)])] = int(row.group(3)) * UNITS[row.group(4)]
    return found


code, gpu, out = sys.argv[1:]
keys = re.findall(r'FIELD\("([\w.]+)"', open(code, encoding="utf-8").read())
values = numbers(gpu)
missing = [key for key in keys if key not in values]
name = re.search(r"(?m)^description: (.*?) \(", open(gpu, encoding="utf-8").read())
if not keys or missing or not name:
    sys.exit("default_device.py: %s does not say %s" % (gpu, ", ".join(missing) or "its name"))
words = ["name=" + name.group(1)] + ["%s=%d" % (key, values[key]) for key in keys]
with open(out, "w", encoding="ascii") as header:
    header.write("/* Made by src/cuda/default_device.py from gpus/h200.yaml. */\n#define DEFAULT_DEVICE \\\n")
    header.write(" \\\n".join('    "%s;"' % word for word in words) + "\n")
