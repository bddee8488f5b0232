#!/bin/sh
# Exact stack distances: 20 million accesses over a million lines, against a plain Fenwick tree.
"${1:-build}/bench/bench_reuse"
