#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and test dlearn as contrib/dlearn of an ns-3 source tree: test/in-tree.sh NS3_DIR
#
# The tree's own build folder is used and reconfigured for the modules that dlearn needs. A link
# to this checkout is left behind in contrib/, so that ./ns3 can be used afterwards.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/ns3-tree.sh"

# What dlearn uses where it is there, and what its example programs need.
modules="$modules;lte;mesh;aodv;dsdv;olsr;netanim;flow-monitor"
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
printf '%s: passed with ns-3 %s\n' "$test" "$(cat VERSION)" >&2
