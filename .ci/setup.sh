# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by examples/run.sh, test/run.sh and .ci/run: libraries and the build folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build"

# What is needed to build everything but LibTorch's part.
packages=(cmake g++ libboost-dev libeigen3-dev libgtest-dev libisal-dev libjs-dygraphs liblbfgs-dev
    libns3-dev libopenblas-dev libxml2-dev libxxhash-dev ninja-build nlohmann-json3-dev zlib1g-dev)

say() {
    printf '%s: %s\n' "${0#"$root"/}" "$*" >&2
}

# Install Debian packages, those that are missing only.
need_packages() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: CMake says what is missing
    local package missing=() sudo=()
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get -q update >&2
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "${missing[@]}" >&2
}

# Build the given targets, or everything, in Release mode in build/.
#
# LibTorch is used where it is found, unless the environment says DLEARN_TORCH=OFF.
build_dlearn() {
    local generator=() targets=()
    need_packages "${packages[@]}"
    [ -f "$build/CMakeCache.txt" ] || generator=(-G Ninja)
    say "building ${*:-everything} in $build"
    cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
        -DDLEARN_TORCH="${DLEARN_TORCH:-ON}" >&2
    [ $# -eq 0 ] || targets=(--target "$@")
    cmake --build "$build" --parallel "$(nproc)" "${targets[@]}" >&2
}
