# SPDX-License-Identifier: GPL-2.0-only
"""Results of runs, read back; and the tables of dlearn-compare for a terminal.

The page has the same tables, which its own scripts compute (helper/report/dlearn-page-comparison.js);
test/system/dlearn-page-test.py compares them.
"""

import csv
import json
import math
import os

from .spec import Refusal, count
from .spread import find_t, find_tail

METRICS = ('loss', 'accuracy', 'error', 'consensus', 'regret', *(
    f'client_{score}_{part}' for score in ('accuracy', 'loss') for part in ('mean', 'sd', 'worst_tenth', 'jain')))
LADDER = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)  # possible target accuracies
PHASES = ('queue_s', 'air_s', 'retransmission_s', 'wait_s')
SPANS = ('time_s', 'compute_s', 'round_s')  # exact to the nanosecond
COLUMNS = ('time_s', 'round', 'node', 'role', 'accuracy', 'expected', 'compute_s', 'round_s')
# What is named here does not change what a run computes.
NEUTRAL = {'out', 'threads', 'transcript', 'netanim', 'compare', 'mpi', 'partition-of-ranks', 'runs'}
PRIVACY = {'threat-model', 'view', 'target-epsilon', 'clip', 'shared-noise', 'noise-recovery', 'mechanism',
           'privacy-unit', 'noise', 'noise-multiplier', 'noise-exponent', 'noise-exponent-step',
           'state-noise-exponent', 'tracker-noise-exponent', 'smoothness', 'delta', 'budget'}


def require(holds, text):
    if not holds:
        raise Refusal(text)


def rises(metric):
    """Whether more is better."""
    return 'accuracy' in metric and not metric.endswith('_sd') or metric.endswith('_jain')


def convert(value):
    """A number of JSON, which has infinity as a text; None for none."""
    return math.inf if value == 'inf' else value


def most(values):
    return max((value for value in values if value is not None), default=None)


def read_rows(path):
    """The rows of a rounds.csv, with SPANS in nanoseconds."""
    with open(path, encoding='utf-8', newline='') as file:
        text = file.read()
    require(text, f'{path}: is empty')
    require(text.endswith('\n'), f'{path}: must end with a line feed, its last line is cut short')
    header, *lines = csv.reader(text.splitlines())
    for name in COLUMNS:
        require(name in header, f'{path}:1: no column {name}')
    rows, seen = [], set()
    for number, line in enumerate(lines, 2):
        place = f'{path}:{number}'
        require(len(line) == len(header), f'{place}: must have {len(header)} fields, got {len(line)}')
        row = dict(zip(header, line))
        for name, field in row.items():
            try:
                if name != 'role' and field:
                    row[name] = round(float(field) * 1e9) if name in SPANS else float(field)
            except (ValueError, OverflowError):
                raise Refusal(f"{place}: '{field}' is not a value of column {name}") from None
        row['closed'] = row['role'] == 'server' or any(
            row[name] for name in ('expected', 'round_s', 'compute_s'))
        key = row['node'], row['round'], row['closed']
        require(key not in seen, f'{place}: round {line[header.index("round")]} of learner '
                f'{line[header.index("node")]} is there twice')
        seen.add(key)
        rows.append(row)
    return rows


def find_times(rows):
    """Mean seconds of closed rounds by role: computing, in queues, sending, sending again, waiting; and all but
    computing. None where a phase is not known of all rows."""
    last, times = {}, {}
    for row in rows:
        if not row['closed']:
            continue
        span = row['time_s'] - last[row['node']] if row['node'] in last else row['round_s']
        last[row['node']] = row['time_s']
        phases = [math.nan if row.get(name, '') == '' else row[name] for name in PHASES]
        rest = (span - row['compute_s']) / 1e9 if math.isnan(phases[-1]) else sum(phases)
        times.setdefault(row['role'], []).append([row['compute_s'] / 1e9, *phases, rest])
    means = {role: [sum(1 / len(rows) * time for time in column) for column in zip(*rows)]
             for role, rows in sorted(times.items())}
    return {role: [None if math.isnan(mean) else mean for mean in of_role] for role, of_role in means.items()}


