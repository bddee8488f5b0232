# Text that stops within a block is used, with a warning.
mkdir app && cd app || exit 1
. "$src/tests/golden/text/fixtures.inc"
kernel "0000 ffffffff 1 R1 LDC 0 0" "0010 ffffffff 1 R0 LDG.E 1 R2 4 1 0x7f0000000000 4" "0020 ffffffff 0 EXIT 0 0" |
    head -c 260 >k.traceg
"$strata" info k.traceg
