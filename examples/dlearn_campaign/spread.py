# SPDX-License-Identifier: GPL-2.0-only
"""How numbers of several seeds spread around their mean."""

import functools
import math
import statistics

BANDS = {'range': 'lowest to highest', 'sd': 'standard deviation to either side',
         'ci': '95 % interval of the mean'}


def find_tail(t, freedom):
    """The probability that Student's t is beyond t in either direction: the incomplete beta function
    I_x(n/2, 1/2) at x = n / (n + t^2), by its continued fraction (DLMF 8.17.22)."""
    def fraction(x, a, b):
        value = 1
        for k in range(400, 0, -1):
            m = k // 2
            term = (-(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1)) if k % 2
                    else m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m)))
            value = 1 + term * x / value
        return 1 / (a * value)

    x, rest, half = freedom / (freedom + t * t), t * t / (freedom + t * t), freedom / 2
    beta = math.exp(math.lgamma(half) + math.lgamma(0.5) - math.lgamma(half + 0.5))
    front = x ** half * math.sqrt(rest) / beta
    if x < (half + 1) / (half + 2.5):
        return front * fraction(x, half, 0.5)
    return 1 - front * fraction(rest, 0.5, half)


@functools.lru_cache(None)
def find_t(freedom):
    """The t that 95 % of Student's law are within."""
    low, high = 0, 20
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if find_tail(middle, freedom) > 0.05 else (low, middle)
    return low


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
