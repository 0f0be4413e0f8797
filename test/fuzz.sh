#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the fuzz targets of test/fuzz with clang and its sanitizers in build-fuzz/, replay the
# corpus, and let each target look for new inputs: test/fuzz.sh [SECONDS [TARGET...]]
#
# SECONDS: for each target, 10 by default; 0 only replays the corpus
# TARGET: such as libsvm; all by default
#
# The corpus is what the targets say themselves (GetSeeds()) and the files in
# test/fuzz/corpus/TARGET, which are inputs that once failed. An input that fails is left in
# build-fuzz/failures/TARGET-*; once it is mended, move it there.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

seconds=${1:-10}
shift || true
fuzz="$root/build-fuzz"
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

if [ $# -eq 0 ]; then
    for source in "$root"/test/fuzz/dlearn-fuzz-*.cc; do
        name=${source##*/dlearn-fuzz-}
        set -- "$@" "${name%.cc}"
    done
fi

need_packages clang-14 cmake libboost-dev libclang-rt-14-dev libeigen3-dev liblbfgs-dev libns3-dev libopenblas-dev \
    libxml2-dev libxxhash-dev ninja-build nlohmann-json3-dev zlib1g-dev
say "building $* in $fuzz"
cmake -S "$root" -B "$fuzz" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS=-O1 -DDLEARN_FUZZ=ON -DDLEARN_TESTS=OFF -DDLEARN_EXAMPLES=OFF \
    -DDLEARN_BENCHMARKS=OFF -DDLEARN_TORCH=OFF -DDLEARN_WERROR=OFF "${launcher[@]}" >&2
cmake --build "$fuzz" --parallel "$(nproc)" --target "${@/#/dlearn-fuzz-}" >&2

mkdir -p "$fuzz/failures"
failed=()
for target in "$@"; do
    program="$fuzz/test/fuzz/dlearn-fuzz-$target"
    work="$fuzz/corpus/$target" # grows from one run to the next
    kept="$root/test/fuzz/corpus/$target"
    mkdir -p "$work"
    folders=("$work")
    [ ! -d "$kept" ] || folders+=("$kept")
    options=(-rss_limit_mb=3000 -timeout=30 -max_len=8192 -print_final_stats=1
             -artifact_prefix="$fuzz/failures/$target-")
    if [ "$seconds" -gt 0 ]; then
        options+=(-max_total_time="$seconds")
    else
        options+=(-runs=0)
    fi
    say "$target"
    log="$fuzz/$target.log"
    if DLEARN_FUZZ_SEEDS="$work" "$program" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
        grep -E "stat::(number_of_executed_units|peak_rss_mb)" "$log" >&2
    else
        failed+=("$target")
        tail -n 40 "$log" >&2
    fi
done
[ ${#failed[@]} -eq 0 ] || { say "FAILED: ${failed[*]}; inputs in $fuzz/failures"; exit 1; }
say "no target failed"
