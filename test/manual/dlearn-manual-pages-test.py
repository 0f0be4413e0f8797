#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx makes the pages of the manual (DLEARN_MANUAL), and Doxygen the reference of the classes,
without a warning.

Exit status 77 where one of the two is not installed, which ctest shows.
"""

import os
import shutil
import subprocess
import sys
import tempfile

MANUAL = os.environ['DLEARN_MANUAL']


def make_pages(out):
    """All pages, but no files."""
    return subprocess.run(['sphinx-build', '-q', '-W', '--keep-going', '-b', 'dummy', MANUAL, out],
                          check=False).returncode


def make_classes(out):
    """The Doxyfile, with another folder."""
    with open(os.path.join(MANUAL, 'Doxyfile'), encoding='utf-8') as file:
        settings = file.read() + f'OUTPUT_DIRECTORY = {out}\n'
    return subprocess.run(['doxygen', '-'], input=settings, text=True, check=False,
                          cwd=os.path.dirname(os.path.abspath(MANUAL))).returncode


def main():
    """Try both."""
    failed, skipped = False, False
    for program, make in (('sphinx-build', make_pages), ('doxygen', make_classes)):
        if shutil.which(program) is None:
            print(f'skipped: no {program}; doc/build.sh installs it')
            skipped = True
            continue
        with tempfile.TemporaryDirectory() as out:
            failed = make(out) != 0 or failed
    return 1 if failed else 77 if skipped else 0


if __name__ == '__main__':
    sys.exit(main())
