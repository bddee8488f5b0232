#!/bin/sh
# Installs into a scratch folder and builds examples/ against what was installed, with nothing but
# pkg-config and the C compiler. Arguments: the build folder and the source folder.
build=$1 src=$2
command -v pkg-config >/dev/null && command -v cc >/dev/null || { echo "skipped: no pkg-config or cc"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "install: $1"; exit 1; }
DESTDIR=$scratch meson install -C "$build" --no-rebuild --quiet || fail "meson install failed"
pc=$(find "$scratch" -name strata.pc)
[ -n "$pc" ] || fail "there is no strata.pc"
prefix=$(sed -n 's/^prefix=//p' "$pc")
root=$scratch$prefix
[ -x "$root/bin/strata" ] || fail "there is no bin/strata"
[ -f "$root/share/strata/gpus/h200.yaml" ] || fail "the GPU files are not installed"
for command in $("$root/bin/strata" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ -s "$root/share/man/man1/strata-$command.1" ] || fail "strata-$command.1 is not installed"
done
for file in man/man1/strata.1 bash-completion/completions/strata zsh/site-functions/_strata fish/vendor_completions.d/strata.fish; do
    [ -s "$root/share/$file" ] || fail "share/$file is not installed"
done
module=$(find "$root" "$scratch" -path '*/strata/__init__.py' | head -n 1)
[ -n "$module" ] || fail "the Python module is not installed"
PYTHONDONTWRITEBYTECODE=1 STRATA=$root/bin/strata PYTHONPATH=$(dirname "$(dirname "$module")") python3 -c 'import strata; assert strata.version().startswith("strata ")' ||
    fail "the installed Python module does not work"
# Only headers of the public folder, each of which compiles by itself.
for header in "$root"/include/strata/*.h; do
    echo "#include <strata/${header##*/}>" >"$scratch/one.c"
    cc -std=c17 -Wall -Werror -fsyntax-only "-I$root/include" "$scratch/one.c" || fail "${header##*/} does not stand alone"
done
for header in "$src"/include/strata/*.h; do
    [ -f "$root/include/strata/${header##*/}" ] || fail "${header##*/} is not installed (include/meson.build)"
done
export PKG_CONFIG_PATH="$(dirname "$pc")"
libdir=$(pkg-config --define-variable=prefix="$root" --variable=libdir strata)
for example in "$src"/examples/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2046
    cc -std=c17 -Wall -Wextra -Werror "$example" $(pkg-config --define-variable=prefix="$root" --cflags --libs strata) \
        -o "$scratch/$name" || fail "$name does not build"
done
if command -v cmake >/dev/null 2>&1; then
    mkdir "$scratch/by-cmake"
    cat >"$scratch/by-cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.10)
project(example C)
find_package(strata 0.2 REQUIRED)
add_executable(sectors_per_load "$src/examples/sectors_per_load.c")
target_link_libraries(sectors_per_load strata::strata)
EOF
    (cd "$scratch/by-cmake" && cmake -DCMAKE_PREFIX_PATH="$root" . && cmake --build .) >"$scratch/cmake.log" 2>&1 ||
        { cat "$scratch/cmake.log"; fail "CMake does not find or use the library"; }
    "$scratch/by-cmake/sectors_per_load" "$root/share/strata/gpus/h200.yaml" "$src/tests/data/traces/strided" >"$scratch/out" &&
        diff -u "$src/tests/install/sectors_per_load.txt" "$scratch/out" || fail "what CMake built does not work"
else
    echo "not tried: there is no cmake here"
fi
LD_LIBRARY_PATH=$libdir "$scratch/sectors_per_load" "$root/share/strata/gpus/h200.yaml" "$src/tests/data/traces/strided" >"$scratch/out" ||
    fail "sectors_per_load failed"
diff -u "$src/tests/install/sectors_per_load.txt" "$scratch/out" || fail "sectors_per_load printed something else"
# A CUDA program, compiled and run by what was installed alone.
if command -v clang++ >/dev/null 2>&1; then
    case $(ldd "$root/bin/strata") in *libasan*) export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 ;; esac
    "$root/bin/strata-clang" -o "$scratch/vecadd" "$src/examples/vecadd.cu" || fail "strata-clang does not build vecadd.cu"
    (cd "$scratch" && "$root/bin/strata" trace -q -- ./vecadd 1000) || fail "strata trace does not run vecadd"
    "$root/bin/strata" check "$scratch/vecadd.strata" >/dev/null || fail "the trace of vecadd is not legal"
fi
echo "installed, and the examples run"
