# SPDX-License-Identifier: GPL-2.0-only
"""OUT/index.html: the table of all cells."""

import html
import math
import os
import sqlite3
import statistics
import string

from .results import get_command, quote
from .spec import count as count_things
from .spread import get_band
from .store import Run, write_file

# Heading, column of the table final, factor, digits after the point.
METRICS = (
    ('accuracy', 'accuracy', 1, 4),
    ('loss', 'loss', 1, 4),
    ('time (s)', 'time_s', 1, 3),
    ('MB', 'tx_bytes', 1e-6, 3),
    ('epsilon', 'epsilon_max', 1, 3),
)
WORDS = {'done': '', 'part': 'not all seeds', 'failed': 'failed', 'impossible': 'impossible',
         'pending': 'not run'}


def format_spread(values, digits):
    """Mean over seeds; where there is more than one, with the standard deviation and, on a line of their
    own, the 95 % interval of the mean and the least and the greatest."""
    if not values:
        return '', ''
    if not all(map(math.isfinite, values)):
        return 'infinite', 'inf'
    def write(value):
        return f'{value:.{digits}f}' if abs(value) < 1e5 else f'{value:.3g}'

    mean = statistics.mean(values)  # fmean() fails when the sum is too large for a float
    text = write(mean)
    if len(values) > 1:
        (_, high), interval, ends = (get_band(values, kind) for kind in ('sd', 'ci', 'range'))
        text += (f' ± {write(high - mean)}<small>95 %: {" to ".join(map(write, interval))}<br>'
                 f'{" to ".join(map(write, ends))}</small>')
    return text, repr(mean)


def read_results(store):
    """Numbers and warnings of every run that is done, by its id."""
    connection = sqlite3.connect(store.path('results.sqlite'))
    known = [row[1] for row in connection.execute('PRAGMA table_info(final)')]
    columns = [column if column in known else 'NULL' for _, column, _, _ in METRICS]
    rows = connection.execute(
        f'SELECT run, {", ".join(quote(c) if c != "NULL" else c for c in columns)} FROM final')
    metrics = {row[0]: row[1:] for row in rows}
    warnings = {}
    for run, text in connection.execute('SELECT run, warning FROM warnings'):
        warnings.setdefault(run, []).append(text)
    connection.close()
    return metrics, warnings


def get_state(cell, runs):
    if cell.reason is not None:
        return 'impossible'
    states = {run.status for run in runs}
    if 'failed' in states:
        return 'failed'
    if states == {'done'}:
        return 'done'
    return 'part' if 'done' in states else 'pending'


def cell_tag(text, key=None, kind=''):
    attributes = f' class="{kind}"' if kind else ''
    if key is not None:
        attributes += f' data-key="{html.escape(key)}"'
    return f'<td{attributes}>{text}</td>'


def write_runs(store, runs):
    """A link to the report of each seed, or what hinders it."""
    links = []
    for run in runs:
        for name in ('report.html', 'stdout.txt'):
            path = f'runs/{run.id}/{name}'
            if run.status != 'pending' and os.path.exists(store.path(path)):
                links.append(f'<a href="{path}">{run.seed}</a>')
                break
        else:
            links.append(f'<span title="{run.status}">{run.seed}</span>')
    return ' '.join(links)


def write_warnings(runs, warnings):
    """How many of the runs warn, and of what; a cell of the table."""
    texts = {}
    for run in runs:
        for text in warnings.get(run.id, []):
            texts.setdefault(text, []).append(run.seed)
    warned = sum(run.id in warnings for run in runs)
    if not warned:
        return cell_tag('')
    lines = ''.join(f'<li>seed {", ".join(map(str, seeds))}: {html.escape(text)}</li>'
                    for text, seeds in texts.items())
    return cell_tag(f'<details><summary>{count_things(warned, "run")}</summary><ul>{lines}</ul></details>',
                    str(warned))


def write_row(store, cell, runs, names, shown, metrics, warnings, folder):
    state = get_state(cell, runs)
    tags = []
    for name in names:
        value = cell.coordinates.get(name, '')
        value = 'not given' if value is None else str(value)
        tags.append(cell_tag(html.escape(value), value))
    failures = dict.fromkeys(run.reason for run in runs if run.status == 'failed')
    reason = cell.reason or '; '.join(failures)
    note = WORDS[state] + (f': {reason}' if reason else '')
    tags.append(cell_tag(html.escape(note), WORDS[state], 'note'))
    for k in shown:
        _, _, factor, digits = METRICS[k]
        values = [metrics[run.id][k] for run in runs if run.id in metrics]
        values = [value * factor for value in values if isinstance(value, (int, float))]
        text, key = format_spread(values, digits)
        if 0 < len(values) < sum(run.status == 'done' for run in runs):
            text += f' ({len(values)} runs)'
        tags.append(cell_tag(text, key, 'number'))
    tags.append(write_warnings(runs, warnings))
    tags.append(cell_tag(write_runs(store, runs)))
    command = get_command(runs[0] if runs else Run(cell, cell.seeds[0]), folder)
    tags.append(cell_tag(
        '' if cell.reason is not None else
        f'<details><summary>show</summary><code>{html.escape(command)}</code></details>'))
    return f'<tr class="{state}">{"".join(tags)}</tr>'


def write_page(store, campaign, runs, folder, name):
    """The page, from results.sqlite."""
    metrics, warnings = read_results(store)
    shown = [k for k in range(len(METRICS))
             if any(numbers[k] is not None for numbers in metrics.values())]
    names = campaign.get_coordinate_names()
    by_cell = {}
    for run in runs:
        by_cell.setdefault(run.cell.number, []).append(run)
    rows = [write_row(store, cell, by_cell.get(cell.number, []), names, shown, metrics, warnings, folder)
            for cell in campaign.cells]
    heads = [(name, 'choose') for name in names] + [('state', 'choose')]
    heads += [(METRICS[k][0], 'number') for k in shown]
    heads += [('warnings', 'number'), ('seeds', ''), ('command', '')]
    count = {state: sum(run.status == state for run in runs) for state in WORDS}
    impossible = sum(cell.reason is not None for cell in campaign.cells)
    title = campaign.title or name
    with open(os.path.join(os.path.dirname(__file__), 'page.html'), encoding='utf-8') as file:
        template = string.Template(file.read())
    write_file(store.path('index.html'), template.substitute(
        title=html.escape(title),
        about=f'<p>{html.escape(campaign.about)}</p>' if campaign.about else '',
        counts=f'{count_things(len(campaign.cells), "cell")}, {impossible} impossible; '
               f'{count_things(len(runs), "run")}: {count["done"]} done, '
               f'{count["failed"]} failed, {count["pending"]} not run; {len(warnings)} with warnings.',
        heads=''.join(f'<th data-kind="{kind}">{html.escape(head)}</th>' for head, kind in heads),
        rows='\n'.join(rows)))
