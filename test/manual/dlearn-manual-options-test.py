#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""doc/options.rst lists the options that the programs' --help shows, with their defaults.

With DLEARN_UPDATE_MANUAL in the environment the page is written before it is compared. It needs the
folders DLEARN_PROGRAMS and DLEARN_MANUAL, which ctest sets.
"""

import os
import re
import subprocess
import sys

# The programs that share one set of options.
PROGRAMS = ('dlearn-wireless-edge', 'dlearn-ldp-online', 'dlearn-gradient-tracking', 'dlearn-fedavg',
            'dlearn-cafcor')
BEGIN, END = '.. options\n', '.. end\n'
OPTION = re.compile(r'^    --([\w-]+): +(.*)$')


def read_help(program):
    """The options of a program by group: {group: {name: (text, default)}}."""
    path = os.path.join(os.environ['DLEARN_PROGRAMS'], program)
    if not os.path.exists(path):
        sys.exit(f'{path} is missing: build all programs first')
    printed = subprocess.run([path, '--help'],
                             capture_output=True, text=True, check=True).stdout
    printed = re.sub(r'\n {8,}', ' ', printed)  # long texts go on in the next lines
    groups, group = {}, None
    for line in printed.splitlines():
        option = OPTION.match(line)
        if re.match(r'^\w[\w ]*:$', line):
            group = line[:-1]
        elif option and group and group != 'General Arguments':
            text, default = re.match(r'^(.*) \[(.*)\]$', option[2]).groups()
            groups.setdefault(group, {})[option[1]] = (text, default)
    return groups


def escape(text):
    """Text that reStructuredText shows as it is."""
    return re.sub(r'([\\*`|]|_(?=\W|$))', r'\\\1', text)


def literal(text):
    """A default as code; an empty one as nothing."""
    return f'``{text}``' if text else ''


def write_group(group, programs):
    """A table of the options of a group; what differs between programs is named with them."""
    names = []
    for groups in programs.values():
        names += [name for name in groups.get(group, {}) if name not in names]
    lines = ['', group, '*' * len(group), '', '.. list-table::', '   :header-rows: 1',
             '   :widths: 20 50 30', '', '   * - Option', '     - Meaning', '     - Default']
    for name in names:
        having = {p: g[group][name] for p, g in programs.items() if name in g.get(group, {})}
        texts = {p: escape(text) for p, (text, _) in having.items()}
        defaults = {p: literal(value) for p, (_, value) in having.items()}
        lines += [f'   * - ``--{name}``', '     - ' + list_values(texts, len(programs)),
                  '     - ' + list_values(defaults, len(having))]
    return lines


def list_values(values, count):
    """The values by program: one when all of count programs have it, else each with its programs."""
    if len(values) == count and len(set(values.values())) == 1:
        return next(iter(values.values())) or 'none'
    parts = []
    for value in dict.fromkeys(values.values()):
        programs = [p.removeprefix('dlearn-') for p in values if values[p] == value]
        parts.append(f'{value or "none"} ({", ".join(programs)})')
    return '; '.join(parts)


def write_page():
    """All groups, in the order in which the programs show them."""
    programs = {program: read_help(program) for program in PROGRAMS}
    groups = []
    for shown in programs.values():
        groups += [group for group in shown if group not in groups]
    assert len(groups) > 5, groups
    lines = []
    for group in groups:
        lines += write_group(group, programs)
    return '\n'.join(lines).lstrip('\n') + '\n\n'


def main():
    """Write the page if asked for, and compare it."""
    path = os.path.join(os.environ['DLEARN_MANUAL'], 'options.rst')
    with open(path, encoding='utf-8') as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    wanted = before + BEGIN + '\n' + write_page() + END + rest.split(END)[1]
    if 'DLEARN_UPDATE_MANUAL' in os.environ and page != wanted:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(wanted)
        page = wanted
    if page != wanted:
        there = set(page.splitlines())
        print('doc/options.rst is not what --help says; write it with DLEARN_UPDATE_MANUAL=1. New:')
        print('\n'.join(line for line in wanted.splitlines() if line not in there))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
