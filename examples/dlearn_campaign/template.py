# SPDX-License-Identifier: GPL-2.0-only
"""The template of dlearn's pages (helper/report), and pages made from it."""

import glob
import json
import math
import os
import sys


def read_text(*names):
    with open(os.path.join(*names), encoding='utf-8') as file:
        return file.read()


def read_template():
    """The template that the build has joined, or that was installed; else one without charts from the
    sources."""
    examples = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for here in (os.path.dirname(os.path.abspath(sys.argv[0])), examples):
        for place in ('..', '../build', '../share/dlearn'):
            if os.path.exists(os.path.join(here, place, 'dlearn-page.html')):
                return read_text(here, place, 'dlearn-page.html')
    folder = os.path.join(examples, '..', 'helper', 'report')
    scripts = ''.join(map(read_text, sorted(glob.glob(os.path.join(folder, 'dlearn-page-*.js')))))
    page = read_text(folder, 'dlearn-page.html').replace('<!--SCRIPT-->', scripts)
    return page.replace('<!--STYLE-->', read_text(folder, 'dlearn-page.css'))


def fit(value):
    """A value for JSON, which has neither infinity nor NaN."""
    if isinstance(value, dict):
        return {name: fit(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [fit(member) for member in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else 'inf' if value > 0 else '-inf'
    return value


def make_page(data):
    """The page that draws the data; nothing in them may look like an end tag."""
    text = json.dumps(fit(data), ensure_ascii=False, separators=(',', ':')).replace('<', '\\u003c')
    return read_template().replace('<!--DATA-->', text)
