printf "hello, world\n" >letter.txt; "$strata" info letter.txt
