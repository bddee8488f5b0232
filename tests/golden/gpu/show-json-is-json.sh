for what in "show h200" "show gtx560ti" list keys "diff h200 gtx980"; do
    $strata gpu $what --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["schema"])'
done
$strata doctor --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["schema"])'
