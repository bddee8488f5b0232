#!/bin/sh
# Warp accesses turned into requests per second of one core.
"${1:-build}/bench/bench_coalesce"
