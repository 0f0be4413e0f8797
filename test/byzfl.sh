#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build dlearn-aggregate, install ByzFL from PyPI in build/byzfl, and compare their aggregators and
# attacks. Skipped, with a message, where PyPI is not reached.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages python3-scipy python3-torch python3-venv
build_dlearn dlearn-aggregate
[ -d "$build/byzfl" ] || /usr/bin/python3 -m venv --system-site-packages "$build/byzfl"
if ! "$build/byzfl/bin/pip" install --quiet --no-deps 'byzfl==0.0.11' >&2; then
    say "SKIPPED: ByzFL cannot be installed from PyPI"
    exit 0
fi
DLEARN_PROGRAMS="$build/examples" "$build/byzfl/bin/python" "$root/test/system/dlearn-byzfl-test.py"
