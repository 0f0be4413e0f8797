#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What test/benchmark/run.sh makes of the rows of benchmarks: dlearn-benchmark-table.py."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

TABLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                     'benchmark', 'dlearn-benchmark-table.py')
HEADER = 'case,unit,median,low,high,reference,ratio,ratio_low,ratio_high,wanted'


class BenchmarkTable(unittest.TestCase):
    """Benchmarks that print what a test wants."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.saved = os.path.join(self.folder.name, 'saved.csv')

    def write(self, name, *rows):
        """Make a benchmark."""
        path = os.path.join(self.folder.name, f'dlearn-{name}-benchmark')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\ncat <<END\n' + '\n'.join((HEADER,) + rows) + '\nEND\n')
        os.chmod(path, 0o755)

    def run_table(self, *options):
        """Run the script: status, output, errors."""
        done = subprocess.run([sys.executable, TABLE, self.folder.name, *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_prints_all_rows_and_what_is_not_as_wanted(self):
        """One table of all benchmarks, after a line about the machine."""
        self.write('one', 'UDP,s,0.15,0.14,0.2,UdpClient,1.2,1.1,1.3,1.05', 'pass,ms,3,2,4,,,,,')
        self.write('two', 'TCP,s,0.5,0.4,0.6,BulkSend,1.1,1,1.2,')
        status, out, _ = self.run_table()
        self.assertEqual(status, 0)
        for text in ('UDP', '(0.14 to 0.2)', '(1.1 to 1.3)', 'UdpClient', 'pass', 'TCP'):
            self.assertIn(text, out)
        self.assertIn('above what is wanted: UDP, 1.2 > 1.05', out)
        self.assertNotIn('above what is wanted: TCP', out)
        status, out, _ = self.run_table('--only=two')
        self.assertNotIn('UDP', out)

    def test_fails_where_a_ratio_has_grown_beyond_the_tolerance(self):
        """--against compares ratios, not times."""
        self.write('one', 'UDP,s,0.15,0.14,0.2,UdpClient,1.20,1.1,1.3,', 'pass,ms,3,2,4,,,,,')
        self.assertEqual(self.run_table('--save=' + self.saved)[0], 0)
        with open(self.saved, encoding='utf-8') as file:
            self.assertEqual([row['ratio'] for row in csv.DictReader(file)], ['1.20', ''])
        self.write('one', 'UDP,s,9,8,9,UdpClient,1.37,1.1,1.4,', 'pass,ms,30,2,40,,,,,')
        self.assertEqual(self.run_table('--against=' + self.saved)[0], 0)  # 1.2 x 1.15 = 1.38
        status, _, errors = self.run_table('--against=' + self.saved, '--tolerance=0.1')
        self.assertEqual(status, 1)
        self.assertIn('slower than before: UDP: 1.37 x UdpClient, was 1.20', errors)

    def test_refuses_what_makes_no_sense(self):
        """One line, before anything runs."""
        self.write('one')
        with open(self.saved, 'w', encoding='utf-8') as file:
            file.write('a,b\n1,2\n')
        for option, text in [('--only=three', '--only must be of one, got three'),
                             ('--against=' + self.saved, 'must be a file of --save'),
                             ('--against=/nowhere', 'No such file')]:
            status, _, errors = self.run_table(option)
            self.assertEqual(status, 1)
            self.assertIn(text, errors)
            self.assertEqual(len(errors.splitlines()), 1)


if __name__ == '__main__':
    unittest.main()
