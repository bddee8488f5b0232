# What yaml prints is a GPU file with the same values.
$strata gpu show titanv-new --format yaml >copy.yaml && $strata gpu check copy.yaml | cut -d, -f1 && $strata gpu diff titanv-new copy.yaml && grep -A3 '^l1:' copy.yaml
