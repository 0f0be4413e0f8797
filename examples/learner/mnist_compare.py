# SPDX-License-Identifier: GPL-2.0-only
"""Federated averaging on MNIST in PyTorch alone and over simulated networks: the rounds and the time
until the test accuracy is 99 %. The exit status is 1 if a network needs two rounds more or fewer,
as numbers are rounded elsewhere.

    python3 mnist_compare.py PROGRAMS FOLDER [ROUNDS]

PROGRAMS has dlearn-fedavg, FOLDER has the files of MNIST.
"""

import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CLIENTS, TARGET = 10, 0.99
NETWORKS = {
    "Wi-Fi (802.11ac)": ["--network=wifi-infra", "--wifi=ac"],
    "LTE": ["--network=lte"],
    "backbone, 2 % of packets lost": [
        f"--network=backbone:{ROOT}/examples/campaigns/abilene.graphml",
        "--loss=0.02",
    ],
}
programs, data = sys.argv[1:3]
rounds = sys.argv[3] if len(sys.argv) > 3 else "20"
environment = {**os.environ, "PYTHONPATH": f"{ROOT}/python", "OMP_NUM_THREADS": "1"}


def run_plain():
    """Accuracy and time of each round; in PyTorch alone there is no time."""
    command = [sys.executable, f"{HERE}/mnist_plain.py", data, str(CLIENTS), rounds]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [(float(line.split()[2]), None) for line in done.stdout.splitlines()]


def run_network(options):
    """Accuracy and simulated seconds of each round."""
    learner = f"{sys.executable} {HERE}/mnist_dlearn.py {data} {CLIENTS}"
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{programs}/dlearn-fedavg", f"--learner={learner}", f"--learners={CLIENTS}",
                   "--learner-processes=2", f"--rounds={rounds}", f"--out={folder}", *options]  # fmt: skip
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/rounds.csv", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["role"] == "server"]
    return [(float(row["accuracy"]), float(row["time_s"])) for row in rows]


def report(name, results):
    """Print a line. The number of rounds to the target, or None."""
    reached = next((k for k, result in enumerate(results) if result[0] >= TARGET), None)
    count, time = (reached + 1, results[reached][1]) if reached is not None else (None, None)
    print(f"{name:32} {count or '-':>6} {time or float('nan'):9.1f} s  {results[-1][0]:.4f}", flush=True)
    return count


print(f"{'':32} rounds       time  accuracy at the end")
plain = report("PyTorch alone", run_plain())
counts = [report(name, run_network(options)) for name, options in NETWORKS.items()]
sys.exit(plain is None or any(count is None or abs(count - plain) > 1 for count in counts))
