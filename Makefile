# The two commands a newcomer needs are `make demo` and `make check`.
BUILD ?= build
MESON_FLAGS ?= -Dwerror=true

.PHONY: all setup demo check bench soak fuzz install format clean asan static dist deb wheel

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

setup:
	@scripts/setup

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) $(MESON_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

demo: all
	@scripts/demo $(BUILD)

# Node and a browser are for the tests of the report's page; where they cannot be had those are skipped.
check: all
	@scripts/setup --tests
	@scripts/check $(BUILD)

bench: all
	@scripts/bench $(BUILD)

# AddressSanitizer and UndefinedBehaviorSanitizer over the unit and golden tests. Looking for leaks
# takes seconds at the end of each process, so the many short ones of the golden cases go without.
asan: setup
	@test -f build-asan/build.ninja || meson setup build-asan -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-asan && meson test -C build-asan --print-errorlogs --no-suite golden --no-suite install
	@ASAN_OPTIONS=detect_leaks=0 meson test -C build-asan --print-errorlogs --no-rebuild --suite golden

# Each fuzzer for FUZZ_SECONDS (default 600); what it finds joins the archives of tests/fuzz/corpus.
fuzz: setup
	@scripts/fuzz

soak: all
	@scripts/soak $(BUILD)

# `make install PREFIX=/opt/strata`; without PREFIX the one the build has (/usr/local). DESTDIR is honoured.
install: setup
	@test -f build-install/build.ninja || meson setup build-install -Dtests=false >/dev/null
	@$(if $(PREFIX),meson configure build-install --prefix=$(PREFIX) &&) ninja -C build-install && meson install -C build-install

# One file that runs on any Linux of this architecture: build-static/strata. GPU files are found in a folder gpus beside it.
static: setup
	@test -f build-static/build.ninja || meson setup build-static -Dstatic=true -Dprefer_static=true -Dtests=false -Dbuildtype=release
	@ninja -C build-static tools/strata
	@rm -rf build-static/strata-static && mkdir build-static/strata-static && cp -r gpus LICENSE build-static/strata-static
	@strip -o build-static/strata-static/strata build-static/tools/strata
	@tar -C build-static -czf build-static/strata-static.tar.gz strata-static && ls -lh build-static/strata-static.tar.gz

# A tarball that builds from itself; a Debian package; a wheel of the Python module. All go to dist/.
dist:
	@scripts/dist

deb: setup
	@scripts/deb

wheel: all
	@scripts/wheel $(BUILD)

format: setup
	@scripts/check-format --fix

clean:
	rm -rf build build-asan build-fuzz build-static build-deb build-coverage demo-out dist
