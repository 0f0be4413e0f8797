#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

"""Run dlearn-wireless-edge and check that it shows what README says.

    dlearn-demo-test.py [--readme=README.md] PROGRAM SEED...

For every seed (--RngRun) the losses end below 0.8 of where they began, the runs without privacy end
at an accuracy of 0.9 or more, the private one spends an epsilon of at most 8, and no run warns but
that of the crowd, whose rounds wait for the device that is switched off.
With --readme the lines of the comparison in README are those that the first seed prints, but for one
percent of a number: the last digits depend on the processor, for which OpenBLAS chooses its kernels.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = {"wifi": ".", "ideal": "ideal", "crowd": "crowd", "private": "private"}


def check_run(name, folder):
    """Return what is wrong with the results of one run, and its last accuracy."""
    rounds = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    summary = json.loads((folder / "summary.json").read_text())
    first, last = rounds[0], rounds[-1]
    awaited = [text for text in summary["warnings"] if "for client 1, which crashed at 500 ms" in text]
    faults = [f"warning: {text}" for text in summary["warnings"] if text not in awaited]
    if len(awaited) != (name == "crowd"):
        faults.append(f"{len(awaited)} warnings of waiting for client 1")
    if summary["status"] != "complete":
        faults.append(f"status {summary['status']}")
    if not last["loss"] < 0.8 * first["loss"]:
        faults.append(f"loss {first['loss']} to {last['loss']}")
    if name == "private":
        spent = summary["final"]["epsilon_max"]
        if not 0 < spent <= 8 + 1e-9:
            faults.append(f"epsilon {spent}")
    elif not last["accuracy"] >= 0.9:
        faults.append(f"accuracy {last['accuracy']}")
    return faults, last["accuracy"]


def is_alike(word, printed):
    """Return whether two words are the same, or numbers that differ by one percent at most."""
    try:
        return abs(float(word) - float(printed)) <= 0.01 * abs(float(word))
    except ValueError:
        return word == printed


def is_same_line(words, printed):
    """Return whether all words of two lines are alike."""
    return len(words) == len(printed) and all(map(is_alike, words, printed))


def check_readme(readme, output):
    """Return the lines of README's comparison that the program does not print."""
    lines = readme.read_text().splitlines()
    begin = next(k for k, line in enumerate(lines) if line.split()[:2] == ["run", "time"])
    end = begin
    while lines[end].startswith("    "):
        end += 1
    printed = [line.split() for line in output.splitlines()]
    return [f"README: '{line}' is not printed" for line in lines[begin:end]
            if not any(is_same_line(line.split(), other) for other in printed)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readme", type=Path)
    parser.add_argument("program")
    parser.add_argument("seeds", nargs="+", type=int)
    arguments = parser.parse_args()
    failed = False
    for seed in arguments.seeds:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [arguments.program, f"--RngRun={seed}", f"--out={folder}"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            faults = [] if run.returncode == 0 else [f"exit status {run.returncode}: {run.stderr}"]
            accuracies = {}
            for name, place in RUNS.items() if not faults else ():
                found, accuracies[name] = check_run(name, Path(folder) / place)
                faults += [f"{name}: {fault}" for fault in found]
            page = Path(folder) / "report.html"
            if not faults and "What privacy costs" not in page.read_text():
                faults.append("the report does not say what privacy costs")
        if arguments.readme and seed == arguments.seeds[0] and not faults:
            faults += check_readme(arguments.readme, run.stdout)
        failed = failed or bool(faults)
        print(f"seed {seed}:", *(f"{name} {value:.4f}" for name, value in accuracies.items()),
              flush=True)
        for fault in faults:
            print(f"  {fault}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
