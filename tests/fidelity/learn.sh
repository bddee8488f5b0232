#!/bin/sh
# The default model on launches it was not trained on, against the timed L1: the bounds of the paper, but for ranks, where warps that
# wait leave eight launches whose ten caches differ, two of them in the fourth digit (docs/learn.md).
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-.}
"$strata" learn evaluate "$src/tests/data/h200.strata" --gpu h200 --sms 4 -q -m default -m timed -m sdcm -m ppt --most-miss-error 0.043 \
    --most-merge-error 0.05 --least-r2 0.975 --least-spearman 0.9
