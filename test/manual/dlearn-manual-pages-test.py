#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx makes the pages of the manual (DLEARN_MANUAL) without a warning.

Exit status 77 where there is no Sphinx, which ctest shows.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sphinx = shutil.which('sphinx-build')
if sphinx is None:
    print('skipped: no Sphinx; on Debian: apt-get install python3-sphinx')
    sys.exit(77)
with tempfile.TemporaryDirectory() as out:
    sys.exit(subprocess.run([sphinx, '-q', '-W', '--keep-going', '-b', 'dummy', os.environ['DLEARN_MANUAL'], out],
                            check=False).returncode)
