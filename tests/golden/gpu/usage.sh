for args in "" "frob" "show" "diff h200" "check" "show h200 --format xml" "show --colour h200"; do
    $strata gpu $args
    echo "exit $?"
done
