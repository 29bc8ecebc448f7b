# One command locally is what CI runs: `make check`.

CARGO ?= cargo
DRIVELAB = target/release/drivelab
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))
# Tests that cannot be run on this machine add a line to it; it is shown at the end, and CI takes none.
SKIPPED = $(TARGET)/skipped
# A page of each kind of result, for the tests in a browser.
KIND_PAGES = $(TARGET)/kind-pages
# The packages that the tests of python/ use. `make fleet` needs Java in addition.
PYTHON ?= python3
VENV = $(TARGET)/python

# What the tests test: all that can be built in. All commands for the workspace have the same features, as every crate would be
# compiled again with others. The default build has none.
FEATURES = --features drivelab/object-store

# The packages hold a static program, so that one of a kind serves every distribution.
STATIC = x86_64-unknown-linux-musl
PACKAGES = $(TARGET)/packages
STAGE = $(TARGET)/$(STATIC)/release/package
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
# The programs that make packages, of these versions.
TOOLS = $(TARGET)/tools
CARGO_DEB = cargo-deb@3.8.0
CARGO_RPM = cargo-generate-rpm@0.21.1
CARGO_ABOUT = cargo-about@0.9.3

.PHONY: build debug demo test check format lints page python python-package fleet guest bench packages packages-check fuzz mutants
.PHONY: clean

# The program alone: who tries it waits for no benchmarks, virtual machines and devices of tests.
build:
	$(CARGO) build --release --locked --package drivelab

# The programs as the tests use them. All packages at once: one alone is built with fewer features of the crates that it
# depends on, and all of these would be compiled again.
debug:
	$(CARGO) build --workspace --locked $(FEATURES) --bins --examples

# The main job, a review, on two simulated drives.
demo: build
	rm -rf demo
	$(DRIVELAB) review sim:sm2246en sim:consistent --plan short -o demo
	@echo "open demo/report.html"

# The rules of ARCHITECTURE.md are tests too (crates/tidy). docs/testing.md says what the tests need.
test:
	.ci/with-skips $(SKIPPED) $(CARGO) test --workspace --locked $(FEATURES)

# A tenth of the hosts that `make fleet` has by itself. The tests of pages, of the package for Python and of queries wait for
# other programs most of the time: they run beside each other. Those of drives measure times: nothing runs beside them.
check: export DRIVELAB_FLEET_HOSTS ?= 20
check: format lints debug
	$(MAKE) --jobs=3 --output-sync=target page python fleet
	$(MAKE) test
	$(MAKE) guest

format:
	$(CARGO) fmt --all --check

lints:
	$(CARGO) clippy --workspace --all-targets --locked $(FEATURES) -- -D warnings

# The pages' programs: types, and pages driven in a browser where Chromium is installed.
page: debug
	cd crates/view/page && npm ci --no-audit --no-fund
	rm -rf $(KIND_PAGES)
	DRIVELAB_KIND_PAGES=$(KIND_PAGES) $(CARGO) test --workspace --locked $(FEATURES) --test shown every_kind
	cd crates/view/page && DRIVELAB_KIND_PAGES=$(KIND_PAGES) $(CURDIR)/.ci/with-skips $(SKIPPED)-views npm test

# The package for Python: lint, types, tests on runs that the program makes, and the notebook.
python: debug python-package
	cd python && $(VENV)/bin/ruff check && $(VENV)/bin/ruff format --check && $(VENV)/bin/mypy
	cd python && DRIVELAB=$(TARGET)/debug/drivelab $(VENV)/bin/pytest -q -m "not fleet"

# Every query on DuckDB, DataFusion and a Spark cluster, from a folder and from an object store, over the week of 200 hosts;
# `make fleet DRIVELAB_FLEET_HOSTS=20` for fewer. Needs Java 17.
fleet: debug python-package
	cd python && DRIVELAB=$(TARGET)/debug/drivelab $(VENV)/bin/pytest -q -m fleet --log-level=ERROR --durations=10

