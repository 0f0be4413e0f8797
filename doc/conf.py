# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx: sphinx-build doc build/manual"""

import pathlib
import subprocess
import sys

DOC = pathlib.Path(__file__).resolve().parent

project = 'dlearn'
extensions = ['sphinx.ext.graphviz']
exclude_patterns = ['_build']
highlight_language = 'none'
graphviz_output_format = 'svg'

# The figure of the folders is drawn from the table in CONTRIBUTING.md.
(DOC / 'house.dot').write_text(
    subprocess.run([sys.executable, DOC.parent / 'test' / 'check-layers', '--dot'],
                   check=True, capture_output=True, text=True).stdout)
