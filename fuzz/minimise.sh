#!/bin/sh
# Makes the corpus of each reader that is named as small as covers the same edges of drivelab's own code; fuzz/README.md says how.
# Needs a C++ compiler and Python 3.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "name the readers, as in fuzz/minimise.sh msr xz" >&2; exit 2; }
triple=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}/fuzz-own

RUSTC_WRAPPER=$PWD/fuzz/own-coverage.sh RUSTFLAGS="--cfg fuzzing" \
    cargo build --quiet --release --locked --manifest-path fuzz/Cargo.toml --target "$triple" --target-dir "$target"
for name in "$@"; do
    python3 fuzz/minimise.py "$target/$triple/release/drivelab-fuzz" "$name"
done
