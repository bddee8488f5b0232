# S8 counts 4 bytes and lanes after a gap have no address, by Accel-Sim's own rules.
mkdir app && cd app || exit 1
. "$src/tests/golden/text/fixtures.inc"
kernel "0000 0000000f 1 R0 LDG.E.S8 1 R2 1 1 0x7f0000000000 1" "0010 000000f1 1 R0 LDG.E 1 R2 4 1 0x7f0000000000 4" \
    "0020 ffffffff 0 EXIT 0 0" >k.traceg
"$strata" info k.traceg && "$strata" info --accelsim-compat k.traceg
