#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and test dlearn as contrib/dlearn of an ns-3 source tree: test/in-tree.sh NS3_DIR
#
# The tree's own build folder is used and reconfigured for the modules that dlearn needs. A link
# to this checkout is left behind in contrib/, so that ./ns3 can be used afterwards.

set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    printf 'test/in-tree.sh: %s\n' "$*" >&2
    exit 1
}

[ $# -eq 1 ] || fail "usage: test/in-tree.sh NS3_DIR"
[ -x "$1/ns3" ] && [ -d "$1/contrib" ] || fail "$1 is not the folder of an ns-3 source tree"
cd "$1"

link=contrib/dlearn
if [ -e "$link" ] || [ -L "$link" ]; then
    [ "$(readlink -f "$link")" = "$(readlink -f "$root")" ] ||
        fail "$PWD/$link exists and is not this checkout; move it away first"
else
    ln -s "$root" "$link"
fi

export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja} # of a new build folder; an old one keeps its own
# What dlearn needs, what it uses where it is there, and what its example programs need.
modules="dlearn;core;config-store;network;internet;point-to-point;csma;bridge;energy;mobility;propagation"
modules="$modules;spectrum;traffic-control;wifi;applications;lte;mesh;aodv;dsdv;olsr;netanim;flow-monitor"
[ ! -d contrib/nr ] && [ ! -d src/nr ] || modules="$modules;nr"
./ns3 configure --enable-tests --enable-examples --enable-modules="$modules" \
    --filter-module-examples-and-tests=dlearn
# ./ns3 build leaves a processor idle, of two that is half of them. It finishes what is left, where
# the tree has another build folder.
[ ! -d cmake-cache ] || cmake --build cmake-cache --parallel "$(nproc)"
./ns3 build

if ! ./test.py --no-build --suite=dlearn; then
    ./ns3 run --no-build "test-runner --suite=dlearn --verbose" || true # says what failed
    fail "the tests failed"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
./ns3 run --no-build "dlearn-wireless-edge --rounds=3 --out=$out"
[ -s "$out/rounds.csv" ] || fail "dlearn-wireless-edge wrote no rounds.csv"
printf 'test/in-tree.sh: passed with ns-3 %s\n' "$(cat VERSION)" >&2
