# Opcodes and GPUs that nobody knows are counted warnings.
mkdir app && cd app || exit 1
. "$src/tests/golden/text/fixtures.inc"
sm=777
kernel "0000 ffffffff 1 R0 FROBNICATE.X 1 R2 0" "0000 ffffffff 1 R0 FROBNICATE.X 1 R2 0" "0010 ffffffff 0 EXIT 0 0" >k.traceg
"$strata" info k.traceg
