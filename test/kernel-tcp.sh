#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare round times over the TCP of this machine's kernel with those of dlearn:
# test/kernel-tcp.sh [--rounds=N] [--seconds=S] [CELL...]
#
# A CELL is CLIENTS,BYTES,MBIT_PER_S,DELAY_MS,LOSS, such as 1,31424,100,5,0.01; without one, a small
# set is measured. Needs root and /dev/net/tun, and says so where it has not got them; the machine
# should have nothing else to do. test/kernel-tcp/measure.py says what is measured.

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

if [ "$(id -u)" -ne 0 ] || [ ! -w /dev/net/tun ]; then
    say "skipped, as it needs root and /dev/net/tun"
    exit 0
fi
options=()
cells=()
for word in "$@"; do
    case "$word" in
    --*) options+=("$word") ;;
    *) cells+=("$word") ;;
    esac
done
[ ${#cells[@]} -gt 0 ] || cells=(1,1000,100,5,0 1,31424,100,5,0 1,31424,100,5,0.01)

need_packages iproute2 python3
build_dlearn dlearn-fedavg
g++ -O2 -std=c++17 -o "$build/kernel-tcp-relay" "$root/test/kernel-tcp/relay.cc"
exec "$root/test/kernel-tcp/measure.py" "$build/kernel-tcp-relay" "$build/examples/dlearn-fedavg" \
    "${options[@]}" "${cells[@]}"
