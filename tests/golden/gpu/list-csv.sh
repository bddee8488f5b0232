$strata gpu list --format csv | grep -e ^name -e ^gtx780
