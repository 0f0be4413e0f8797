# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests in an ns-3 source tree begin with; to be sourced with their arguments: goes to the
# tree, and makes dlearn its contrib/dlearn.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
test=test/$(basename "$0")

fail() {
    printf '%s: %s\n' "$test" "$*" >&2
    exit 1
}

[ $# -eq 1 ] || fail "usage: $test NS3_DIR"
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
# The modules of ns-3 that dlearn needs, and dlearn.
modules="dlearn;core;config-store;network;internet;point-to-point;csma;bridge;energy;mobility;propagation"
modules="$modules;spectrum;traffic-control;wifi;applications"
