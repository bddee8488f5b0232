echo "%PDF-1.5 this is quite another kind of file" >m.learn
"$strata" learn rank "$data"/rod_lud.strata --gpu h200 -m ./m.learn
