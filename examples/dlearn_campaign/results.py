# SPDX-License-Identifier: GPL-2.0-only
"""OUT/results.sqlite: all runs of a campaign in one database."""

import csv
import json
import os
import re
import shlex
import sqlite3
import sys

from .spec import Refusal, require
from .store import write_options

OURS = {'cells', 'runs', 'final', 'warnings', 'evaluated'}
NUMBER = re.compile(r'[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf|nan)', re.ASCII)


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def read_value(text):
    """A field of a CSV file: NULL when it is empty, a number when it is one."""
    if not text:
        return None
    if NUMBER.fullmatch(text):
        whole = text.lstrip('+-').isdigit() and len(text) <= 20  # longer ones have more than 64 bits
        return int(text) if whole else float(text)
    return text


def convert(value):
    """A value of a JSON file, which has infinity as a text."""
    return float('inf') if value == 'inf' else value


def fit(value):
    """A value that SQLite can hold: its whole numbers have 64 bits."""
    if type(value) is int and not -2**63 <= value < 2**63:
        return float(str(value))  # infinite when it is too large, which float(value) refuses
    return value


def read_object(text, thing):
    value = json.loads(text)
    require(isinstance(value, dict), thing, 'an object', value)
    return value


def read_row(row, header, line):
    """A row of a CSV file."""
    if len(row) != len(header):
        raise ValueError(f'line {line} must have {len(header)} fields, as its header has, got {len(row)}')
    return [read_value(field) for field in row]


def get_unique(names, taken):
    """The names, with underscores behind those that SQLite takes for one that is taken."""
    taken = {name.lower() for name in taken}
    unique = []
    for name in names:
        while name.lower() in taken:
            name += '_'
        taken.add(name.lower())
        unique.append(name)
    return unique


class Database:
    """The database while it is written; it replaces an older one when it is complete."""

    def __init__(self, store):
        self.store = store
        self.temporary = store.path('.new-results.sqlite')
        if os.path.exists(self.temporary):
            os.unlink(self.temporary)
        self.connection = sqlite3.connect(self.temporary)
        self.connection.execute('PRAGMA journal_mode = OFF')
        self.connection.execute('PRAGMA synchronous = OFF')
        self.columns = {}  # of the tables
        self.filled = []  # tables of the file that is being added

    def close(self):
        self.connection.commit()
        self.connection.close()
        os.replace(self.temporary, self.store.path('results.sqlite'))

    def create(self, table, columns):
        self.connection.execute(
            f'CREATE TABLE {quote(table)} ({", ".join(map(quote, columns))})')
        self.columns[table] = list(columns)

    def insert(self, table, columns, rows):
        """Rows whose columns the table may not have yet."""
        if table not in self.columns:
            self.create(table, columns)
        known = {name.lower() for name in self.columns[table]}
        for name in columns:
            if name.lower() not in known:
                self.connection.execute(f'ALTER TABLE {quote(table)} ADD COLUMN {quote(name)}')
                self.columns[table].append(name)
        self.filled.append(table)
        self.connection.executemany(
            f'INSERT INTO {quote(table)} ({", ".join(map(quote, columns))}) '
            f'VALUES ({", ".join("?" * len(columns))})', (list(map(fit, row)) for row in rows))

    def add(self, run, name):
        """A file of a run: all of it, or nothing, with an exception."""
        path = self.store.path('runs', run.id, name)
        self.filled = []
        try:
            if name == 'summary.json':
                self.add_summary(run, path)
            elif name == 'results.jsonl':
                self.add_evaluated(run, path)
            elif name.endswith('.csv'):
                self.add_csv(run, path)
        except Exception:
            for table in self.filled:
                self.connection.execute(f'DELETE FROM {quote(table)} WHERE run = ?', [run.id])
            raise

    def add_csv(self, run, path):
        table = os.path.basename(path)[:-len('.csv')]
        if table in OURS:
            table += '_csv'
        with open(path, encoding='utf-8', errors='replace', newline='') as file:
            reader = csv.reader(file)
            header = next(reader, None)
            if not header:
                return
            columns = ['run'] + get_unique(header, ['run'])
            self.insert(table, columns, (
                [run.id] + read_row(row, header, reader.line_num) for row in reader if row))

    def add_evaluated(self, run, path):
        """The table evaluated: a row for each evaluated round, from results.jsonl."""
        with open(path, encoding='utf-8') as file:
            lines = [read_object(line, f'line {k}') for k, line in enumerate(file, 1) if line.strip()]
        names = list(dict.fromkeys(name for line in lines for name in line))
        self.insert('evaluated', ['run'] + get_unique(names, ['run']), (
            [run.id] + [convert(line.get(name)) for name in names] for line in lines))

    def add_summary(self, run, path):
        """The tables final and warnings: the numbers and the warnings of a summary.json."""
        with open(path, encoding='utf-8') as file:
            summary = read_object(file.read(), 'its content')
        numbers = {'run': run.id}
        for name in ('simulated_s', 'events', 'wall_s'):
            numbers[name] = convert(summary.get(name))
        for member in ('final', 'totals'):
            members = summary.get(member, {})
            require(isinstance(members, dict), member, 'an object', members)
            for name, value in members.items():
                if not isinstance(value, (dict, list)):
                    numbers.setdefault(name, convert(value))
        self.insert('final', list(numbers), [list(numbers.values())])
        warnings = summary.get('warnings') or []
        require(isinstance(warnings, list), 'warnings', 'a list', warnings)
        self.insert('warnings', ['run', 'warning'], [[run.id, str(text)] for text in warnings])


def get_command(run, folder):
    """The command of a run, as a user may repeat it."""
    cell = run.cell
    return shlex.join([cell.program] + write_options(cell.get_options(folder), run.seed))


def write_database(store, campaign, runs, folder):
    """All cells, and the existing runs. Return the number of files that could not be read."""
    database = Database(store)
    names = campaign.get_coordinate_names()
    database.create('cells', ['id', 'program', 'options', 'reason'] + get_unique(
        names, ['id', 'program', 'options', 'reason']))
    database.insert('cells', database.columns['cells'], (
        [cell.number, cell.program, json.dumps(cell.options), cell.reason] +
        [cell.coordinates.get(name) for name in names] for cell in campaign.cells))
    columns = ['id', 'cell', 'program', 'options', 'seed', 'status', 'reason', 'exit_code', 'wall_s',
               'host', 'command']
    database.create('runs', columns)
    database.insert('runs', columns, (
        [run.id, run.cell.number, run.cell.program, json.dumps(run.cell.options), run.seed,
         run.status, run.reason, run.exit_code, run.wall_s, run.host, get_command(run, folder)]
        for run in runs))
    database.create('final', ['run', 'simulated_s', 'events', 'wall_s'])
    database.create('warnings', ['run', 'warning'])
    database.create('evaluated', ['run', 'round', 'time_s'])
    left_out = 0
    for run in runs:
        if run.status != 'done':
            continue
        place = store.path('runs', run.id)
        for name in sorted(os.listdir(place)):
            try:
                database.add(run, name)
            except (OSError, ValueError, RecursionError, Refusal, csv.Error, sqlite3.Error) as error:
                left_out += 1
                print(f'warning: {os.path.join(place, name)} is left out of the results: {error}; to '
                      f'repeat the run, delete {place}', file=sys.stderr)
    database.connection.execute('CREATE UNIQUE INDEX runs_id ON runs (id)')
    for table, columns in database.columns.items():
        if columns[0] == 'run':
            database.connection.execute(
                f'CREATE INDEX {quote(table + "_run")} ON {quote(table)} (run)')
    database.close()
    return left_out
