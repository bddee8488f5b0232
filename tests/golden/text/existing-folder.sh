# A folder that holds something is not replaced.
. "$src/tests/golden/text/fixtures.inc"
kernel "0000 ffffffff 0 EXIT 0 0" >k.traceg
mkdir out && echo mine >out/file
"$strata" convert -q k.traceg out; echo "exit $?"; cat out/file; ls
