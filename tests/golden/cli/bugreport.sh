# versions and machine differ; the command that went wrong does not
"$strata" bugreport -- strata info nothing.strata | sed -n "/^## The command/,\$p"
"$strata" bugreport | grep -c "^## strata doctor"
"$strata" bugreport -o no/such/folder
