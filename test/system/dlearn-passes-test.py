#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""dlearn-passes beside passes that Skyfield's manual publishes, and beside Skyfield itself, if it is there.

Without the library sgp4 it is skipped (exit status 77).
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / 'examples' / 'dlearn-passes'
LINES = ('1 25544U 98067A   14020.93268519  .00009878  00000-0  18200-3 0  5082',
         '2 25544  51.6498 109.4756 0003572  55.9686 274.8005 15.49815350868473')
BLUFFTON = '40.8939,-83.8917'


def run(*options, lines=LINES):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'iss.tle'
        path.write_text('ISS (ZARYA)\n' + '\n'.join(lines) + '\n', encoding='ascii')
        return subprocess.run([sys.executable, TOOL, f'--elements={path}', '--begin=2014-01-23T00:00:00', *options],
                              text=True, capture_output=True, check=False)


def read(*options):
    return [[float(part) for part in line.split(',')] for line in run(*options).stdout.splitlines()]


class PassesTest(unittest.TestCase):
    def test_published_passes(self):
        # "Finding when a satellite rises and sets" in Skyfield's manual, whole seconds:
        # 06:25:37 to 06:28:19, and 12:54:56 to 12:57:58.
        windows = read(f'--station={BLUFFTON}', '--mask=30')
        self.assertEqual([window[:2] for window in windows], [[0, 1], [0, 1]])
        for window, (begin, end) in zip(windows, ((23137, 23299), (46496, 46678))):
            self.assertAlmostEqual(window[2], begin, delta=1)
            self.assertAlmostEqual(window[3], end, delta=1)

    @unittest.skipUnless(importlib.util.find_spec('skyfield'), 'needs the library skyfield')
    def test_skyfield(self):
        import numpy
        from skyfield.api import EarthSatellite, load, wgs84
        scale = load.timescale(builtin=True)
        satellite = EarthSatellite(*LINES, ts=scale)
        begin = scale.utc(2014, 1, 23)
        for place in ((40.8939, -83.8917, 0), (-33.9, 18.4, 1000)):
            station = wgs84.latlon(*place[:2], elevation_m=place[2])
            times, kinds = satellite.find_events(station, begin, begin + 1, altitude_degrees=5)
            seconds = [86400 * (time - begin) for time in times]
            windows = read(f'--station={",".join(map(str, place))}', '--mask=5', '--processing=1')
            self.assertEqual(len(windows), list(kinds).count(0))
            self.assertGreaterEqual(len(windows), 3)
            for k, (_, _, start, end, delay) in enumerate(windows):
                # Its Earth has polar motion, nutation and UT1, 100 m: 0.02 s; flat passes ten times that.
                self.assertAlmostEqual(start, seconds[list(kinds).index(0) + 3 * k], delta=0.5)
                self.assertAlmostEqual(end, seconds[list(kinds).index(0) + 3 * k + 2], delta=0.5)
                moments = begin + (start + (end - start) * (numpy.arange(100) + 0.5) / 100) / 86400
                mean = (satellite - station).at(moments).distance().km.mean()
                self.assertAlmostEqual(delay - 1, mean / 299792.458, delta=0.01 * mean / 299792.458)

    def test_numbers_of_learners(self):
        windows = read(f'--station={BLUFFTON}', '--station=0,0', '--hours=12')
        self.assertEqual({tuple(window[:2]) for window in windows}, {(0, 2), (1, 2)})

    def test_refuses_mistakes(self):
        for options, lines, message in (
                ([f'--station={BLUFFTON}'], LINES[:1], 'must have pairs of lines 1 and 2 of a satellite'),
                ([f'--station={BLUFFTON}'], (LINES[0][:-1] + '3', LINES[1]), 'checksum'),
                (['--station=91,0'], LINES, "station must be LAT,LON or LAT,LON,METRES"),
                ([f'--station={BLUFFTON}', '--mask=90'], LINES, 'mask at least -5 and below 90'),
                ([f'--station={BLUFFTON}', '--processing=inf'], LINES, 'processing at least 0 and finite')):
            result = run(*options, lines=lines)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count('\n')), (1, '', 1), result.stderr)
            self.assertIn(message, result.stderr)


if __name__ == '__main__':
    if not importlib.util.find_spec('sgp4'):
        print('skipped: needs the library sgp4')
        sys.exit(77)
    unittest.main()
