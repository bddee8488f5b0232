#!/bin/sh
# Builds the example suite:
#
#   build.sh nvcc OUT [FLAG...]    with NVIDIA's compiler (NVCC, or nvcc on the path or in /usr/local/cuda)
#   build.sh clang OUT [FLAG...]   with clang and no CUDA installation, through scripts/strata-clang
#
# nvcc links the shared CUDA runtime: `strata trace` can stand in for that one only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
how=${1:?say nvcc or clang} out=${2:?name the program to write}
shift 2
case $how in
nvcc)
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    exec "$nvcc" -O3 -arch=sm_90 -cudart shared "$@" -o "$out" "$here"/*.cu
    ;;
clang) exec "$here/../../scripts/strata-clang" -O2 "$@" -o "$out" "$here"/*.cu ;;
*) echo "build.sh: $how: say nvcc or clang." >&2; exit 2 ;;
esac
