# the store by column comes first under its own name, the atomic of a header at the line that calls it, and all its sectors reach the L2
t() { "$strata" trace --ptx "$data/ptx/broken.ptx" --kernel "$1" --grid "$2" --block "$3" --arg buffer:64KiB=random --arg buffer:64KiB=zero -q -o "$1.strata"; }
t column_store 64 32 && t histogram_global 64 256 || exit 9
"$strata" hotspots column_store.strata histogram_global.strata --gpu h200 --by line
