#!/bin/sh
# build.sh OUT [FLAG...]: builds the probe with NVIDIA's compiler (NVCC, or nvcc on the path or in
# /usr/local/cuda). Flags are passed on; the default target is the H200's sm_90.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name the program to write}
shift
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
exec "$nvcc" -O3 -std=c++17 -arch="${ARCH:-sm_90}" --threads 0 "$@" -o "$out" \
    "$here/probe.cu" "$here/chase.cu" "$here/l1.cu" "$here/l2.cu" "$here/tlb.cu" "$here/core.cu" "$here/rates.cu"
