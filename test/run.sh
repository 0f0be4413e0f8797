#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build everything and run the tests: test/run.sh [--all] [options of ctest]
#
# Without --all, those that a change needs while it is made: not the commands of the manual, campaigns,
# packages, pages in a browser and studies.
# On Debian 12 nothing needs to be installed before.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

some=(-LE '^all$')
if [ "${1:-}" = --all ]; then
    some=()
    shift
    need_packages dpkg-dev parallel rsync # of the tests of examples/campaign and of packages
fi
need_packages python3
build_dlearn
say "running the tests"
if ctest --test-dir "$build" --output-on-failure -j2 "${some[@]}" "$@"; then
    say "all tests passed"
else
    say "tests FAILED; log in $build/Testing/Temporary/LastTest.log"
    exit 1
fi
