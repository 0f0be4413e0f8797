#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the fuzz targets of test/fuzz with clang and its sanitizers in build-fuzz/, replay the
# corpus, and let each target look for new inputs, as many at a time as there are processors:
# test/fuzz.sh [SECONDS [TARGET...]]
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

if [ $# -eq 0 ]; then
    for source in "$root"/test/fuzz/dlearn-fuzz-*.cc; do
        name=${source##*/dlearn-fuzz-}
        set -- "$@" "${name%.cc}"
    done
fi

need_packages clang-14 cmake libboost-dev libclang-rt-14-dev libeigen3-dev libisal-dev liblbfgs-dev \
    libns3-dev libopenblas-dev libxml2-dev libxxhash-dev ninja-build nlohmann-json3-dev zlib1g-dev
say "building $* in $fuzz"
cmake -S "$root" -B "$fuzz" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS=-O1 -DDLEARN_FUZZ=ON -DDLEARN_TESTS=OFF -DDLEARN_EXAMPLES=OFF \
    -DDLEARN_BENCHMARKS=OFF -DDLEARN_TORCH=OFF -DDLEARN_WERROR=OFF >&2
cmake --build "$fuzz" --parallel "$(nproc)" --target "${@/#/dlearn-fuzz-}" >&2

mkdir -p "$fuzz/failures"
rm -f "$fuzz"/*.failed

# Let one target run; leave TARGET.failed where it fails.
run_target() {
    local target=$1 program="$fuzz/test/fuzz/dlearn-fuzz-$1"
    local work="$fuzz/corpus/$1" # grows from one run to the next
    local kept="$root/test/fuzz/corpus/$1" log="$fuzz/$1.log"
    mkdir -p "$work"
    local folders=("$work")
    [ ! -d "$kept" ] || folders+=("$kept")
    local options=(-rss_limit_mb=3000 -timeout=30 -max_len=8192 -print_final_stats=1
                   -artifact_prefix="$fuzz/failures/$target-")
    if [ "$seconds" -gt 0 ]; then
        options+=(-max_total_time="$seconds")
    else
        options+=(-runs=0)
    fi
    if DLEARN_FUZZ_SEEDS="$work" "$program" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
        say "$target: $(awk '/^stat::number_of_executed_units/ { printf "%d inputs, ", $2 }
                             /^stat::peak_rss_mb/ { printf "%d MB", $2 }' "$log")"
    else
        touch "$fuzz/$target.failed"
        tail -n 40 "$log" >&2
        say "$target: FAILED"
    fi
}

for target in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do
        wait -n
    done
    run_target "$target" &
done
wait
failed=("$fuzz"/*.failed)
[ ! -e "${failed[0]}" ] || { say "inputs that fail are in $fuzz/failures"; exit 1; }
say "no target failed"
