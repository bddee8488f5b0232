# A list that names a file which is not there: the list's line.
. "$src/tests/golden/text/fixtures.inc"
mkdir app && kernel "0000 ffffffff 0 EXIT 0 0" >app/kernel-1.traceg
printf 'MemcpyHtoD,0x7f0000000000,4096\nkernel-1.traceg\nkernel-2.traceg\n' >app/kernelslist.g
"$strata" info app
