#!/usr/bin/env python3
"""Puts the report's page into a C file: embed.py PAGE OUT."""
import sys

data = open(sys.argv[1], "rb").read()
markers = [b"@strata-title@", b"@strata-data@"]
if [data.count(m) for m in markers] != [1, 1] or data.index(markers[0]) > data.index(markers[1]):
    sys.exit("embed.py: %s must hold %s and then %s, once each" % (sys.argv[1], *(m.decode() for m in markers)))

# Longer than the 4095 characters a compiler must take in one literal, so as an array of bytes.
# A character constant is right for either sign of `char`.
codes = ["%d," % b if b < 128 else "'\\x%02x'," % b for b in data] + ["0"]
with open(sys.argv[2], "w", encoding="ascii") as out:
    out.write('/* Made by src/report/embed.py from web/dist/report.html. */\n#include "report/page.h"\n\n')
    out.write("const char strata_report_page[] = {\n")
    for i in range(0, len(codes), 40):
        out.write("".join(codes[i:i + 40]) + "\n")
    out.write("};\n")
