#!/bin/sh
# The learned model: labelling and profiling a sample, a prediction from stored features, and the training
# of the default (a minute; LEARN_TRAIN=0 leaves it out).
build=${1:-build}
"$build/bench/bench_learn" || exit 1
[ "${LEARN_TRAIN:-1}" != 0 ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
start=$(date +%s)
"$build/tools/strata" learn generate -o "$scratch/data" --samples 50 -j 2 -q || exit 1
middle=$(date +%s)
"$build/tools/strata" learn train "$scratch/data" -o "$scratch/m.learn" --epochs 12 -j 2 -q || exit 1
end=$(date +%s)
printf 'training  data %d s, network %d s, limit 600 s\n' $((middle - start)) $((end - middle))
[ $((end - start)) -lt 600 ]
