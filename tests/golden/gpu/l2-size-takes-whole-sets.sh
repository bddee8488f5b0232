# the sizes that people write: none is a whole number of sets of 64 ways in 96 slices
cat >mine.yaml <<'Y'
extends: h200
l2: {size: 60MiB, ways: 64, slices: 96, effective: 48MiB, dirty: 15MiB}
Y
for size in 50MB 100MiB 30MiB; do
    "$strata" gpu show ./mine.yaml --set l2.size=$size | awk '/^  l2\.(size|effective|dirty) / { print $1, $2 }'
done
