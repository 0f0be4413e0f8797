#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the manual, build/manual/index.html, and the class reference in its folder classes. A warning
# is an error. On Debian 12 nothing needs to be installed before.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages doxygen graphviz python3-sphinx
cd "$root" # the Doxyfile names folders from there
mkdir -p "$build/manual"
sphinx-build -q -W --keep-going doc "$build/manual"
doxygen doc/Doxyfile
say "the manual is $build/manual/index.html"
