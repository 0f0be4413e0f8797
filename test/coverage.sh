#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measure which lines of model/ and helper/ the tests run (build-coverage/), and fail when these are
# less than 90 %: test/coverage.sh [options of ctest]
#
# Takes about half an hour on two cores. Files with less than 90 % are listed.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

cd "$root" # the filters of gcovr are relative
folder="$root/build-coverage"
need_packages "${packages[@]}" gcovr
cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="-O1 --coverage" \
    -DDLEARN_TORCH=OFF -DDLEARN_BENCHMARKS=OFF >&2
cmake --build "$folder" --parallel "$(nproc)" >&2
find "$folder" -name '*.gcda' -delete # of earlier runs
ctest --test-dir "$folder" --output-on-failure -j2 --timeout 3600 "$@"
say "reading the counters"
gcovr --root "$root" --filter 'model/' --filter 'helper/' --csv "$folder/coverage.csv" \
    --print-summary --fail-under-line 90 "$folder" >"$folder/coverage.txt" || failed=$?
grep -E '^(lines|functions)' "$folder/coverage.txt"
awk -F, 'NR > 1 && $4 < 0.9 { printf "%5.1f %% of %d lines of %s\n", 100 * $4, $2, $1 }' \
    "$folder/coverage.csv"
exit "${failed:-0}"
