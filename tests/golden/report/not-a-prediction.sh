echo '{"schema": "strata.info/1"}' >info.json
"$strata" report info.json -o page.html
code=$?
ls
exit $code
