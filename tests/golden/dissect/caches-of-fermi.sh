"$strata" dissect --target model:gtx560ti --format csv | grep -E '^(l1|texture|tlb)\.[a-z0-9_.]*,' | cut -d, -f1-3
