#!/usr/bin/env python3
"""Puts style and script into the report's page and the page into a C file: embed.py HTML CSS JS OUT."""
import sys

html, css, js = (open(path, encoding="utf-8").read() for path in sys.argv[1:4])
page = html.replace("@strata-style@", css).replace("@strata-script@", js)
markers = ["@strata-title@", "@strata-data@"]
if [page.count(m) for m in markers] != [1, 1] or page.index(markers[0]) > page.index(markers[1]):
    sys.exit("embed.py: %s must hold %s and then %s, once each" % (sys.argv[1], *markers))

with open(sys.argv[4], "w", encoding="ascii") as out:
    out.write('/* Made by src/report/embed.py from web/. */\n#include "report/page.h"\n\n')
    # Longer than the 4095 characters a compiler must take in one literal, so as an array of bytes.
    out.write("const char strata_report_page[] = {\n")
    data = page.encode() + b"\0"
    for i in range(0, len(data), 24):
        out.write("    " + ", ".join("'\\x%02x'" % b for b in data[i:i + 24]) + ",\n")
    out.write("};\n")
