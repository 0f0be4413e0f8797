# SPDX-License-Identifier: GPL-2.0-only
"""How numbers of several seeds spread around their mean."""

import math
import statistics

BANDS = {'range': 'lowest to highest', 'sd': 'standard deviation to either side',
         'ci': '95 % interval of the mean'}


def find_t(freedom):
    """The t that 95 % of Student's law are within, by Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    low, high = 0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        odd = freedom % 2
        total, term = 0, math.cos(angle) if odd else 1
        for k in range(1 + odd, freedom, 2):
            total += term
            term *= math.cos(angle) ** 2 * k / (k + 1)
        share = math.sin(angle) * total
        share = 2 / math.pi * (angle + share) if odd else share
        low, high = (angle, high) if share < 0.95 else (low, angle)
    return math.tan(low) * math.sqrt(freedom)


def get_band(values, kind):
    """Ends of a band around the mean of some numbers, see BANDS; of one number just that."""
    if kind == 'range' or len(values) < 2:
        return min(values), max(values)
    mean = statistics.mean(values)  # fmean() fails when the sum is too large for a float
    try:
        width = statistics.stdev(values)
    except OverflowError:
        width = math.inf
    if kind == 'ci':
        width *= find_t(len(values) - 1) / math.sqrt(len(values))
    return mean - width, mean + width
