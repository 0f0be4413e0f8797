#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and run the first example: examples/run.sh [options of dlearn-wireless-edge]
# On Debian 12 nothing needs to be installed before; see --help for the options.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

build_dlearn dlearn-wireless-edge
exec "$build/examples/dlearn-wireless-edge" "$@"
