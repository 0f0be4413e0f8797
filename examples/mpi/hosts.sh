#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One run on several machines that ssh reaches without a password:
#
#   examples/mpi/hosts.sh HOST:SLOTS,HOST:SLOTS PROGRAM [OPTION]...
#   examples/mpi/hosts.sh alpha:4,beta:4 dlearn-fedavg --network=tree:16 --learners=100 --data=glyphs
#
# There is one rank for each slot. PROGRAM, ns-3 and MPI must be at the same path on all machines;
# the results are written by rank 0, on the first of them.

set -eu
[ $# -ge 2 ] || {
    echo "usage: examples/mpi/hosts.sh HOST:SLOTS,HOST:SLOTS PROGRAM [OPTION]..." >&2
    exit 1
}
hosts=$1
program=$(command -v "$2") || {
    echo "examples/mpi/hosts.sh: there is no program $2" >&2
    exit 1
}
shift 2
exec mpirun --host "$hosts" "$program" --mpi "$@"
