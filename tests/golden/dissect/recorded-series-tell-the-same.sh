"$strata" dissect --target model:gtx780 --save raw --gpu-file found.yaml --report found.html -o /dev/null || exit 1
"$strata" gpu check found.yaml
grep -c '<svg' found.html
"$strata" dissect --from raw --format csv | grep -E '^(readonly|tlb.l2|texture\.(saavedra|wong))' | sed 's/,[^,]*$//'
