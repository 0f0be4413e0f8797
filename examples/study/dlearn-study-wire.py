#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
One of ten learners attacks on the wire, over each kind of network and transport: what the others
lose by it, compared with a silent learner in its place.

    python3 examples/study/dlearn-study-wire.py [--programs=build/examples] [--rounds=20]

For peers (dlearn-ldp-online without noise) and for workers (dlearn-cafcor) it prints one line of CSV
a network and transport, the worst of all attacks:

    role,network,transport,rounds,extra_s,loss_ratio,refused

rounds: the fewest that an honest learner (of workers: the server) closed; extra_s: how much later than
next to the silent learner the last of them was through; loss_ratio: their loss in the end, divided by
that next to the silent learner; refused: fragments in all that named a wrong sender or came from a
stranger. With --each there is a line for each attack, with its name.

Exit status: 0 when all rounds are closed, no learner is more than one response timeout late and no loss is
5 % higher; else 1. Where broadcasts collide on the air, a lost message of an honest learner costs a
timeout, too; such settings are exempt from the time.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ATTACKS = [
    "impersonate:1",
    "round-jump:19",
    "round-jump:4294967295",
    "header-flood:300ms",
    "poison",
    "wrong-length",
    "roster",
]

SETTINGS = [
    (network, transport)
    for network in ("ideal", "p2p", "csma", "wifi-adhoc", "tree:4")
    for transport in ("udp", "tcp", "broadcast")
    if transport != "broadcast" or network in ("csma", "wifi-adhoc")
]

# Program, options, whose rounds count, and the response timeout in seconds.
ROLES = {
    "peers": (
        "dlearn-ldp-online",
        ["--learners=10", "--graph=complete", "--noise=0"],
        lambda row: row["role"] == "peer",
        1,
    ),
    "workers": (
        "dlearn-cafcor",
        ["--workers=10", "--task=softmax", "--data-samples=400"],
        lambda row: row["role"] == "server",
        30,
    ),
}


def run(programs, role, network, transport, attack, rounds):
    """Run one cell; returns rounds, end in seconds, loss and fragments refused."""
    program, options, counts, _ = ROLES[role]
    with tempfile.TemporaryDirectory() as out:
        command = [
            str(pathlib.Path(programs) / program),
            *options,
            f"--network={network}",
            f"--transport={transport}",
            "--byzantine=1",
            f"--attack={attack}",
            f"--rounds={rounds}",
            f"--evaluate-every={rounds - 1}",
            f"--out={out}",
        ]
        if (network, transport) == ("wifi-adhoc", "broadcast"):
            # Not all at the same time: broadcasts that collide are lost.
            command += [
                "--ns3::dlearn::LearnerApplication::ComputeModel=ns3::dlearn::RandomCompute",
                "--ns3::dlearn::RandomCompute::Mean=0.1",
            ]
        subprocess.run(command, check=True, capture_output=True)
        with open(pathlib.Path(out) / "rounds.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if counts(row)]
        totals = json.loads((pathlib.Path(out) / "summary.json").read_text())["totals"]
    closed = {}
    for row in rows:
        closed[row["node"]] = closed.get(row["node"], 0) + 1
    last = [float(row["loss"]) for row in rows if int(row["round"]) == rounds - 1]
    return {
        "rounds": min(closed.values()),
        "end": max(float(row["time_s"]) for row in rows),
        "loss": sum(last) / len(last) if last else float("inf"),
        "refused": totals["wrong_sender"] + totals["unknown_sender"],
    }


def main():
    parser = argparse.ArgumentParser(description="Attacks on the wire, see the head of this file.")
    parser.add_argument("--programs", default="build/examples", help="folder of the programs")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of a run, at least 2")
    parser.add_argument("--each", action="store_true", help="a line for each attack")
    arguments = parser.parse_args()
    good = True
    writer = csv.writer(sys.stdout, lineterminator="\n")
    columns = ["role", "network", "transport", "rounds", "extra_s", "loss_ratio", "refused"]
    writer.writerow(columns + (["attack"] if arguments.each else []))
    for role, (_, _, _, timeout) in ROLES.items():
        for network, transport in SETTINGS:
            cell = (arguments.programs, role, network, transport)
            silent = run(*cell, "silent", arguments.rounds)
            lines = []
            for attack in ATTACKS:
                fate = run(*cell, attack, arguments.rounds)
                line = (
                    fate["rounds"],
                    fate["end"] - silent["end"],
                    fate["loss"] / silent["loss"],
                    fate["refused"],
                )
                lines.append(line)
                collides = (network, transport) == ("wifi-adhoc", "broadcast")
                good = good and line[0] == arguments.rounds and line[2] <= 1.05
                good = good and (collides or line[1] <= timeout)
                if arguments.each:
                    writer.writerow(
                        [role, network, transport, line[0], f"{line[1]:.3f}", f"{line[2]:.4f}"]
                        + [line[3], attack]
                    )
            if not arguments.each:
                rounds, extra, ratio, refused = zip(*lines)
                writer.writerow(
                    [role, network, transport, min(rounds), f"{max(extra):.3f}"]
                    + [f"{max(ratio):.4f}", sum(refused)]
                )
            sys.stdout.flush()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
