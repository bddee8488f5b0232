#!/bin/sh
# 300 random caches with 2 % outliers for each of a few seeds (SEEDS), dissected blindly.
for seed in ${SEEDS:-1 2 3}; do
    "${1:-build}/tests/random_caches" "$seed" 300 || exit 1
done
