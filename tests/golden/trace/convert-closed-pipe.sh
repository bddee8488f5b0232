# The reader of the pipe leaves at once: a sentence, not a signal.
mkfifo pipe
sh -c "exec <pipe" & 
"$strata" convert -q --to strata "$data/rod_lud.strata" pipe 2>err
code=$?; sed "s/^strata: pipe: //" err; exit $code
