#!/bin/sh
# Builds the example suite:
#
#   build.sh nvcc OUT [FLAG...]    with NVIDIA's compiler (NVCC, or nvcc on the path or in /usr/local/cuda)
#   build.sh clang OUT [FLAG...]   with clang and no CUDA installation, through scripts/strata-clang
#
# SUITE_DIR names another folder of tests for the same driver (device/holdout).
# nvcc links the shared CUDA runtime; `strata trace` takes the other as well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
how=${1:?say nvcc or clang} out=${2:?name the program to write}
shift 2
tests=${SUITE_DIR:-$here}
set -- -I "$here" "$@"
[ "$tests" = "$here" ] || driver=$here/suite.cu
case $how in
nvcc)
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    exec "$nvcc" -O3 -arch=sm_90 -cudart shared --threads 2 "$@" -o "$out" "$tests"/*.cu ${driver:+"$driver"}
    ;;
clang)
    clang="$here/../../scripts/strata-clang"
    objects=$(mktemp -d)
    trap 'rm -rf "$objects"' EXIT
    export clang objects
    # shellcheck disable=SC2016 # the inner shell expands them
    printf '%s\n' "$tests"/*.cu ${driver:+"$driver"} | xargs -P 2 -I SOURCE sh -c \
        'source=$1; shift; "$clang" -c -O2 "$@" -o "$objects/$(basename "$source" .cu).o" "$source"' \
        sh SOURCE "$@"
    "$clang" -o "$out" "$objects"/*.o
    ;;
*) echo "build.sh: $how: say nvcc or clang." >&2; exit 2 ;;
esac
