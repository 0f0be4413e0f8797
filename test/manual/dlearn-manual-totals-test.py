#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""doc/results.rst explains the totals of summary.json: all that the sources count, and no other.

It needs the folder DLEARN_MANUAL, which ctest sets.
"""

import os
import pathlib
import re
import sys

MANUAL = pathlib.Path(os.environ['DLEARN_MANUAL'])
OTHERS = {'staleness_N'}  # one for each N


def find_counted():
    """Names in the sources."""
    names = set()
    for folder in ('model', 'helper'):
        for path in (MANUAL.parent / folder).rglob('*.[ch]*'):
            names |= set(re.findall(r'totals\["(\w+[^_])"\]', path.read_text(encoding='utf-8')))
    return names


def find_explained():
    """Names in the first column of the table."""
    text = (MANUAL / 'results.rst').read_text(encoding='utf-8')
    table = re.search(r'\nTotals\n\*+\n(.*?)(\n\w[^\n]*\n\*+\n|$)', text, re.S)[1]
    return {name for row in re.findall(r'\* - (.*)', table) for name in re.findall(r'``(\w+)``', row)}


def main():
    """Compare them."""
    counted, explained = find_counted(), find_explained()
    for name in sorted(counted - explained):
        print(f'{name} is counted, but not explained')
    for name in sorted(explained - counted - OTHERS):
        print(f'{name} is explained, but not counted')
    return int(len(counted) < 40 or counted | OTHERS != explained)


if __name__ == '__main__':
    sys.exit(main())
