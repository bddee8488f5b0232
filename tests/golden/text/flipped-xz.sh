# A compressed file with a damaged byte is an error.
mkdir app && cd app || exit 1
cp "$data/accelsim/rod_lud/kernel-1.traceg.xz" k.traceg.xz && chmod u+w k.traceg.xz
printf '\000\377\000' | dd of=k.traceg.xz bs=1 seek=1000 conv=notrunc 2>/dev/null
"$strata" info k.traceg.xz
