#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build dlearn-fedavg, and compare short runs of its presets with FedAvg in plain PyTorch. Skipped,
# with a message, where there are no data.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

need_packages python3-torch
build_dlearn dlearn-fedavg
export DLEARN_DATA="${DLEARN_DATA:-$root/../shared/data}"
if [ ! -d "$DLEARN_DATA/mnist" ]; then
    say "SKIPPED: no MNIST, Fashion-MNIST and CIFAR-10 in DLEARN_DATA"
    exit 0
fi
DLEARN_PROGRAMS="$build/examples" /usr/bin/python3 "$root/test/system/dlearn-preset-reference.py"