class Run:
    """The results of a run."""

    def __init__(self, folder):
        require(os.path.isdir(folder), f'{folder}: is not a directory')
        for name in ('summary.json', 'rounds.csv', 'results.jsonl'):
            require(os.path.exists(os.path.join(folder, name)),
                    f'{folder}: is not a results directory: it has no {name}')
        self.name = ''
        self.summary = self._read_summary(os.path.join(folder, 'summary.json'))
        self.rounds = self._read_rounds(os.path.join(folder, 'results.jsonl'))
        own = {name[:-len('_low')] for line in self.rounds for name in line if name.endswith('_low')}
        self.metrics = [*METRICS, *sorted(own.difference(METRICS))]  # those of the user at the end
        self.complete = self.summary['status'] == 'complete'
        self.epsilon = convert(self.summary['final'].get('epsilon_max'))
        path = os.path.join(folder, 'rounds.csv')
        rows = read_rows(path)
        closed = self.summary['totals'].get('closed_rounds')
        require(len(rows) == closed, f"{path}: must have as many rows as 'closed_rounds' of summary.json says, "
                f'{closed}, got {len(rows)}')
        missing = {int(row['round']) for row in rows if any(row.get(name, '') != '' for name in METRICS)}
        missing -= {line['round'] for line in self.rounds}
        require(not missing, f'{folder}/results.jsonl: must have a line for each evaluated round of '
                f'rounds.csv, round {min(missing, default=0)} has none')
        self.times = find_times(rows)
        self.settings = self._get_settings()
        idle = self.summary.get('without_effect', [])
        self.idle = {name: value for name, value in self.summary['parameters'].items() if name in idle}

    @staticmethod
    def _read_summary(path):
        try:
            with open(path, encoding='utf-8', errors='replace') as file:
                summary = json.load(file)
        except ValueError:
            summary = None
        require(isinstance(summary, dict), f'{path}: is not the summary.json of a run: no JSON object')
        kinds = {'program': str, 'command': str, 'status': str, 'seed': int, 'run': int, 'parameters': dict,
                 'attributes': dict, 'globals': dict, 'warnings': list, 'totals': dict, 'final': dict}
        for name, kind in kinds.items():
            require(name in summary, f"{path}: no member '{name}'")
            value = summary[name]
            require(isinstance(value, kind), f"{path}: member '{name}' is damaged: {json.dumps(value)}")
            require(kind is not int or value >= 0,
                    f"{path}: member '{name}' must be a whole number of at least 0, got {value}")
        return {name: value for name, value in summary.items() if name not in ('wall_s', 'events_per_wall_s')}

    @staticmethod
    def _read_rounds(path):
        rounds = {}
        with open(path, encoding='utf-8') as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                    known = line['round'] in rounds
                except (ValueError, TypeError, KeyError):
                    raise Refusal(f'{path}:{number}: must be a JSON object with the number of a round, got '
                                  f"'{text.strip()}'") from None
                require(not known, f'{path}:{number}: round {line["round"]} is there twice')
                rounds[line['round']] = {name: convert(value) for name, value in line.items()}
        return list(rounds.values())

    def _get_settings(self):
        """All that may differ between runs of different names."""
        summary = self.summary
        idle = summary.get('without_effect', [])
        settings = {'program': summary['program']}
        settings.update((name, value) for name, value in summary['parameters'].items()
                        if name not in NEUTRAL and name not in idle)
        settings.update(summary['attributes'])
        settings.update((name, value) for name, value in summary['globals'].items()
                        if name not in ('RngRun', 'RngSeed'))
        return settings

    def get_end(self, figure):
        """A figure when all evaluated rounds had ended: of metrics that of the last one."""
        if not self.rounds:
            return None
        if figure in self.metrics:
            return self.rounds[-1].get(figure)
        return most(line.get(figure) for line in self.rounds)

    def find_reached(self, metric, value):
        """The round that reaches a target and ended first, or None."""
        def reaches(line):
            mean = line.get(metric)
            return mean is not None and (mean >= value if rises(metric) else mean <= value)
        return min(filter(reaches, self.rounds), key=lambda line: line['time_s'], default=None)

    def make_data(self):
        """The run for a page."""
        summary = {**self.summary, 'seed': str(self.summary['seed']), 'run': str(self.summary['run'])}
        names = dict.fromkeys(name for line in self.rounds for name in line)
        return {'name': self.name, 'summary': summary, 'times': self.times,
                'rounds': {name: [line.get(name) for line in self.rounds] for name in names}}


