# A header without a grid.
mkdir app && cd app || exit 1
printf -- '-kernel name = k\n-block dim = (32,1,1)\n#traces\n' >k.traceg
"$strata" info k.traceg
