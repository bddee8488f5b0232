$strata gpu list --format json | grep -e schema -e gtx780
