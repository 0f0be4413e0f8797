#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a metric of a campaign: against time or rounds, a line for each cell; or what runs end with,
against a key of the grid, a line for each choice of the others. A line is the mean over seeds, with a
band or bars from the least to the greatest, or see --band. Rounds are the evaluated ones, as results.jsonl of a run
has them: metrics are means over learners; epsilon, joules and bytes are all that was spent until then.
Between two of them an epsilon is as high as at the second one, so that it is never too low. What only
the rows of learners have, or what --table asks for, is the mean over the honest learners of a round, and
the largest of theirs if it is an epsilon: rows with the role byzantine do not count.

    plot.py OUT accuracy
    plot.py OUT accuracy --against=energy_j --total
    plot.py OUT accuracy --against=loss
    plot.py OUT time_s --against=loss --until="accuracy >= 0.9"
    plot.py OUT error --against=time_s --where="loss > 0" --log --out=error.svg

OUT is the folder of the campaign. On Debian: apt-get install python3-matplotlib
"""

import argparse
import bisect
import difflib
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir))
sys.dont_write_bytecode = True  # not into the source tree

from dlearn_campaign.comparison import METRICS  # noqa: E402
from dlearn_campaign.spread import BANDS, get_band  # noqa: E402

MOST = 100  # points of a line, which are enough for the eye
FORMATS = ('.svg', '.pdf', '.png')
STATES = ('time_s', 'round', 'node', 'learners', 'delivered', *METRICS, 'epsilon', 'epsilon_nominal',
          'battery_j')  # columns without a meaningful sum


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', metavar='OUT', help='folder of a campaign')
    parser.add_argument('metric', help='column of the table: accuracy, loss, error, epsilon, ...')
    parser.add_argument('--against', default='time_s',
                        help='column, time_s or round, or key of the grid [%(default)s]')
    parser.add_argument('--total', action='store_true',
                        help='add the column of --against up from the beginning, over all learners: '
                             'energy_j, tx_bytes, not time_s; those of evaluated rounds are sums '
                             'already')
    parser.add_argument('--until', metavar='CONDITION',
                        help='against a key of the grid: the metric in the first evaluated round, '
                             'counted from 0, in which this SQL on the columns of the table '
                             'evaluated holds; runs in which it never does have no point')
    parser.add_argument('--table',
                        help='table of results.sqlite [evaluated, or rounds for what only that one '
                             'has; final against a key of the grid]')
    parser.add_argument('--where', default='1', help='which cells: SQL on the columns of cells')
    parser.add_argument('--band', choices=BANDS, default='range',
                        help='around means over seeds: ' +
                             '; '.join(f'{kind}: {what}' for kind, what in BANDS.items()).replace('%', '%%') +
                             ' [%(default)s]')
    parser.add_argument('--log', action='store_true', help='logarithmic scale of the metric')
    parser.add_argument('--log-x', action='store_true', help='logarithmic scale of the other axis')
    parser.add_argument('--out', help='SVG, PDF or PNG file [OUT/METRIC.svg against time_s; else '
                                      'OUT/METRIC-by-AGAINST.svg, and with --total '
                                      'OUT/METRIC-by-total-AGAINST.svg]')
    return parser.parse_args()


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def read_keys(connection):
    """The keys of the grid."""
    return [row[1] for row in connection.execute('PRAGMA table_info(cells)')][4:]


def read_columns(connection, table):
    """The columns of a table of results; exit without such a table."""
    tables = {}
    for name, in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info({quote(name)})')]
        if 'run' in columns:  # else it is cells or runs
            tables[name] = columns
    if table not in tables:
        sys.exit(f'plot.py: error: there is no table {table} of results; there are '
                 f'{", ".join(sorted(tables))}')
    return tables[table]


def check_columns(connection, table, names, keys=()):
    """Exit when a table does not have all columns; return those that it has.

    keys: of the grid, which may have been meant, too
    """
    columns = read_columns(connection, table)
    for name in names:
        if name not in columns:
            similar = difflib.get_close_matches(name, [*columns, *keys], n=5)
            sys.exit(f'plot.py: error: there is no column {name} in the table {table}; ' +
                     (f'similar: {", ".join(similar)}; ' if similar else '') +
                     f'all columns: {", ".join(columns)}' +
                     (f'; keys of the grid: {", ".join(keys)}' if keys else ''))
    return columns


def is_spent(metric):
    """Whether a metric jumps when something is spent, so that it may be higher soon after a point."""
    return metric.startswith('epsilon')


def make_value(metric):
    """What stands for the honest learners of a round, in SQL."""
    return f'{"max" if is_spent(metric) else "avg"}(results.{quote(metric)})'


def make_condition(columns):
    """Which rows count, in SQL: not those of Byzantine learners."""
    return "results.role IS NOT 'byzantine'" if 'role' in columns else 'TRUE'


def select_first(condition):
    """The first evaluated round of each run in which a condition holds, in SQL."""
    return f'SELECT *, min(round) FROM evaluated WHERE ({condition}) GROUP BY run'


def choose_table(connection, arguments, sweeping):
    """The table of the metric, unless the user gives it.

    sweeping: the metric is drawn against a key of the grid
    """
    if arguments.until:
        return 'evaluated'
    if sweeping:
        return 'final'
    columns = set(read_columns(connection, 'evaluated'))
    wanted = {arguments.metric} if arguments.total else {arguments.metric, arguments.against}
    # A program that is not of dlearn may have written no results.jsonl.
    filled = connection.execute('SELECT 1 FROM evaluated').fetchone()
    return 'evaluated' if filled and wanted <= columns else 'rounds'


def make_source(connection, arguments, columns):
    """Rows with the metric and the abscissa, in SQL; with --total, the sum so far."""
    source, against = quote(arguments.table), quote(arguments.against)
    evaluated = arguments.table == 'evaluated'
    if not arguments.total or (evaluated and arguments.against in columns):
        check_columns(connection, arguments.table, (arguments.against,), read_keys(connection))
        return source
    names = ', '.join(quote(name) for name in ('run', 'round', 'role', arguments.metric)
                      if name in columns)
    check_columns(connection, 'rounds' if evaluated else arguments.table,
                  ('time_s', 'node', arguments.against))
    if evaluated:
        return (f'(SELECT {names}, (SELECT total({against}) FROM rounds WHERE rounds.run = own.run '
                f'AND rounds.time_s <= own.time_s) AS {against} FROM {source} AS own)')
    return (f'(SELECT {names}, sum({against}) OVER (PARTITION BY run ORDER BY time_s, node) '
            f'AS {against} FROM {source})')


def make_label(names, values):
    """The settings that distinguish a cell."""
    return ', '.join(f'{n} {v}' for n, v in zip(names, values) if v is not None)


def read_curves(connection, arguments):
    """By cell: label, and for each run the metric by abscissa: of evaluated rounds, or, of a table with
    rows of learners, means (of an epsilon the maximum) over the honest learners of a round."""
    names = read_keys(connection)
    columns = check_columns(connection, arguments.table, (arguments.metric,))
    source = make_source(connection, arguments, columns)
    cells = connection.execute(f'SELECT id, {", ".join(map(quote, names)) or "program"} FROM cells '
                               f'WHERE reason IS NULL AND ({arguments.where})').fetchall()
    group = ', round' if 'round' in columns else ''
    curves = {}
    for cell, *values in cells:
        runs = {}
        for run, x, y in connection.execute(
                f'SELECT run, max(results.{quote(arguments.against)}) AS x, '
                f'{make_value(arguments.metric)} '
                f'FROM {source} AS results JOIN runs ON runs.id = results.run '
                f'WHERE runs.cell = ? AND results.{quote(arguments.metric)} IS NOT NULL '
                f'AND results.{quote(arguments.against)} IS NOT NULL '
                f'AND {make_condition(columns)} '
                f'GROUP BY results.run{group} ORDER BY x', (cell,)):
            runs.setdefault(run, []).append((x, y))
        if runs:
            curves[cell] = (make_label(names, values), list(runs.values()))
    return curves


def read_sweeps(connection, arguments):
    """By label of the other keys: the metric of each run by value of the key."""
    others = [name for name in read_keys(connection) if name != arguments.against]
    columns = check_columns(connection, arguments.table, (arguments.metric,))
    source, condition = quote(arguments.table), make_condition(columns)
    if arguments.until:
        source = f'({select_first(arguments.until)})'
    sweeps = {}
    for x, y, *values in connection.execute(
            f'SELECT cells.{quote(arguments.against)}, {make_value(arguments.metric)} AS y'
            f'{"".join(f", cells.{quote(name)}" for name in others)} '
            f'FROM {source} AS results JOIN runs ON runs.id = results.run '
            f'JOIN cells ON cells.id = runs.cell AND {condition} '
            f'WHERE cells.id IN (SELECT id FROM cells WHERE ({arguments.where})) '
            f'GROUP BY results.run HAVING y IS NOT NULL ORDER BY runs.cell, runs.id'):
        sweeps.setdefault(make_label(others, values), {}).setdefault(x, []).append(y)
    return sweeps


def make_legend(label, counts, what=''):
    """Name of a line, with how many runs its means are of."""
    least, most = min(counts), max(counts)
    runs = f'{least} to {most} runs' if least < most else f'{most} run' + 's' * (most != 1)
    return f'{label} ({runs}{what})'.strip()


def draw_sweeps(axes, sweeps, band):
    """Bars around the means of the runs."""
    numbers = all(isinstance(x, (int, float)) for sweep in sweeps.values() for x in sweep)
    for label, sweep in sweeps.items():
        points = sorted(sweep.items()) if numbers else sweep.items()
        means = [sum(ys) / len(ys) for _, ys in points]
        ends = [get_band(ys, band) for _, ys in points]
        bars = [[mean - low for mean, (low, _) in zip(means, ends)],
                [high - mean for mean, (_, high) in zip(means, ends)]]
        axes.errorbar([x if numbers else 'not given' if x is None else str(x) for x, _ in points],
                      means, yerr=bars, marker='o', capsize=3,
                      label=make_legend(label, [len(ys) for _, ys in points], ' a point'))


def draw_curves(axes, curves, jumps, band):
    """Bands around the means of the runs.

    jumps: between two points a curve is as high as at the second one
    """
    style, step = ('steps-pre', 'pre') if jumps else ('default', None)
    for label, runs in curves.values():
        x, mean, low, high = summarise(runs, jumps, band)
        line, = axes.plot(x, mean, drawstyle=style, label=make_legend(label, [len(runs)]))
        axes.fill_between(x, low, high, step=step, color=line.get_color(), alpha=0.2, linewidth=0)


def summarise(runs, jumps, band='range'):
    """Mean over runs and ends of the band at abscissae that one of them has, at most MOST of them, from
    where all have begun to where the first ends; a run keeps its value until the next one, or, if it
    jumps, it has that one right after the value before."""
    begin = max(run[0][0] for run in runs)
    end = min(run[-1][0] for run in runs)
    points = []
    abscissae = sorted({x for run in runs for x, _ in run if begin <= x <= end})
    for x in abscissae[::min(-1, -len(abscissae) // MOST)][::-1]:  # with the last one
        values = [run[bisect.bisect_left(run, (x, ))][1] if jumps else
                  run[bisect.bisect_right(run, (x, float('inf'))) - 1][1] for run in runs]
        points.append((x, sum(values) / len(values), *get_band(values, band)))
    return zip(*points) if points else ([], [], [], [])


def get_out(arguments):
    """Path of the figure."""
    name = arguments.metric
    if arguments.total:
        name += f'-by-total-{arguments.against}'
    elif arguments.against != 'time_s':
        name += f'-by-{arguments.against}'
    return arguments.out or os.path.join(arguments.folder, name.replace('/', '_') + '.svg')


def check_arguments(arguments, sweeping):
    """Exit when an argument makes no sense with the others.

    sweeping: the metric is drawn against a key of the grid
    """
    if arguments.total and sweeping:
        sys.exit('plot.py: error: --total is for columns of rounds, and '
                 f'{arguments.against} is a key of the grid')
    if arguments.until and not sweeping:
        sys.exit('plot.py: error: --until needs --against=KEY with a key of the grid, got '
                 f'{arguments.against}')
    if arguments.until and arguments.table not in (None, 'evaluated'):
        sys.exit('plot.py: error: --until is for the table evaluated, got '
                 f'--table={arguments.table}')
    if arguments.total and arguments.against in STATES:
        sys.exit('plot.py: error: --total needs --against=COLUMN with a column to add up, such as '
                 f'energy_j or tx_bytes; the sum of {arguments.against} over learners and rounds '
                 'says nothing')


def main():
    arguments = parse_arguments()
    out = get_out(arguments)
    if not out.lower().endswith(FORMATS):
        sys.exit(f'plot.py: error: --out must end in {", ".join(FORMATS[:-1])} or {FORMATS[-1]}, '
                 f'got {out}')
    path = os.path.join(arguments.folder, 'results.sqlite')
    if not os.path.exists(path):
        sys.exit(f'plot.py: error: {path} does not exist; OUT must be the folder of a campaign')
    try:
        import matplotlib
    except ImportError:
        sys.exit(f'plot.py: error: {sys.executable} has no matplotlib; on Debian: apt-get install '
                 'python3-matplotlib, for /usr/bin/python3')
    matplotlib.use('Agg')
    matplotlib.rcParams['svg.hashsalt'] = 'dlearn'  # the same figure, the same bytes
    from matplotlib import pyplot
    connection = sqlite3.connect(path)
    try:
        sweeping = arguments.against in read_keys(connection)
        check_arguments(arguments, sweeping)
        arguments.table = arguments.table or choose_table(connection, arguments, sweeping)
        curves = (read_sweeps if sweeping else read_curves)(connection, arguments)
    except sqlite3.OperationalError as error:  # a column of --until
        sys.exit(f'plot.py: error: {error}')
    except sqlite3.DatabaseError as error:
        sys.exit(f'plot.py: error: {path}: {error}')
    if not curves:
        sys.exit(f'plot.py: error: no run of these cells has the metric {arguments.metric}')
    figure, axes = pyplot.subplots(figsize=(8, 5), layout='constrained')
    if sweeping:
        draw_sweeps(axes, curves, arguments.band)
    else:
        draw_curves(axes, curves, is_spent(arguments.metric), arguments.band)
    label = {'time_s': 'simulated time (s)', 'energy_j': 'energy (J)', 'tx_bytes': 'sent (bytes)'}
    axes.set(xlabel=label.get(arguments.against, arguments.against),
             ylabel=label.get(arguments.metric, arguments.metric), yscale='log' if arguments.log else 'linear',
             xscale='log' if arguments.log_x else 'linear')
    axes.grid(alpha=0.3)
    axes.legend(title=f'means, {BANDS[arguments.band]}', fontsize='small')
    try:
        figure.savefig(out, metadata={'Date': None} if out.lower().endswith('.svg') else None)
    except OSError as error:
        sys.exit(f'plot.py: error: {out}: {error.strerror}')
    print(out)


if __name__ == '__main__':
    main()
