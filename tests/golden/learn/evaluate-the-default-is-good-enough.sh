"$strata" learn evaluate "$data"/rod_bfs.strata "$data"/poly_GRAMSCHM.strata --gpu h200 -q --most-miss-error 0.043 --most-merge-error 0.05 \
    --least-r2 0.975 -f csv | cut -d, -f1-4 | head -3
