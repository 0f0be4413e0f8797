#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make figures and tables of the manual again, and check what the manual says of them.

    doc/figures/figures.py NAME...

NAME is a member of figures.json, or all: a campaign of examples/campaigns, or a command of
build/examples/study. Results are in build/figures/NAME, where runs that are done are not repeated:
delete this folder after a change of the code. Figures replace those in doc/figures. The exit status
is 1 when a run fails or a claim does not hold. It needs what examples/campaign and plot.py need.
"""

import argparse
import json
import os
import shlex
import sqlite3
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CAMPAIGNS = os.path.join(ROOT, 'examples', 'campaigns')
sys.path.insert(0, CAMPAIGNS)
import plot  # noqa: E402
# One row for each run: keys and labels of its cell, its seed, the table final, and the percentage of
# the messages that the server or the peers expected and had in time. Where a key and a number have the
# same name, that of the number ends in ":1".
# The table evaluated has a row for each of its evaluated rounds; where an entry has a condition "until",
# the table first has the first of them in which it holds.
VIEW = '''CREATE TEMP VIEW results AS SELECT cells.*, runs.seed, final.*,
          (SELECT 100.0 * sum(received) / sum(expected) FROM rounds
           WHERE rounds.run = final.run AND role != 'client') AS in_time
          FROM cells JOIN runs ON runs.cell = cells.id JOIN final ON final.run = runs.id'''


def read_entries():
    with open(os.path.join(HERE, 'figures.json'), encoding='utf-8') as file:
        return json.load(file)


def parse_arguments(entries):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='+', choices=[*entries, 'all'], metavar='NAME',
                        help=f'{", ".join(entries)} or all')
    parser.add_argument('--jobs', type=int, default=1, help='runs of a campaign at a time [%(default)s]')
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'), metavar='DIR',
                        help='where dlearn was built [build]')
    return parser.parse_args()


def get_commands(name, entry, out, jobs, build):
    """What makes the results and the figures, in this order."""
    programs = os.path.join(build, 'examples')
    if 'study' in entry:
        program, *options = shlex.split(entry['study'])
        yield [os.path.join(programs, 'study', program), *options, f'--out={out}']
        yield [sys.executable, os.path.join(ROOT, 'examples', 'study', 'dlearn-study-plot.py'), out]
        for figure, source in entry['figures'].items():
            yield ['cp', os.path.join(out, f'{source}.svg'), os.path.join(HERE, f'{figure}.svg')]
        return
    yield [sys.executable, os.path.join(ROOT, 'examples', 'campaign'),
           os.path.join(CAMPAIGNS, f'{name}.json'), out, f'--jobs={jobs}', f'--programs={programs}']
    for figure, options in entry['figures'].items():
        yield [sys.executable, os.path.join(CAMPAIGNS, 'plot.py'), out, *shlex.split(options),
               '--out=' + os.path.join(HERE, f'{figure}.svg')]


def format_values(values):
    """Mean and standard deviation over the seeds; nothing where there is no number."""
    if not values or None in values:
        return '-'
    mean = f'{statistics.fmean(values):.4g}'
    return f'{mean} +- {statistics.stdev(values):.2g}' if len(set(values)) > 1 else mean


def print_table(rows):
    """As the manual has it; the first row is the heading."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    rule = '  '.join('=' * width for width in widths)
    lines = ['  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
    print('\n'.join([rule, lines[0], rule, *lines[1:], rule, '']))


def print_results(connection, entry):
    """A table with a line for each cell; or, where the entry names a key of the grid as columns, one
    for each number."""
    keys = [row[1] for row in connection.execute('PRAGMA table_info(cells)')][4:]
    columns, numbers = entry.get('columns'), entry['table']
    values = {}  # of all seeds, by number, line and column
    names = [f'"{key}"' for key in keys]
    for fields in connection.execute(
            f'SELECT {", ".join([*names, *numbers.values()])} FROM results ORDER BY id, seed'):
        cell = dict(zip(keys, map(str, fields)))
        line = ', '.join(cell[key] for key in keys if key != columns)
        for number, value in zip(numbers, fields[len(keys):]):
            values.setdefault((number, line, cell.get(columns)), []).append(value)
    lines = list(dict.fromkeys(line for _, line, _ in values))
    heads = list(dict.fromkeys(head for _, _, head in values))
    tables = [[(number, head) for head in heads] for number in numbers] if columns else [
        [(number, None) for number in numbers]]
    for table in tables:
        print_table([[table[0][0], *(head for _, head in table)] if columns else ['', *numbers],
                     *([line, *(format_values(values.get((number, line, head)))
                                for number, head in table)] for line in lines)])


def check_claims(connection, claims):
    """Print which claims hold; return whether all do."""
    good = True
    for claim, condition in claims.items():
        holds = connection.execute(f'SELECT {condition}').fetchone()[0] == 1
        print(f'  {"yes" if holds else "NO "}  {claim}')
        good &= holds
    return good


def make(name, entry, arguments):
    """Everything of one entry; return whether all went well."""
    print(name, flush=True)
    out = os.path.join(arguments.build, 'figures', name)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    before = os.times()
    good = all(subprocess.run(command, check=False).returncode == 0  # up to the first that fails
               for command in get_commands(name, entry, out, arguments.jobs, arguments.build))
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    print(f'{name}: {seconds:.0f} s of processor time\n')
    if 'study' in entry or not good:
        return good
    connection = sqlite3.connect(os.path.join(out, 'results.sqlite'))
    connection.execute(VIEW)
    if 'until' in entry:
        connection.execute(f'CREATE TEMP TABLE first AS {plot.select_first(entry["until"])}')
    print_results(connection, entry)
    return check_claims(connection, entry.get('claims', {}))


def main():
    entries = read_entries()
    arguments = parse_arguments(entries)
    names = list(entries) if 'all' in arguments.names else arguments.names
    good = [make(name, entries[name], arguments) for name in names]  # all, also after one that fails
    return 0 if all(good) else 1


if __name__ == '__main__':
    sys.exit(main())