class Group:
    """Runs that differ in their random numbers only."""

    def __init__(self, members):
        self.name = members[0].name
        self.members = sorted(members, key=lambda run: (run.summary['seed'], run.summary['run']))
        self.complete = [run for run in self.members if run.complete]
        self.settings, self.idle = members[0].settings, members[0].idle
        keys = [(run.summary['seed'], run.summary['run']) for run in self.members]
        for key, following in zip(keys, keys[1:]):
            require(key != following, f'a run is there twice: {self.name}, RngSeed {key[0]}, RngRun {key[1]}')

    def get_finals(self, metric):
        """The last mean of each complete run, by its seed and run."""
        finals = {(run.summary['seed'], run.summary['run']): run.get_end(metric) for run in self.complete}
        return {key: value for key, value in finals.items() if value is not None}

    def count(self):
        left = len(self.members) - len(self.complete)
        return f'{len(self.complete)}' + (f' ({left} left out)' if left else '')


class Spread:
    """Mean and spread of the numbers that there are."""

    def __init__(self, values):
        self.values = [value for value in values if value is not None]
        self.mean = self.deviation = self.interval = None
        squares = 0
        for k, value in enumerate(self.values, 1):
            before = value if self.mean is None else self.mean
            self.mean = sum(self.values[:k]) / k
            squares += (value - before) * (value - self.mean)  # Welford (1962)
        if len(self.values) > 1:
            same = min(self.values) == max(self.values)
            self.deviation = 0.0 if same else math.sqrt(squares / (len(self.values) - 1))
            width = self.deviation * find_t(len(self.values) - 1) / math.sqrt(len(self.values))
            self.interval = self.mean - width, self.mean + width


def find_different(lists):
    """Names of settings that are not the same in all lists, in their order."""
    names = dict.fromkeys(name for settings in lists for name in settings)
    return [name for name in names if len({settings.get(name) for settings in lists}) > 1]


def find_differences(groups):
    """The same of groups, without those that have no effect in some, if their value is the same there."""
    different = find_different([{**group.settings, **group.idle} for group in groups])
    return [name for name in find_different([group.settings for group in groups]) if name in different]


def name_by_differences(runs):
    """Name each run by settings that others do not have, as few as it takes to tell them apart."""
    kinds = len({tuple(run.settings.items()) for run in runs})
    differences = find_different([run.settings for run in runs])
    own = {name: name.rpartition('::')[2] for name in differences}
    names = [''] * len(runs)
    for name in differences:
        label = own[name] if list(own.values()).count(own[name]) == 1 else name
        longer = [f'{old} {label}={run.settings[name]}'.strip() if name in run.settings else old
                  for old, run in zip(names, runs)]
        # Settings that go with others would only make names longer.
        if len(set(names)) < kinds and len(set(longer)) > len(set(names)):
            names = longer
    for run, name in zip(runs, names):
        run.name = name or ('defaults' if kinds > 1 else run.summary['program'])


def group_runs(runs):
    names = dict.fromkeys(run.name for run in runs)
    return [Group([run for run in runs if run.name == name]) for name in names]


def describe_left_out(groups):
    everything = sum(len(group.members) for group in groups)
    left = everything - sum(len(group.complete) for group in groups)
    return (f'{left} of {everything} runs {"is" if left == 1 else "are"} not complete and left out of means, '
            'costs and tests') if left else ''


def choose_metric(groups):
    for metric in ('accuracy', 'loss'):
        if any(group.get_finals(metric) for group in groups):
            return metric
    return 'error'


def find_common_target(groups):
    """The highest accuracy of the ladder that every complete run reaches, or None."""
    runs = [run for group in groups for run in group.complete]
    reached = [value for value in LADDER if runs and all(run.find_reached('accuracy', value) for run in runs)]
    return ('accuracy', reached[-1]) if reached else None


def are_same(differences, scale):
    """Whether numbers are the same but for rounding: the twelfth digit of a mean of many is noise."""
    return max(differences) - min(differences) <= 1e-12 * scale


def pair_finals(base, other, metric):
    """The last means of other minus those of base, of runs with the same seed; exactly the same for all
    where they differ by rounding only."""
    a, b = base.get_finals(metric), other.get_finals(metric)
    keys = [key for key in a if key in b and math.isfinite(a[key]) and math.isfinite(b[key])]
    differences = [b[key] - a[key] for key in keys]
    scale = max((abs(value) for key in keys for value in (a[key], b[key])), default=0)
    return differences[:1] * len(keys) if keys and are_same(differences, scale) else differences


def test_pairs(differences):
    """Student's t-test of pairs: the spread of their differences and p; None where there is none."""
    if len(differences) < 2 or are_same(differences, max(map(abs, differences))):
        return None
    spread = Spread(differences)
    error = spread.deviation / math.sqrt(len(differences))
    return spread, find_tail(abs(spread.mean) / error, len(differences) - 1)


