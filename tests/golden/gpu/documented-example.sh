# The first example of docs/gpu-files.md is a right file.
sed -n '/^```yaml/,/^```/p' $src/docs/gpu-files.md | sed '1d;/^```/,$d' >half.yaml
$strata gpu check half.yaml | cut -d, -f1
$strata gpu diff h200 half.yaml | grep -E '  (sm.count|l2.size|l2.slices)'
