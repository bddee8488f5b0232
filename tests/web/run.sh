#!/bin/sh
# The report's page: `run.sh STRATA SOURCE WORK built` checks that web/dist/report.html is what the sources
# build to, `... browser` tries the page in a headless browser. Packages are fetched by name into the
# folder WORK, once. Skipped (77) where Node, its packages or the browser cannot be had.
set -u
strata=$1 src=$2 work=$3 what=$4
skip() { echo "skipped: $1"; exit 77; }
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || skip "there is no Node (packages nodejs, npm)"
node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || skip "Node $(node --version) is older than 20"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ "$what" != browser ] || [ -n "$chromium" ] || skip "there is no browser (package chromium)"

mkdir -p "$work" || exit 1
exec 9>"$work/lock"
if command -v flock >/dev/null 2>&1; then flock 9; fi # both tests share the packages
rm -rf "$work/src" "$work/test" "$work/dist"
rm -rf "$work/.new"
mkdir "$work/.new" || exit 1
(cd "$src/web" && cp -R .npmrc package.json package-lock.json report.html src test tsconfig.json vite.config.js "$work/.new/") || exit 1
if ! cmp -s "$work/.new/package-lock.json" "$work/package-lock.json" || [ ! -f "$work/installed" ]; then
    rm -rf "$work/node_modules" "$work/installed"
    cp "$work/.new/package.json" "$work/.new/package-lock.json" "$work/.new/.npmrc" "$work/"
    # Asking for one package first: without a network npm would try each of them for minutes.
    (cd "$work" && timeout 20 npm view vite version --fetch-retries=0 >npm.log 2>&1 </dev/null &&
        timeout 180 npm install --ignore-scripts >npm.log 2>&1 </dev/null) ||
        { tail -n 2 "$work/npm.log"; rm -rf "$work/.new"; skip "npm cannot fetch the packages of web/package-lock.json"; }
    : >"$work/installed"
fi
cp -R "$work/.new/." "$work/" && rm -rf "$work/.new"
cd "$work" || exit 1
case $what in
built)
    npm run build >build.log 2>&1 || { cat build.log; exit 1; }
    size=$(wc -c <dist/report.html)
    [ "$size" -lt 1500000 ] || { echo "the page has $size bytes; 1500000 is the limit"; exit 1; }
    cmp dist/report.html "$src/web/dist/report.html" ||
        { echo "web/dist/report.html is not what web/ builds to: run 'cd web && npm install && npm run build' and commit it"; exit 1; }
    echo "the page in the tree is what its sources build to ($size bytes)" ;;
browser)
    STRATA=$strata CHROMIUM=$chromium node --test test/report.test.mjs >test.log 2>&1
    code=$?
    grep -E '^(not ok|# report:)|^  (error|failureType)|AssertionError' test.log
    [ $code = 0 ] || cat test.log
    echo "web: $(grep -c '^ok ' test.log) passed, $(grep -c '^not ok ' test.log) failed"
    exit $code ;;
*) echo "run.sh: built or browser, not \"$what\""; exit 2 ;;
esac
