# An Accel-Sim folder is read as it is.
"$strata" info "$data/accelsim/rod_lud"