python-package: $(VENV)/check $(VENV)/fleet
	$(VENV)/bin/pip install -q --no-deps --force-reinstall ./python

# Groups of pinned packages need a newer pip than that of Python 3.11. Two pips do not install into one folder at once.
$(VENV)/fleet: $(VENV)/check
$(VENV)/check $(VENV)/fleet: python/pyproject.toml
	test -x $(VENV)/bin/pip || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install -q pip==26.3
	$(VENV)/bin/pip install -q --group python/pyproject.toml:$(notdir $@)
	touch $@

# drivelab on real drivers (NVMe, AHCI, SCSI) in a virtual machine. Needs root, QEMU and the programs that docs/testing.md
# lists; fetches a kernel through apt once. `make guest SCENARIOS="nvme pulled"` boots only these machines.
guest: debug
	$(TARGET)/debug/drivelab-guest $(SCENARIOS)

# The side-by-side figures: needs root, zram and fio.
bench: build
	$(CARGO) build --release --locked -p drivelab-uring --example bare_ring
	$(CARGO) run --release --locked -p drivelab-benches

# A .deb, an .rpm and an archive with the same files, in target/packages. Needs rustup, which fetches Rust's library for musl,
# and the Debian packages binutils, musl-tools and xz-utils.
packages: export PATH := $(TOOLS)/bin:$(PATH)
packages: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
packages: $(TOOLS)/$(CARGO_DEB) $(TOOLS)/$(CARGO_RPM) $(TOOLS)/$(CARGO_ABOUT)
	rustup target add $(STATIC)
	$(CARGO) build --release --locked --target $(STATIC) --package drivelab --features object-store
	$(CARGO) fetch --locked
	packaging/stage $(TARGET)/$(STATIC)/release/drivelab $(STAGE)
	rm -rf $(PACKAGES) && mkdir $(PACKAGES)
	$(CARGO) deb --package drivelab --no-build --no-strip --target $(STATIC) --output $(PACKAGES)/
	$(CARGO) generate-rpm --package crates/cli --target $(STATIC) --output $(PACKAGES)/
	XZ_OPT=-9 tar --create --xz --file $(PACKAGES)/drivelab-$(VERSION)-x86_64-linux.tar.xz --sort=name --owner=0 --group=0 \
	    --numeric-owner --mtime=@$$SOURCE_DATE_EPOCH --transform='s,^\.,drivelab-$(VERSION)-x86_64-linux,S' -C $(STAGE) .
	cd $(PACKAGES) && sha256sum drivelab* >SHA256SUMS && du --apparent-size --block-size=kB drivelab*

$(TOOLS)/$(CARGO_ABOUT): TOOL_FEATURES = --features cli
$(TOOLS)/%:
	CARGO_TARGET_DIR=$(TOOLS)/build $(CARGO) install --locked --root $(TOOLS) $* $(TOOL_FEATURES)
	rm -rf $(TOOLS)/build
	touch $@

# Installs each package in a root of its own, runs the program there, and removes it. Needs root, mmdebstrap, rpm and
# busybox-static.
packages-check:
	packaging/check $(PACKAGES)

# Every reader of files from elsewhere, a million inputs each; `make fuzz INPUTS=10000 READERS="msr xz"` for less.
# Needs a C++ compiler. What fails is in fuzz/failed; once mended, it belongs into the reader's corpus.
fuzz:
	INPUTS=$(or $(INPUTS),1000000) fuzz/run.sh $(READERS)

# Changes the code that must not be wrong, one operator or result at a time, and lists the changes that no test notices:
# .cargo/mutants.toml has those that change nothing, with reasons. `make mutants CRATES="purge"` is a quarter of an hour; all of
# them are a day and more. Needs the program cargo-mutants (cargo install --locked cargo-mutants).
CRATES = purge safety workload record documents stream stats sim
mutants:
	$(CARGO) mutants $(CRATES:%=--package drivelab-%) --jobs 2 --output target

clean:
	$(CARGO) clean
	rm -rf demo
