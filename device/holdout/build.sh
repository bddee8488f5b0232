#!/bin/sh
# Builds the held-out set as device/kernels/build.sh builds the example suite:
#
#   build.sh nvcc|clang OUT [FLAG...]
here=$(cd "$(dirname "$0")" && pwd)
SUITE_DIR=$here exec "$here/../kernels/build.sh" "$@"
