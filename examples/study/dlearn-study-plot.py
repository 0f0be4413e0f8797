#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Draw the figures of the studies: for each FILE.figure.csv, or those in a DIR, a FILE.svg beside it.

    python3 examples/study/dlearn-study-plot.py DIR_OR_FILE...

Needs matplotlib; on Debian: apt-get install python3-matplotlib.
"""

import csv
import pathlib
import sys

# After Okabe and Ito, "Color universal design", 2008.
COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#8c8c8c']
MARKERS = 'os^Dv<>p'


def read(path):
    """Title, labels and axes by name, and the points of each series, in order."""
    with open(path, newline='', encoding='utf-8') as file:
        lines = list(csv.reader(file))
    about = {line[0]: line[1] for line in lines[:4]}
    about['range'] = [float(field) for field in lines[4][1:] if field]
    series = {}
    for line in lines[6:]:
        numbers = [float(field) if field else float('nan') for field in line[3:]]
        series.setdefault(tuple(line[:3]), []).append(numbers)
    return about, series


def draw(path):
    import matplotlib
    matplotlib.use('svg')
    matplotlib.rcParams['svg.hashsalt'] = 'dlearn'  # the same data make the same bytes
    from matplotlib import pyplot

    about, series = read(path)
    figure, axes = pyplot.subplots(figsize=(6.4, 4), layout='constrained')
    for (name, style, number), points in series.items():
        x, y, low, high = zip(*points)
        color = COLORS[int(number) % len(COLORS)]
        marker = MARKERS[int(number) % len(MARKERS)]
        if style == 'points':
            ends = [[a - b for a, b in zip(y, low)], [b - a for a, b in zip(y, high)]]
            bars = None if all(v != v for v in low) else ends
            axes.errorbar(x, y, bars, fmt=marker, markersize=4, color=color, label=name)
        else:
            few = marker if len(x) <= 30 and style == 'line' else None
            axes.plot(x, y, '--' if style == 'dashed' else '-', marker=few, markersize=4, color=color, label=name)
            axes.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0)
    axes.set(title=about['title'], xlabel=about['x'], ylabel=about['y'],
             xscale='log' if 'x' in about['log'] else 'linear',
             yscale='log' if 'y' in about['log'] else 'linear')
    if about['range']:
        axes.set_ylim(*about['range'])
    axes.grid(alpha=0.3)
    axes.legend(fontsize='small')
    target = path.with_name(path.name.replace('.figure.csv', '.svg'))
    figure.savefig(target, metadata={'Date': None})
    pyplot.close(figure)
    print(target)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (['-h'], ['--help']) else 2
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        for file in sorted(path.glob('*.figure.csv')) if path.is_dir() else [path]:
            draw(file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
