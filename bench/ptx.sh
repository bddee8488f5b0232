#!/bin/sh
# The PTX emulator: million thread instructions a second on one core (processor time) and what two cores
# gain (elapsed time; on a busy machine look at the processor time, which should stay the same).
"${1:-build}/bench/bench_ptx" "$(dirname "$0")/../tests/data/ptx/matmul_nvcc.ptx"
