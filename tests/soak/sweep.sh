#!/bin/sh
# A sweep of 1,000 points with the reuse model over three launches, killed ten times at random moments, and
# the same under mpirun. Argument: build folder.
build=${1:-build}
sh "$(dirname "$0")/../sweep/kill.sh" "$build/tools/strata" full
