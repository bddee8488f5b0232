$strata gpu keys >keys.md
cmp -s keys.md $src/docs/gpu-keys.md || echo "docs/gpu-keys.md is out of date; run: build/tools/strata gpu keys >docs/gpu-keys.md"
