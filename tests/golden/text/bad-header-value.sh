# A grid that is no grid.
mkdir app && cd app || exit 1
printf -- '-kernel name = k\n-grid dim = (1,x,1)\n#traces\n' >k.traceg
"$strata" info k.traceg