def write(value, digits=4):
    return '' if value is None else f'{value:.{digits}g}'


def write_bytes(value):
    units = ['B', 'kB', 'MB', 'GB', 'TB']
    while value is not None and value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return '' if value is None else f'{write(value)} {units[0]}'


def make_figures(heads, rows, figures, parts=False):
    """A table of figures, each with a name, a spread for each row, and a format: a column for each figure,
    if none is of several runs; else a row for each figure and row. Those of a row that add up stand together
    (parts)."""
    if not any(len(spread.values) > 1 for _, spreads, _ in figures for spread in spreads):
        return [heads + [name for name, _, _ in figures]] + [
            row + [form(spreads[k].mean) for _, spreads, form in figures] for k, row in enumerate(rows)]

    def put(row, name):
        return row + [name] if parts else [name] + row

    def make_row(row, name, spread, form):
        if not spread.values:
            return None
        interval = ' to '.join(map(form, spread.interval)) if spread.interval else ''
        return put(row, name) + [form(spread.mean), form(spread.deviation), interval, form(min(spread.values)),
                                 form(max(spread.values))]
    table = [[make_row(row, name, spreads[k], form) for name, spreads, form in figures]
             for k, row in enumerate(rows)]
    lines = [line for block in (table if parts else zip(*table)) for line in block if line]
    return [put(heads, 'part' if parts else 'figure') + [
        'mean', 'standard deviation', '95 % interval of the mean', 'lowest', 'highest']] + lines


def make_groups(groups):
    def figure(name, get, form=write):
        return name, [Spread(map(get, group.complete)) for group in groups], form
    metrics = dict.fromkeys(name for group in groups for run in group.complete for name in run.metrics)
    figures = [figure(metric, lambda run, metric=metric: run.get_end(metric))
               for metric in metrics if metric != 'consensus']
    figures += [figure('time (s)', lambda run: run.get_end('time_s')),
                figure('sent', lambda run: run.get_end('tx_bytes'), write_bytes),
                figure('energy (J)', lambda run: run.get_end('energy_j')),
                figure('epsilon of the whole run', lambda run: run.epsilon)]
    return make_figures(['runs of', 'seeds'], [[group.name, group.count()] for group in groups], figures)


def make_privacy(groups):
    """What each private group lost beside the one of less privacy that differs least from it."""
    metric = choose_metric(groups)
    spent = [Spread(run.epsilon for run in group.complete).mean for group in groups]
    spent = [math.inf if epsilon is None else epsilon for epsilon in spent]
    finals = [write(Spread(group.get_finals(metric).values()).mean) for group in groups]
    rows = [['runs of', 'compared with', 'what else differs', 'epsilon', f'last {metric}', 'of the other']]
    for k, group in enumerate(groups):
        others = [([name for name in find_differences([group, other]) if name not in PRIVACY], j)
                  for j, other in enumerate(groups) if spent[j] > spent[k]]
        if others:
            different, j = min(others, key=lambda other: (len(other[0]), -spent[other[1]]))
            rows.append([group.name, groups[j].name, ', '.join(different) or 'nothing else', write(spent[k]),
                         finals[k], finals[j]])
    return rows


def make_times(groups):
    """Where the time of rounds went, by group and role."""
    parts = {'computing': lambda t: t[0], 'in queues': lambda t: t[1], 'sending': lambda t: t[2],
             'sending again': lambda t: t[3], 'waiting': lambda t: t[4],
             'sending and waiting': lambda t: t[5] if t[4] is None else None, 'in all': lambda t: t[0] + t[5]}
    places = [(group, role) for group in groups
              for role in sorted({role for run in group.members for role in run.times})]
    figures = [(name, [Spread(get(run.times[role]) for run in group.complete if role in run.times)
                       for group, role in places], write) for name, get in parts.items()]
    return make_figures(['runs of', 'learners'], [[group.name, role] for group, role in places], figures, True)


def make_cost(groups, metric, value):
    """What each group needed to reach a target."""
    reached = [[line for line in (run.find_reached(metric, value) for run in group.complete) if line]
               for group in groups]
    columns = {'time (s)': 'time_s', 'round': 'round', 'sent': 'tx_bytes', 'energy (J)': 'energy_j',
               'epsilon until then': 'epsilon'}
    figures = [(name, [Spread(line.get(column) for line in lines) for lines in reached],
                write_bytes if name == 'sent' else write) for name, column in columns.items()]
    return make_figures(['runs of', 'reached by'], [[group.name, f'{len(lines)} of {group.count()}']
                                                    for group, lines in zip(groups, reached)], figures)


