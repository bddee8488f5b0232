mkdir p; printf "kernel-1.traceg\n" >p/kernelslist.g
"$strata" predict p --gpu h200 --model coalesce
