#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build dlearn-privacy, install Google's dp-accounting and Opacus, without PyTorch, from PyPI in
# build/dp-accounting, and compare planned epsilons. Skipped, with a message, where PyPI is not
# reached.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages python3-venv
build_dlearn dlearn-privacy
[ -d "$build/dp-accounting" ] || /usr/bin/python3 -m venv "$build/dp-accounting"
pip="$build/dp-accounting/bin/pip install --quiet"
if ! { $pip dp-accounting && $pip --no-deps opacus; } >&2; then
    say "SKIPPED: dp-accounting and Opacus cannot be installed from PyPI"
    exit 0
fi
DLEARN_PROGRAMS="$build/examples" "$build/dp-accounting/bin/python" \
    "$root/test/system/dlearn-dp-accounting-test.py"
