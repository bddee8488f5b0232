#!/bin/sh
# Measures the held-out set as device/kernels/measure.sh measures the example suite: measure.sh OUT [small|large]
here=$(cd "$(dirname "$0")" && pwd)
SUITE_DIR=$here exec "$here/../kernels/measure.sh" "$@"
