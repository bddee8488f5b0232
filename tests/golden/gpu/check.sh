# Every file is tried; the worst decides.
printf 'sm_version: 90\nsm: {count: 4, clock: 1 GHz}\n' >plain.yaml
printf 'sm_version: 90\nsm: {count: 4, clock: 1 GHz}\nl1:\n  sise: 32KiB\n' >wrong.yaml
$strata gpu check gtx470 plain.yaml wrong.yaml missing.yaml >out
echo "exit $?"
sed 's/[0-9][0-9] keys/many keys/' out # keys are added now and then
$strata gpu check plain.yaml
echo "exit $?"
$strata gpu check --strict plain.yaml
echo "exit $?"
