#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build everything and run all tests: test/run.sh [options of ctest]
# On Debian 12 nothing needs to be installed before.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages dpkg-dev parallel python3 rsync # of the tests of examples/campaign and of packages
build_dlearn
say "running the tests"
if ctest --test-dir "$build" --output-on-failure -j2 "$@"; then
    say "all tests passed"
else
    say "tests FAILED; log in $build/Testing/Temporary/LastTest.log"
    exit 1
fi
