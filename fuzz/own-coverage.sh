#!/bin/sh
# The compiler, with coverage for drivelab's crates alone: what libraries do is tested by them.
case " $* " in
*" --crate-name drivelab_fuzz "*) exec "$@" ;;
*" --crate-name drivelab_"*)
    exec "$@" -Cpasses=sancov-module -Ccodegen-units=1 -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    ;;
*) exec "$@" ;;
esac
