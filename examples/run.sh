#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and run a program: examples/run.sh [PROGRAM] [options of the program]
# Without a name the first example, dlearn-wireless-edge. On Debian 12 nothing needs to be
# installed before; --help shows the options.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

program=dlearn-wireless-edge
case "${1:-}" in
dlearn-*)
    program=$1
    shift
    ;;
esac
sources=("$root/examples/$program.cc" "$root/examples/study/$program.cc")
if [ ! -e "${sources[0]}" ] && [ ! -e "${sources[1]}" ]; then
    printf 'examples/run.sh: there is no program %s in examples/\n' "$program" >&2
    exit 1
fi

build_dlearn "$program"
program=$(find "$build/examples" -name "$program" -type f)
exec "$program" "$@"
