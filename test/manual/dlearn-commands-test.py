#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run what a page of the manual says: dlearn-commands-test.py PAGE.rst

Of each page,

* blocks "code-block:: bash" are run by bash, one after the other, in an empty folder, with the
  programs of DLEARN_PROGRAMS in PATH, and this checkout for ~/dlearn; a command that fails is an
  error;
* each line of a block "code-block:: text" must be printed by the commands before it; "..." stands
  for lines, or the rest of a line, that are left out;
* blocks "code-block:: c++" must be in a file of examples/.

A comment before a block ".. needs: NAME..." lists programs, modules of Python, environment variables
and files below DLEARN_DATA, without which the block is skipped. Exit status 77 when one was, which
ctest shows.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r'(?:^ *\.\. needs: (?P<needs>.*)\n\n)?'
                   r'^(?P<indent> *)\.\. code-block:: (?P<language>\S+)\n\n'
                   r'(?P<text>(?:(?P=indent) +.*\n|\n)+)', re.MULTILINE)
COMMAND = re.compile(r'^ +(?:\w+=\S+ )*(?:build/examples/)?(?:dlearn-|examples/)')


class Page:
    """Runs the blocks of a page in the order of the page."""

    def __init__(self, folder):
        self.folder = folder
        self.printed = []
        self.skipped = []
        self.errors = []

    def run(self, text):
        """Run each block, and look for commands that are in none."""
        text += '\n'
        for block in BLOCK.finditer(text):
            needs = (block['needs'] or '').split()
            missing = [name for name in needs if not has(name)]
            content = textwrap.dedent(block['text']).strip('\n') + '\n'
            content = re.sub(r'(~|\$HOME)/dlearn', ROOT, content)
            if missing:
                self.skipped.append(f'without {", ".join(missing)}: {content}')
            elif block['language'] == 'bash':
                self.run_commands(content)
            elif block['language'] == 'text':
                self.find_lines(content)
            elif block['language'] == 'c++':
                self.find_source(content)
        for line in BLOCK.sub('', text).splitlines():
            if COMMAND.match(line):
                self.errors.append(f'no "code-block:: bash" around: {line.strip()}')

    def run_commands(self, commands):
        """Run a script and keep what it prints."""
        done = subprocess.run(['bash', '-e', '-u', '-o', 'pipefail', '-c', commands],
                              cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=300)
        self.printed = [squeeze(line) for line in (done.stdout + done.stderr).splitlines()]
        if done.returncode != 0:
            self.errors.append(f'exit status {done.returncode}: {commands}{done.stdout[-500:]}'
                               f'{done.stderr[-500:]}')

    def find_lines(self, lines):
        """Compare the lines of an output, but not the number of spaces."""
        for line in map(squeeze, lines.splitlines()):
            if line.endswith('...'):
                found = any(printed.startswith(line[:-3].rstrip()) for printed in self.printed)
            else:
                found = not line or line in self.printed
            if not found:
                self.errors.append(f'"{line}" is not printed, but\n' + '\n'.join(self.printed[-30:]))

    def find_source(self, source):
        """Compare with the examples, but not the indentation of the block as a whole."""
        for name in sorted(os.listdir(os.path.join(ROOT, 'examples'))):
            if name.endswith('.cc'):
                with open(os.path.join(ROOT, 'examples', name), encoding='utf-8') as file:
                    text = file.read()
                if any(textwrap.indent(source, ' ' * depth) in text for depth in (0, 4, 8)):
                    return
        self.errors.append(f'is in no file of examples/:\n{source}')


def squeeze(line):
    """A line without the spaces that make it a column."""
    return ' '.join(line.split())


def has(name):
    """Whether there is a program, a module, a variable or a file of data."""
    data = os.environ.get('DLEARN_DATA')
    return (shutil.which(name) or name in os.environ
            or subprocess.run(['python3', '-c', f'import {name}'], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
            or (data is not None and os.path.exists(os.path.join(data, name)))
            or os.path.exists(os.path.join(os.environ['DLEARN_PROGRAMS'], name)))


def main():
    """Test the page that the command line names."""
    with open(sys.argv[1], encoding='utf-8') as file:
        text = file.read()
    # Debian's Python, which has what Debian's packages install, is not always the first one.
    os.environ['PATH'] = os.pathsep.join([os.environ['DLEARN_PROGRAMS'], os.path.join(ROOT, 'examples'),
                                          '/usr/bin', os.environ['PATH']])
    with tempfile.TemporaryDirectory() as folder:
        page = Page(folder)
        page.run(text)
    for skipped in page.skipped:
        print('skipped', skipped)
    for error in page.errors:
        print('error:', error)
    return 1 if page.errors else 77 if page.skipped else 0


if __name__ == '__main__':
    sys.exit(main())
