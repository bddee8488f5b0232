#!/bin/sh
# The emulator on machine code: million thread instructions a second on one core (processor time) and what two
# cores gain (elapsed time; on a busy machine look at the processor time, which should stay the same).
"${1:-build}/bench/bench_ptx" "$(dirname "$0")/../tests/data/sass/matmul_sm90.cubin"
