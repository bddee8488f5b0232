# Major version 7 with a good checksum.
printf '\211STRATA\n\007\000\000\000\377\221\162\252' >future.strata; "$strata" info future.strata
