#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The pages doc/options/PROGRAM.rst list the options that --help shows, with their defaults.

With DLEARN_UPDATE_MANUAL in the environment they are written before they are compared. It needs the
folders DLEARN_PROGRAMS and DLEARN_MANUAL, which ctest sets.
"""

import os
import re
import subprocess
import sys

# The programs that share one set of options.
PROGRAMS = ('dlearn-wireless-edge', 'dlearn-ldp-online', 'dlearn-gradient-tracking', 'dlearn-fedavg',
            'dlearn-cafcor')
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


def write_page(program):
    """The page of a program: a table for each group, in the order of --help."""
    groups = read_help(program)
    assert len(groups) > 5, groups
    lines = ['.. SPDX-License-Identifier: GPL-2.0-only', '', program, '-' * len(program)]
    for group, options in groups.items():
        lines += ['', group, '*' * len(group), '', '.. list-table::', '   :header-rows: 1',
                  '   :widths: 20 60 20', '', '   * - Option', '     - Meaning', '     - Default']
        for name, (text, default) in options.items():
            lines += [f'   * - ``--{name}``', '     - ' + escape(text),
                      '     - ' + (f'``{default}``' if default else 'none')]
    return '\n'.join(lines) + '\n'


def main():
    """Write the pages if asked for, and compare them."""
    failed = 0
    for program in PROGRAMS:
        path = os.path.join(os.environ['DLEARN_MANUAL'], 'options', program + '.rst')
        wanted = write_page(program)
        if 'DLEARN_UPDATE_MANUAL' in os.environ:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(wanted)
        with open(path, encoding='utf-8') as file:
            page = file.read()
        if page != wanted:
            there = set(page.splitlines())
            print(f'{path} is not what --help says; write it with DLEARN_UPDATE_MANUAL=1. New:')
            print('\n'.join(line for line in wanted.splitlines() if line not in there))
            failed = 1
    return failed


if __name__ == '__main__':
    sys.exit(main())
