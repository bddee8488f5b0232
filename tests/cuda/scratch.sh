# shellcheck shell=sh
# For the scripts in the folders beside this one, which source it with the tool as their first argument: sets strata, here (the
# script's folder), src and libraries, and goes to a scratch folder, which is removed at the end.
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../../.." && pwd)
# shellcheck disable=SC2034
libraries=${strata%/tools/strata}/src/cuda
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
