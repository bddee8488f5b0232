# The compression is recognised by its bytes, whatever the name.
mkdir app && cd app || exit 1
. "$src/tests/golden/text/fixtures.inc"
kernel "0000 ffffffff 1 R0 LDG.E 1 R2 4 1 0x7f0000000000 4" "0010 ffffffff 0 EXIT 0 0" >k.traceg
gzip -c k.traceg >a.traceg && xz -c k.traceg >b.xyz
"$strata" info a.traceg b.xyz
