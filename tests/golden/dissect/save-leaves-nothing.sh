# Raw data for which the disk (here: the limit on file sizes) has no room leaves no folder.
trap "" XFSZ
(ulimit -f 0; $strata dissect --target model:gtx560ti --save raw -o /dev/null 2>/dev/null)
echo "exit code $?"
ls
