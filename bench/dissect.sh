#!/bin/sh
# Blind dissection of 300 random caches with 2 % outliers (SEED), with its time.
build=${1:-build}
start=$(date +%s%N)
"$build/tests/random_caches" "${SEED:-1}" 300 || exit 1
printf 'dissect  %.1f caches a second\n' "$(echo "300 * 1000000000 / ($(date +%s%N) - $start)" | bc -l)"
