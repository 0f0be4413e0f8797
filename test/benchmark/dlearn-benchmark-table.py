#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the benchmarks in a folder and print one table: see run.sh."""

import argparse
import csv
import glob
import io
import os
import platform
import statistics
import subprocess
import sys
import time

VECTORS, DIMENSION, BYZANTINE = 100, 431080, 10  # those of dlearn-aggregator-benchmark
COLUMNS = ['case', 'unit', 'median', 'low', 'high', 'reference', 'ratio', 'ratio_low', 'ratio_high',
           'wanted']


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(description='Run all benchmarks and print one table.')
    parser.add_argument('folder', help='of the programs')
    parser.add_argument('--only', default='', help='names, separated by commas')
    parser.add_argument('--save', help='file for the measurements')
    parser.add_argument('--against', help='file that was saved before')
    parser.add_argument('--tolerance', type=float, default=0.15,
                        help='by how much a ratio may be larger than before')
    return parser.parse_args()


def describe_machine():
    """What the measurements depend on, in one line."""
    model = platform.processor() or platform.machine()
    if os.path.exists('/proc/cpuinfo'):
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            names = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
        model = names[0] if names else model
    core = os.environ.get('OPENBLAS_CORETYPE', 'found by itself')
    return (f'{os.cpu_count()} x {model}, {platform.freedesktop_os_release()["PRETTY_NAME"]}, '
            f'kernels of OpenBLAS: {core}')


def measure_numpy(numpy):
    """Median and trimmed mean of rows, as numpy.partition does them."""
    inputs = numpy.random.default_rng(1).standard_normal((VECTORS, DIMENSION), dtype=numpy.float32)

    def trim():
        parts = numpy.partition(inputs, (BYZANTINE, VECTORS - BYZANTINE - 1), axis=0)
        return parts[BYZANTINE:VECTORS - BYZANTINE].mean(axis=0)

    for name, work in [('Median', lambda: numpy.median(inputs, axis=0)), ('TrimmedMean', trim)]:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            work()
            times.append(1e3 * (time.perf_counter() - start))
        yield name, times


def compare_with_numpy(rows):
    """Rows of the rules that NumPy has, too."""
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        print('without NumPy (python3-numpy), to which Median and TrimmedMean are compared',
              file=sys.stderr)
        return
    ours = {row['case']: row for row in rows}
    for name, times in measure_numpy(numpy):
        if name not in ours:
            continue
        theirs = statistics.median(times)
        yield dict(ours[name], case=name + ' against NumPy',
                   reference=f'NumPy {numpy.__version__}',
                   ratio=f'{float(ours[name]["median"]) / theirs:.4g}',
                   ratio_low=f'{float(ours[name]["low"]) / max(times):.4g}',
                   ratio_high=f'{float(ours[name]["high"]) / min(times):.4g}',
                   wanted='0.25' if name == 'Median' else '1')


def run_all(arguments):
    """All measurements."""
    only = [name for name in arguments.only.split(',') if name]
    programs = {os.path.basename(path)[len('dlearn-'):-len('-benchmark')]: path
                for path in sorted(glob.glob(os.path.join(arguments.folder, 'dlearn-*-benchmark')))}
    unknown = sorted(set(only) - set(programs))
    if unknown:
        sys.exit(f'run.sh: error: --only must be of {", ".join(programs)}, got {unknown[0]}')
    rows = []
    for name, path in programs.items():
        if only and name not in only:
            continue
        print(f'run.sh: {name}', file=sys.stderr)
        text = subprocess.run([path], check=True, stdout=subprocess.PIPE, text=True).stdout
        found = list(csv.DictReader(io.StringIO(text)))
        rows += found
        if name == 'aggregator':
            rows += compare_with_numpy(found)
    return rows


def print_table(rows):
    """The rows for people."""
    lines = [['', 'median', '(low to high)', 'unit', 'ratio', '(low to high)', 'wanted', 'to']]
    for row in rows:
        spread = f'({row["ratio_low"]} to {row["ratio_high"]})' if row['ratio'] else ''
        lines.append([row['case'], row['median'], f'({row["low"]} to {row["high"]})', row['unit'],
                      row['ratio'], spread, row['wanted'], row['reference']])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        print('  '.join(field.ljust(width) for field, width in zip(line, widths)).rstrip())
    for row in rows:
        if row['wanted'] and float(row['ratio']) > float(row['wanted']):
            print(f'above what is wanted: {row["case"]}, {row["ratio"]} > {row["wanted"]}')


def find_slower(rows, before, tolerance):
    """What has become slower than the references, by more than the tolerance."""
    old = {row['case']: row for row in before}
    for row in rows:
        known = old.get(row['case'])
        if row['ratio'] and known and known['ratio']:
            limit = float(known['ratio']) * (1 + tolerance)
            if float(row['ratio']) > limit:
                yield f'{row["case"]}: {row["ratio"]} x {row["reference"]}, was {known["ratio"]}'


def main():
    """Run, print, save and compare."""
    arguments = parse_arguments()
    before = []
    if arguments.against:
        try:
            with open(arguments.against, encoding='utf-8') as file:
                before = list(csv.DictReader(file))
        except OSError as error:
            sys.exit(f'run.sh: error: --against={arguments.against}: {error.strerror}')
        if not before or set(COLUMNS) - set(before[0]):
            sys.exit(f'run.sh: error: --against={arguments.against} must be a file of --save')
    rows = run_all(arguments)
    print(describe_machine())
    print_table(rows)
    if arguments.save:
        with open(arguments.save, 'w', encoding='utf-8', newline='') as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    slower = list(find_slower(rows, before, arguments.tolerance))
    for line in slower:
        print(f'slower than before: {line}', file=sys.stderr)
    return 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main())