def make_tests(groups, metric):
    """Whether the others differ from the first group."""
    rows = [['runs of', 'pairs n', 'mean difference', '95 % interval', 'p, two-sided']]
    for group in groups[1:]:
        differences = pair_finals(groups[0], group, metric)
        test = test_pairs(differences)
        why = ('the same difference in all pairs' if len(differences) > 1
               else f'{count(len(differences), "pair")} of the same seed')
        rows.append([group.name, f'{len(differences)}', write(Spread(differences).mean),
                     ' to '.join(map(write, test[0].interval)) if test else '',
                     write(test[1], 3) if test else f'no test: {why}'])
    return rows


def make_tables(groups, target):
    """Titles and rows of all tables; the first row has the headings."""
    tables = [('At the last evaluated round', make_groups(groups)),
              ('Settings that differ', [['setting'] + [group.name for group in groups]] + [
                  [name] + [group.settings.get(name, '-') for group in groups]
                  for name in find_differences(groups)]),
              ('What privacy costs', make_privacy(groups)),
              ('Where the time of a round goes, in seconds: mean over rounds and learners', make_times(groups))]
    target = target or find_common_target(groups)
    if target:
        tables.append((f'Cost of {target[0]} {write(target[1])}, over the runs that reach it',
                       make_cost(groups, *target)))
    metric = target[0] if target else choose_metric(groups)
    tables.append((f'Difference in the last {metric} from {groups[0].name}: '
                   'paired t-test over runs of the same seed', make_tests(groups, metric)))
    return tables


def make_note(groups):
    tests = len(groups) - 1
    if tests == 0:
        return ''
    if len(groups[0].members) < 2:
        return 'One run alone cannot tell a difference from chance.'
    if tests == 1:
        return 'A difference with a p below 0.05 is unlikely to be chance.'
    return (f'Of these {tests} differences, those with a p below 0.05 / {tests} are unlikely to be chance '
            '(Bonferroni).')


def describe_chance(groups, best, metric):
    """Whether the difference of the best group from others may be chance."""
    doubtful, untested = [], []
    for other in groups:
        test = None if other is best else test_pairs(pair_finals(best, other, metric))
        if test and test[1] >= 0.05 / max(len(groups) - 1, 1):
            doubtful.append(f'{other.name} (p = {write(test[1])}, {len(test[0].values)} pairs)')
        elif not test and other is not best:
            untested.append(other.name)
    text = f' By a paired t-test its difference from {", ".join(doubtful)} may be chance.' if doubtful else ''
    return text + (' There are too few runs of the same seeds to tell its difference from '
                   f'{", ".join(untested)} from chance.' if untested else '')


def describe_best(groups):
    """Which groups did best."""
    metric = choose_metric(groups)
    means = [Spread(group.get_finals(metric).values()).mean for group in groups]
    known = [mean for mean in means if mean is not None]
    if not known:
        return 'No round was evaluated.' if any(group.complete for group in groups) else 'No run is complete.'
    best = max(known) if metric == 'accuracy' else min(known)
    winners = [group for group, mean in zip(groups, means) if write(mean) == write(best)]
    names = ', '.join(group.name for group in winners)
    who = (f', of {names}' if len(winners) == 1
           else f', of each of {names}' if len(winners) < len(groups) else ', of all')
    text = f'The best mean {metric} at the end is {write(best)}{who if len(groups) > 1 else ""}.'
    if len(winners) == 1:
        text += describe_chance(groups, winners[0], metric)
    different = [name for name in ('data', 'task') if name in find_differences(groups)]
    if different:
        text += f' The runs differ in {", ".join(different)}, so that they learn different things.'
    without = [group.name for group, mean in zip(groups, means) if group.complete and mean is None]
    return text + (f' There is no {metric} of {", ".join(without)}.' if without else '')


def write_table(title, rows):
    """A table without columns that are empty in all rows, for a terminal."""
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    widths = [max(len(row[k]) for row in rows) for k in kept]
    return title + '\n' + ''.join(
        ''.join(f'  {row[k]:{width}}' for k, width in zip(kept, widths)).rstrip(' ') + '\n' for row in rows)


def write_comparison(groups, target):
    """A sentence, and the tables of what the runs reached, cost and differ in."""
    tables = [write_table(title, rows) for title, rows in make_tables(groups, target) if len(rows) > 1]
    note = make_note(groups)
    return f'{describe_best(groups)}\n\n' + '\n'.join(tables) + (f'\n{note}\n' if note else '')
