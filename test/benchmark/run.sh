#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and run all benchmarks, and print one table:
# test/benchmark/run.sh [--only=NAME,...] [--save=FILE] [--against=FILE [--tolerance=SHARE]]
#
# --only: such as aggregator,transport; all by default, which takes about ten minutes
# --save: where the measurements go, as CSV
# --against: saved before; exit status 1 where a ratio is larger than then by more than the tolerance
# --tolerance: 0.15 by default
#
# The machine should have nothing else to do. Ratios are those of times, so less is better.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../../.ci/setup.sh"

need_packages python3
programs=()
for source in "$root"/test/benchmark/*-benchmark.cc; do
    name=${source##*/}
    programs+=("${name%.cc}")
done
build_dlearn "${programs[@]}"
export PYTHONPATH="$root/python:${PYTHONPATH:-}" # of learners
exec "$root/test/benchmark/dlearn-benchmark-table.py" "$build/test/benchmark" "$@"
