# A folder of one's own comes first; a broken file is named and the others are still listed.
mkdir mine
printf 'sm_version: 99\ndescription: my own\nsm: {count: 7, clock: 1.5 GHz}\n' >mine/h200.yaml
printf 'extends: h200\nsm: {count: 3}\n' >mine/small.yaml
printf 'sm_version: 99\nsm: {cuont: 7}\n' >mine/broken.yaml
STRATA_GPU_PATH=$PWD/mine:/nonexistent $strata gpu list | grep -e h200 -e small
STRATA_GPU_PATH=$PWD/mine $strata gpu list >/dev/null
