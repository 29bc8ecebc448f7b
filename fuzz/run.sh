#!/bin/sh
# Feeds each reader with INPUTS inputs (1,000,000 unless told), or only the readers that are named.
# Needs a C++ compiler. What was found beside the corpus is kept in fuzz/found, a failing input in fuzz/failed.
# What is worth keeping of it goes into a corpus by fuzz/minimise.sh.
set -eu
cd "$(dirname "$0")/.."
inputs=${INPUTS:-1000000}
triple=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}/fuzz

# Coverage by LLVM's own pass, which a stable compiler has too; `--target` keeps it from build scripts.
RUSTFLAGS="-Cpasses=sancov-module -Ccodegen-units=1 -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing" \
    cargo build --quiet --release --locked --manifest-path fuzz/Cargo.toml --target "$triple" --target-dir "$target"
program=$target/$triple/release/drivelab-fuzz

corpus() {
    case $1 in
        segment | tail) echo "crates/record/tests/corpus/$1" ;;
        kernel-log) echo "crates/decode/tests/corpus/$1" ;;
        fio-job) echo "crates/fio/tests/corpus/$1" ;;
        stream) echo "crates/stream/tests/corpus/stream" ;;
        profile | overrides) echo "crates/sim/tests/corpus/$1" ;;
        *) echo "crates/trace/tests/corpus/$1" ;;
    esac
}

[ $# -gt 0 ] || set -- $(FUZZ_TARGET='' "$program" fuzz/run.sh 2>&1 | sed -n 's/.*name one of //p')
mkdir -p fuzz/failed
code=0
for name in "$@"; do
    # Some rows of text; two pages of the kernel's ring buffer, or a segment; a recording of some blocks.
    case $name in trace-pipe-raw | segment) longest=8192 ;; stream) longest=49152 ;; *) longest=2048 ;; esac
    found=fuzz/found/$name
    mkdir -p "$found"
    if FUZZ_TARGET=$name "$program" -runs="$inputs" -max_len="$longest" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="fuzz/failed/$name-" "$found" "$(corpus "$name")" >"$found.log" 2>&1; then
        rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$found.log")
        count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")
        printf '%-20s %9d inputs %8d a second\n' "$name" "$count" "$rate"
    else
        code=1
        printf '%-20s FAILED: %s\n' "$name" "$(grep -m1 -E 'panicked|ERROR' "$found.log" || true)"
        sed -n '/panicked/,/SUMMARY/p' "$found.log" | grep -A1 -m2 -E 'panicked|written to' || tail -3 "$found.log"
    fi
done
exit $code
