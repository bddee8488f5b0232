# A compressed file that stops in the middle is an error.
mkdir app && cd app || exit 1
head -c 3000 "$data/accelsim/rod_lud/kernel-1.traceg.xz" >k.traceg.xz
"$strata" info k.traceg.xz
