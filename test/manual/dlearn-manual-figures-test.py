#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figures of the manual and what makes them: doc/figures/figures.json has all figures and no
other, doc/reproduction.rst shows each and names its command, and the programs take the options of the
studies and of the campaigns in examples/campaigns, of which some cells are run for a round, on generated
data.

It needs the folders DLEARN_MANUAL and DLEARN_PROGRAMS, which ctest sets.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MANUAL = pathlib.Path(os.environ['DLEARN_MANUAL'])
PROGRAMS = pathlib.Path(os.environ['DLEARN_PROGRAMS'])
CAMPAIGNS = MANUAL.parent / 'examples' / 'campaigns'
OTHERS = {'icon'}  # drawn by hand
SMALL = {'mnist': {'data': 'glyphs', 'data-samples': '1000'}, 'mushrooms': {'data': 'generated'}}
sys.dont_write_bytecode = True  # not into the source tree
sys.path[:0] = [str(MANUAL / 'figures'), str(MANUAL.parent / 'examples')]
import figures  # noqa: E402
from dlearn_campaign.spec import Campaign  # noqa: E402


def check_names(entries):
    """Figures and campaigns that are missing somewhere."""
    text = (MANUAL / 'reproduction.rst').read_text(encoding='utf-8')
    drawn = {path.stem for path in (MANUAL / 'figures').glob('*.svg')} - OTHERS
    made = {figure for entry in entries.values() for figure in entry['figures']}
    shown = set(re.findall(r'figures/([\w-]+)\.svg', text))
    yield from (f'{name}.svg is not in figures.json' for name in sorted(drawn - made))
    yield from (f'{name}.svg is in figures.json only' for name in sorted(made - drawn))
    yield from (f'{name}.svg is not in reproduction.rst' for name in sorted(made - shown))
    yield from (f'reproduction.rst does not name "figures.py {name}"' for name in entries
                if not re.search(rf'figures\.py {name}\b(?!-)', text))


def choose(cells):
    """So many cells that each value of each coordinate is in one of them."""
    seen = set()
    for cell in cells:
        own = set(cell.coordinates.items())
        if cell.reason is None and not own <= seen:
            seen |= own
            yield cell


def get_commands(entries):
    """Name and words of what is to be accepted."""
    for name, entry in entries.items():
        if 'study' in entry:
            program, *options = shlex.split(entry['study'])
            yield name, [str(PROGRAMS / 'study' / program), *options, '--help']
    for path in sorted(CAMPAIGNS.glob('*.json')):
        campaign = Campaign(path.read_text(encoding='utf-8'))
        for cell in choose(campaign.cells):
            options = {**cell.get_options(str(CAMPAIGNS)), 'rounds': '1'}
            if 'runs' in options:
                options['runs'] = '2'
            if options.get('data') in SMALL:
                options.update(SMALL[options['data']])
            yield f'{path.stem}: {cell.describe()}', [
                str(PROGRAMS / cell.program), *(f'--{key}={value}' for key, value in options.items())]


def run(command):
    """The last line on stderr of a command that fails."""
    with tempfile.TemporaryDirectory() as folder:
        if '--help' not in command:
            command = [*command, f'--out={folder}/out']
        child = subprocess.run(command, capture_output=True, text=True, check=False)
    return '' if child.returncode == 0 else (child.stderr.strip() or 'it fails').splitlines()[-1]


def main():
    """Compare and run; print what is wrong."""
    entries = figures.read_entries()
    faults = list(check_names(entries))
    names, commands = zip(*get_commands(entries))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(zip(names, pool.map(run, commands)))
    faults += [f'{name}: {answer}' for name, answer in answers
               if answer and "got 'lte'" not in answer]  # of an ns-3 without this module
    print('\n'.join(faults))
    print(f'{len(commands)} commands')
    return int(bool(faults))


if __name__ == '__main__':
    sys.exit(main())
