# SPDX-License-Identifier: GPL-2.0-only
"""OUT/index.html: the table of all cells, in the template of dlearn's pages."""

import os
import sqlite3

from .results import get_command, quote
from .spec import count as count_things
from .store import Run, write_file
from .template import make_page

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


def find_link(store, run):
    """The report of a run, or its output; None without either."""
    paths = [f'runs/{run.id}/{name}' for name in ('report.html', 'stdout.txt')]
    known = [path for path in paths if run.status != 'pending' and os.path.exists(store.path(path))]
    return known[0] if known else None


def describe_cell(store, cell, runs, names, metrics, warnings, folder):
    """What the page has of a cell; its scripts compute and write the rest."""
    state = get_state(cell, runs)
    coordinates = [cell.coordinates.get(name, '') for name in names]
    failures = dict.fromkeys(run.reason for run in runs if run.status == 'failed')
    reason = cell.reason or '; '.join(failures)
    texts = {}  # of warnings
    for run in runs:
        for text in warnings.get(run.id, []):
            texts.setdefault(text, []).append(run.seed)
    figures = [[metrics[run.id][k] for run in runs if run.id in metrics] for k in range(len(METRICS))]
    return {
        'state': state, 'word': WORDS[state], 'note': WORDS[state] + (f': {reason}' if reason else ''),
        'coordinates': ['not given' if value is None else str(value) for value in coordinates],
        'figures': [[value for value in values if isinstance(value, (int, float))] for values in figures],
        'done': sum(run.status == 'done' for run in runs),
        'warned': sum(run.id in warnings for run in runs),
        'warnings': [f'seed {", ".join(map(str, seeds))}: {text}' for text, seeds in texts.items()],
        'runs': [[run.seed, find_link(store, run), run.status] for run in runs],
        'command': None if cell.reason is not None else get_command(
            runs[0] if runs else Run(cell, cell.seeds[0]), folder),
    }


def write_page(store, campaign, runs, folder, name):
    """The page, from results.sqlite."""
    metrics, warnings = read_results(store)
    names = campaign.get_coordinate_names()
    by_cell = {}
    for run in runs:
        by_cell.setdefault(run.cell.number, []).append(run)
    count = {state: sum(run.status == state for run in runs) for state in WORDS}
    impossible = sum(cell.reason is not None for cell in campaign.cells)
    write_file(store.path('index.html'), make_page({'campaign': {
        'title': campaign.title or name, 'about': campaign.about or '',
        'counts': f'{count_things(len(campaign.cells), "cell")}, {impossible} impossible; '
                  f'{count_things(len(runs), "run")}: {count["done"]} done, {count["failed"]} failed, '
                  f'{count["pending"]} not run; {len(warnings)} with warnings.',
        'names': names,
        'figures': [[heading, factor, digits] for heading, _, factor, digits in METRICS],
        'cells': [describe_cell(store, cell, by_cell.get(cell.number, []), names, metrics, warnings, folder)
                  for cell in campaign.cells],
    }}))
