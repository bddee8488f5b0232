#!/bin/sh
# The models on the held-out set, against an H200's counters.
exec sh "$(dirname "$0")/../fidelity/holdout.sh" "${1:-build}/tools/strata"
