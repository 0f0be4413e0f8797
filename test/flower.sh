#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build dlearn-fedavg, install Flower from PyPI in build/flower, and let a ClientApp train in a
# simulated network. Skipped, with a message, where PyPI is not reached.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages python3-torch python3-venv
build_dlearn dlearn-fedavg
[ -d "$build/flower" ] || /usr/bin/python3 -m venv --system-site-packages "$build/flower"
# PyTorch of Debian 12 does not know NumPy 2.
if ! "$build/flower/bin/pip" install --quiet 'flwr>=1.42' 'numpy<2' >&2; then
    say "SKIPPED: Flower cannot be installed from PyPI"
    exit 0
fi
DLEARN_PROGRAMS="$build/examples" "$build/flower/bin/python" "$root/test/system/dlearn-flower-test.py"
