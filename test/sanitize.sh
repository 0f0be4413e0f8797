#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run all tests with the address and undefined-behaviour sanitizers (build-asan/), and those of
# what uses threads with the thread sanitizer (build-tsan/): test/sanitize.sh [address|threads]
#
# Takes about an hour on two cores.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

# Configure a folder for tests with a sanitizer: folder, options of CMake.
configure() {
    local folder="$1"
    shift
    need_packages "${packages[@]}"
    cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        "-DCMAKE_CXX_FLAGS_DEBUG=-g1 $optimization" \
        -DDLEARN_TORCH=OFF "${launcher[@]}" "$@" >&2
}

# With clang and without optimization, as GCC takes five times as long to compile.
address() {
    say "building everything in build-asan"
    need_packages clang-14 libclang-rt-14-dev
    optimization=-O0
    configure "$root/build-asan" -DDLEARN_SANITIZE=ON -DCMAKE_CXX_COMPILER=clang++-14 \
        -DDLEARN_WERROR=OFF
    cmake --build "$root/build-asan" --parallel "$(nproc)" >&2
    LSAN_OPTIONS="suppressions=$root/test/support/dlearn-leaks.supp" \
        ctest --test-dir "$root/build-asan" --output-on-failure -j2 --timeout 3600
}

threads() {
    say "building the tests of threads in build-tsan"
    optimization=-O1
    configure "$root/build-tsan" -DDLEARN_SANITIZE_THREADS=ON -DDLEARN_EXAMPLES=OFF \
        -DDLEARN_BENCHMARKS=OFF
    cmake --build "$root/build-tsan" --parallel "$(nproc)" --target dlearn-threads-tests >&2
    # OpenBLAS itself is not built with the sanitizer, so its own threads would look wrong.
    OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1 \
        ctest --test-dir "$root/build-tsan" --output-on-failure -L '^threads$' --no-tests=error \
        --timeout 3600
}

case "${1:-all}" in
    address) address ;;
    threads) threads ;;
    all) address && threads ;;
    *) say "usage: test/sanitize.sh [address|threads]"; exit 1 ;;
esac
say "all tests passed"
