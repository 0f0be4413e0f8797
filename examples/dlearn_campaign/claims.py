# SPDX-License-Identifier: GPL-2.0-only
"""What a SPEC claims of its results: that a metric of some cells is above or below that of others."""

import contextlib
import math
import sqlite3

from dlearn_campaign import spec


class Claim:
    """Compares means over the runs of two groups of cells."""

    def __init__(self, member, where):
        spec.require(isinstance(member, dict), where, 'an object', member)
        spec.refuse_unknown(member, {'claim', 'metric', 'until', 'of', 'above', 'below', 'times'}, where)
        self.text = member.get('claim')
        self.metric = member.get('metric')
        self.until = member.get('until')
        for name, value in (('claim', self.text), ('metric', self.metric)):
            spec.require(isinstance(value, str) and value.strip(), f'{where}: {name}', 'a text', value)
        if ('above' in member) == ('below' in member):
            raise spec.Refusal(f'{where} must have either above or below')
        self.relation = 'above' if 'above' in member else 'below'
        self.groups = [spec.Case({'when': member.get(name), 'options': {}}, f'{where}: {name}')
                       for name in ('of', self.relation)]
        self.factor = member.get('times', 1)
        spec.require(isinstance(self.factor, (int, float)) and self.factor > 0, f'{where}: times',
                     'a number above 0', self.factor)

    def measure(self, database, case, runs):
        """The mean over runs; infinity if one of them does not come to the condition of until."""
        column = f'[{self.metric}]'  # in quotes, an unknown one would be a text
        query = (f'SELECT {column} FROM evaluated WHERE run = ? AND ({self.until}) ORDER BY rowid LIMIT 1'
                 if self.until else f'SELECT {column} FROM final WHERE run = ?')
        values = []
        for run in runs:
            if case.matches(run.cell.coordinates):
                row = database.execute(query, (run.id,)).fetchone()
                values.append(row[0] if row and row[0] is not None else math.inf)
        return sum(values) / len(values)

    def check(self, database, runs):
        """Print the claim with its numbers. @return whether it holds"""
        ours, others = (self.measure(database, case, runs) for case in self.groups)
        bound = self.factor * others
        holds = ours > bound if self.relation == 'above' else ours < bound
        factor = '' if self.factor == 1 else f'{self.factor:g} times '
        until = f' until {self.until}' if self.until else ''
        print(f'{"Holds" if holds else "DOES NOT HOLD"}: {self.text} ({self.metric}{until}: {ours:.4g}, '
              f'{self.relation} {factor}{others:.4g})')
        return holds


def read(campaign):
    """The claims of a campaign."""
    members = campaign.claims
    spec.require(isinstance(members, list), 'claims', 'a list of objects', members)
    claims = [Claim(member, f'claims[{k}]') for k, member in enumerate(members)]
    for claim in claims:
        for group in claim.groups:
            group.cells = sum(group.matches(cell.coordinates) and cell.reason is None
                              for cell in campaign.cells)
        campaign.check_cases(claim.groups)
    return claims


def check(claims, path, runs):
    """Whether all claims hold of the runs in the database of a campaign."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return all([claim.check(database, runs) for claim in claims])
