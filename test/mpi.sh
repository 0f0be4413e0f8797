#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare runs on several ranks with those of one process: test/mpi.sh NS3_DIR
#
# NS3_DIR is an ns-3 source tree. It is configured with MPI and built, with dlearn as
# contrib/dlearn (a link to this checkout, which stays there). Then each scenario runs once without
# --mpi and on 1, 2 and 3 ranks; rounds.csv, pairs.csv, events.csv, links.csv without its last column,
# and transcript.csv but for the order of events of one time, must be the same. At last one rank
# fails, and one is interrupted. On Debian: apt-get install openmpi-bin libopenmpi-dev libscotch-dev

set -eu
source "$(dirname "${BASH_SOURCE[0]}")/ns3-tree.sh"

command -v mpirun >/dev/null || fail "there is no mpirun; on Debian: apt-get install openmpi-bin"

./ns3 configure --build-profile=release --enable-logs --enable-mpi --enable-examples --disable-python \
    --enable-modules="$modules;mpi" --filter-module-examples-and-tests=dlearn
cmake --build cmake-cache --parallel "$(nproc)"

# The programs, by the names that ns-3 gives them.
bin=$(dirname "$(find build -type f -name '*dlearn-fedavg*' -perm -u+x | head -n 1)")
[ -n "$bin" ] || fail "the build has no dlearn-fedavg"
program() {
    find "$bin" -maxdepth 1 -type f -name "*$1*" -perm -u+x | head -n 1
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Links of clients have different delays: packets that reach a router at the same nanosecond would
# be forwarded in an order that is not the same on several ranks.
unequal=--client-delay=uniform:1ms:3ms
towns=$out/towns.graphml
{
    printf '<?xml version="1.0"?>\n<graphml><graph edgedefault="undirected">\n'
    printf '<node id="%d"/>\n' 0 1 2 3 4 5
    printf '<edge source="%d" target="%d"/>\n' 0 1 1 2 2 3 3 4 4 5 5 0 1 4
    printf '</graph></graphml>\n'
} >"$towns"
faults=$out/faults.txt
printf '%s\n' 'partition:0-5|6-11@0.3s' 'heal@0.5s' 'loss=0.1:*@0.6s' 'burst=0.01,0.5,0.05,0.3:*@1s' \
    'duplicate=0.05:*@1s' 'crash:7@0.4s' 'restart:7@1.2s' 'drift=20000:4@0.7s' >"$faults"
scenarios=(
    "dlearn-fedavg --network=tree:4 --transport=tcp --learners=10 --rounds=5 --data=glyphs $unequal"
    "dlearn-fedavg --network=tree:4 --transport=udp --loss=0.01 --learners=10 --rounds=3 --data=glyphs $unequal"
    "dlearn-fedavg --network=p2p --transport=tcp --learners=6 --rounds=3 --data=glyphs $unequal"
    "dlearn-fedavg --network=tree:4 --transport=tcp --mode=buffered --buffer-size=3 --learners=10 --rounds=8 --data=glyphs $unequal"
    "dlearn-fedavg --network=tree:4 --transport=tcp --threat-model=ldp --clip=1 --learners=8 --rounds=3 --data=glyphs $unequal"
    "dlearn-ldp-online --network=p2p --transport=tcp --learners=12 --rounds=30"
    "dlearn-ldp-online --network=tree:3 --transport=udp --loss=0.03 --learners=12 --rounds=30 --transcript $unequal"
    "dlearn-ldp-online --network=backbone:$towns --transport=tcp --learners=12 --rounds=30 $unequal"
    "dlearn-gradient-tracking --network=p2p --transport=tcp --rounds=20"
    "dlearn-cafcor --network=tree:4 --transport=tcp --byzantine=2 --attack=ALIE --omniscient=false --learners=10 --rounds=5 --transcript $unequal"
    "dlearn-fedavg --network=tree:4 --transport=tcp --learners=10 --rounds=8 --data=glyphs --deadline=300ms --churn=crash:3@0.1s,restart:3@0.25s,leave:5@0.2s $unequal"
    "dlearn-fedavg --network=tree:4 --transport=tcp --learners=10 --rounds=8 --data=glyphs --deadline=300ms --threat-model=ldp --clip=1 --budget=17 $unequal"
    "dlearn-fedavg --network=tree:4 --transport=tcp --learners=10 --rounds=5 --data=glyphs --cross-traffic=onoff:20Mbps:*to0,bulk:3to4,bulk:router0torouter1 $unequal"
    "dlearn-ldp-online --network=tree:3 --transport=udp --learners=12 --rounds=60 --budget=200 $unequal"
    "dlearn-gradient-tracking --network=backbone:$towns --transport=udp --learners=12 --rounds=60 --faults=$faults $unequal"
    "dlearn-offices --rounds=5 --transcript"
    "dlearn-fedavg --network=tree:4 --transport=tcp --learners=6 --rounds=20 --data=generated --churn=crash:0@0.05s,restart:0@0.2s,crash:2@0.02s,restart:2@0.1s $unequal"
)

# Run a scenario: run FOLDER COMMAND...
run() {
    local folder=$1
    shift
    "$@" --out="$out/$folder" >"$out/$folder.out" 2>"$out/$folder.err" || {
        cat "$out/$folder.err" >&2
        fail "failed: $*"
    }
}

# The files of a run that must be the same on any number of ranks.
files() {
    cat "$out/$1/rounds.csv" "$out/$1/pairs.csv" "$out/$1/events.csv"
    sed 's/,[^,]*$//' "$out/$1/links.csv" # without busy_share, which is measured a little longer
    if [ -e "$out/$1/transcript.csv" ]; then
        sort -s -t, -k1,1g -k3,3n "$out/$1/transcript.csv"
    fi
}

wall() {
    sed -n 's/.*"wall_s": *\([0-9.]*\).*/\1/p' "$out/$1/summary.json"
}

printf '%-100s %8s %8s %8s %8s\n' scenario "no mpi" "1 rank" "2 ranks" "3 ranks"
for scenario in "${scenarios[@]}"; do
    read -r -a words <<<"$scenario"
    command=$(program "${words[0]}")
    run one "$command" "${words[@]:1}"
    times=$(wall one)
    for ranks in 1 2 3; do
        run several mpirun -q --oversubscribe -np "$ranks" "$command" --mpi "${words[@]:1}"
        files one >"$out/expected"
        files several >"$out/got"
        diff "$out/expected" "$out/got" >"$out/difference" || {
            head -n 4 "$out/difference" >&2
            fail "not the same on $ranks ranks: $scenario"
        }
        times="$times $(wall several)"
    done
    # shellcheck disable=SC2086
    printf '%-100s %8.2f %8.2f %8.2f %8.2f\n' "${scenario//$out\//}" $times
done

# An error of one rank during the simulation ends all of them, with its line.
diverging=$(program dlearn-gradient-tracking)
if mpirun -q --oversubscribe -np 3 "$diverging" --mpi --network=p2p --rounds=300 --alpha=1e3 --beta=1e3 \
    --out="$out/diverging" >"$out/got" 2>&1; then
    fail "a run that diverges on 3 ranks has exit status 0"
fi
grep -q '^dlearn-gradient-tracking: error: rank [0-2]: .* theta must be finite' "$out/got" || {
    cat "$out/got" >&2
    fail "a run that diverges on 3 ranks does not say so"
}

# A signal to one rank ends all of them, and rank 0 writes what there is.
mpirun -q --oversubscribe -np 2 "$(program dlearn-ldp-online)" --mpi --network=p2p --rounds=10000000 \
    --learners=12 --out="$out/endless" >"$out/got" 2>&1 &
sleep 3
pkill -INT -n -P $!
wait $! && fail "an interrupted run has exit status 0"
grep -q '"status": *"interrupted"' "$out/endless/summary.json" || {
    cat "$out/got" >&2
    fail "an interrupted run on 2 ranks leaves no results"
}

printf '%s: the same on 1, 2 and 3 ranks with ns-3 %s\n' "$test" "$(cat VERSION)" >&2
