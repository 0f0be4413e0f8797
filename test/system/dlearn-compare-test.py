#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""dlearn-compare, on results that are made here: names, tables and sentences beside numbers by hand.

The page has the same tables from its own scripts; dlearn-page-test.py compares them.
"""

import contextlib
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / 'examples' / 'dlearn-compare'
sys.path.insert(0, str(ROOT / 'examples'))
sys.dont_write_bytecode = True
from dlearn_campaign import comparison, spread  # noqa: E402
from dlearn_campaign.spec import Refusal  # noqa: E402

HEADER = ('time_s,round,node,role,loss,accuracy,error,consensus,epsilon,epsilon_nominal,expected,received,late,'
          'lost,rejected,tx_bytes,rx_bytes,compute_s,round_s').split(',')


def make_round(k, accuracy, **more):
    """A line of results.jsonl: two learners, rounds of 100 ms in which they send 400 bytes."""
    values = {'loss': 1 / (k + 1), 'accuracy': accuracy}
    bands = {f'{name}_{end}': value for name, value in values.items() for end in ('low', 'high')}
    return {'round': k, 'time_s': 0.1 * (k + 1), 'learners': 2, **values, **bands,
            'epsilon': 0.5 * (k + 1) + 0.25, 'epsilon_nominal': 0.5 * (k + 1), 'tx_bytes': 400 * (k + 1),
            'rx_bytes': 400 * (k + 1), **more}


class CompareTest(unittest.TestCase):
    """A folder for each test, in which runs are written."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='dlearn-compare-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write_run(self, name, run, accuracies, rounds=None, rows=None, columns=(), **summary):
        """Results of a run whose network has the name; return their folder."""
        folder = self.folder / f'{name}-{run}'
        folder.mkdir()
        rounds = rounds or [make_round(k, accuracy) for k, accuracy in enumerate(accuracies)]
        if rows is None:
            rows = [{'time_s': line['time_s'], 'round': line['round'], 'node': node, 'role': 'peer',
                     'expected': 2, 'compute_s': 0.002, 'round_s': 0.01, 'loss': 0.5}
                    for line in rounds for node in (0, 1)]
        (folder / 'results.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in rounds))
        with open(folder / 'rounds.csv', 'w', encoding='utf-8', newline='') as file:
            writer = csv.DictWriter(file, [*HEADER, *columns], lineterminator='\n')
            writer.writeheader()
            writer.writerows({**dict.fromkeys(('expected', 'compute_s', 'round_s'), 0), **row} for row in rows)
        whole = {'program': 'dlearn-demo', 'command': 'dlearn-demo', 'status': 'complete', 'seed': 3,
                 'run': run, 'parameters': {'network': name, 'rounds': '3'}, 'without_effect': [],
                 'attributes': {}, 'globals': {}, 'warnings': [],
                 'totals': {'closed_rounds': len(rows)}, 'wall_s': 1,
                 'final': {'epsilon_max': rounds[-1].get('epsilon')}, **summary}
        (folder / 'summary.json').write_text(json.dumps(whole))
        return str(folder)

    def read(self, *folders):
        """The groups of some runs."""
        runs = [comparison.Run(folder) for folder in folders]
        comparison.name_by_differences(runs)
        return comparison.group_runs(runs)

    def four_runs(self):
        return [self.write_run(name, run, 3 * [accuracy]) for name, run, accuracy in (
            ('ideal', 1, 0.9), ('ideal', 2, 0.8), ('wifi', 1, 0.8), ('wifi', 2, 0.6))]

    def find_table(self, groups, title, target=None):
        return next(rows for name, rows in comparison.make_tables(groups, target) if name.startswith(title))

    def test_text(self):
        """The program, from outside."""
        done = subprocess.run([TOOL, '--target=accuracy:0.8', f'--out={self.folder}/c.html', *self.four_runs()],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, '')
        begin, _, text = done.stdout.partition('\n\n')
        self.assertEqual(begin, '4 runs of 2 configurations')
        self.assertTrue(text.startswith(
            'The best mean accuracy at the end is 0.85, of network=ideal. By a paired t-test its difference '
            'from network=wifi (p = 0.2048, 2 pairs) may be chance.\n\nAt the last evaluated round\n  figure '),
            text)
        self.assertIn('\nSettings that differ\n  setting  network=ideal  network=wifi\n'
                      '  network  ideal          wifi\n\n', text)
        self.assertIn('\n  time (s)            network=wifi   1 of 2      0.1 ', text)
        self.assertTrue(text.endswith('\n\nA difference with a p below 0.05 is unlikely to be chance.\n\n'
                                      f'Comparison: {self.folder}/c.html\n'), text)
        self.assertNotIn(' \n', text)
        page = (self.folder / 'c.html').read_text(encoding='utf-8')
        data = json.loads(re.search('id="data">(.*)</script>', page)[1])
        self.assertEqual(data['target'], {'metric': 'accuracy', 'value': 0.8})
        self.assertEqual(data['runs'][3]['summary']['run'], '2')
        self.assertNotIn('wall_s', data['runs'][3]['summary'])
        self.assertEqual(data['runs'][3]['rounds']['accuracy'], [0.6, 0.6, 0.6])

    def test_bands_costs_and_tests(self):
        groups = self.read(*self.four_runs())
        # Of 0.9 and 0.8, and of 0.8 and 0.6, with t = 12.7062 of one degree of freedom.
        last = self.find_table(groups, 'At the last')
        self.assertEqual(last[3][1:], ['network=ideal', '2', '0.85', '0.07071', '0.2147 to 1.485', '0.8', '0.9'])
        self.assertEqual(last[4][1:], ['network=wifi', '2', '0.7', '0.1414', '-0.5706 to 1.971', '0.6', '0.8'])
        self.assertEqual(last[6][:4], ['time (s)', 'network=wifi', '2', '0.3'])
        cost = self.find_table(groups, 'Cost of accuracy 0.8', ('accuracy', 0.8))
        self.assertEqual([row[2] for row in cost[1:3]], ['2 of 2', '1 of 2'])
        # Differences -0.1 and -0.2: t = -3 with one degree of freedom, p = 0.2048 (law of Cauchy).
        test = self.find_table(groups, 'Difference in the last accuracy from network=ideal')
        self.assertEqual(test[1][1:3] + test[1][4:], ['2', '-0.15', '0.205'])

    def test_what_a_target_costs(self):
        """Of the first round that reaches it, and of complete runs only."""
        slow = [make_round(k, 0, time_s=time) for k, time in enumerate((10, 20, 3, 4))]
        groups = self.read(self.write_run('a', 1, (0.2, 0.4, 0.6, 0.8)),
                           self.write_run('a', 2, (0.15, 0.3, 0.45, 0.6)), self.write_run('slow', 1, (), slow))
        self.assertEqual(comparison.find_common_target(groups[:1]), ('accuracy', 0.6))
        self.assertIsNone(comparison.find_common_target(groups))
        cost = comparison.make_cost(groups[:1], 'accuracy', 0.6)
        self.assertEqual([row[:4] + row[6:] for row in cost[1:]], [
            ['time (s)', 'network=a', '2 of 2', '0.35', '0.3', '0.4'],
            ['round', 'network=a', '2 of 2', '2.5', '2', '3'],
            ['sent', 'network=a', '2 of 2', '1.4 kB', '1.2 kB', '1.6 kB'],
            ['epsilon until then', 'network=a', '2 of 2', '2', '1.75', '2.25']])
        # Round 2 ends before round 1.
        self.assertEqual(comparison.make_cost(groups[1:], 'loss', 0.5)[1][2:4], ['3', '2'])
        self.assertEqual(comparison.make_cost(groups[1:], 'loss', 0.3)[1][2:4], ['4', '3'])
        names, values = self.find_table(groups[1:], 'At the last')
        self.assertEqual(values[names.index('time (s)')], '20')  # when all rounds had ended

    def test_where_the_time_goes(self):
        """Rounds of 10 ms. Without phases the rest of the time is one part."""
        def rows(compute, phased):
            return [{'time_s': 0.01 * (k + 1), 'round': k, 'node': node, 'role': 'peer', 'expected': 2,
                     'loss': 1, 'compute_s': compute, 'round_s': 0.01,
                     **(dict(zip(phases, (0.001, 0.002, 0, 0.003 + 0.001 * node))) if phased else {})}
                    for k in range(3) for node in (0, 1)]
        phases = ('queue_s', 'air_s', 'retransmission_s', 'wait_s')
        folders = [self.write_run('slow', 1, 3 * [0.9], rows=rows(0.004, True), columns=phases),
                   self.write_run('fast', 1, 3 * [0.9], rows=rows(0.002, False)),
                   self.write_run('slow', 2, 3 * [0.9], rows=rows(0.006, True), columns=phases)]
        times = self.find_table(self.read(*folders[:2]), 'Where the time')
        self.assertEqual(times[1:], [
            ['network=slow', 'peer', '0.004', '0.001', '0.002', '0', '0.0035', '', '0.0105'],
            ['network=fast', 'peer', '0.002', '', '', '', '', '0.008', '0.01']])
        # Of several runs the parts of a group stand below one another.
        several = self.find_table(self.read(folders[0], folders[2]), 'Where the time')[1:]
        self.assertEqual(several[0], ['dlearn-demo', 'peer', 'computing', '0.005', '0.001414',
                                      '-0.007706 to 0.01771', '0.004', '0.006'])
        self.assertEqual([row[2:4] for row in several][5:], [['in all', '0.0115']])

    def test_joules_where_they_are_measured(self):
        measured = [make_round(k, 0.3 * (k + 1), energy_j=2.5 * (k + 1)) for k in range(3)]
        groups = self.read(self.write_run('ideal', 1, (), measured), self.write_run('wifi', 1, 3 * [0.8]))
        cost = comparison.make_cost(groups, 'accuracy', 0.5)
        self.assertEqual([row[5] for row in cost], ['energy (J)', '5', ''])
        plain = comparison.make_cost(groups[1:], 'accuracy', 0.5)
        self.assertNotIn('energy (J)', comparison.write_table('', plain))

    def test_what_privacy_costs(self):
        """Of the two runs without privacy the one is chosen that differs less from the private one."""
        def write(name, accuracy, epsilon, idle=(), **parameters):
            return self.write_run(name, 1, 3 * [accuracy], parameters={
                'network': 'p2p', **{key.replace('_', '-'): value for key, value in parameters.items()}},
                without_effect=list(idle), final={'epsilon_max': epsilon})
        far = write('far', 0.95, None, ['target-epsilon'], target_epsilon='27.8', threat_model='none',
                    rounds='9')
        plain = write('plain', 0.9, None, ['target-epsilon'], target_epsilon='27.8', threat_model='none')
        noisy = write('noisy', 0.6, 1.75, target_epsilon='8', threat_model='cdp')
        groups = self.read(far, plain, noisy)
        self.assertEqual(self.find_table(groups, 'What privacy')[1:], [
            [groups[2].name, groups[1].name, 'nothing else', '1.75', '0.6', '0.9']])
        self.assertEqual(self.find_table(self.read(far, plain), 'Settings')[1:], [['rounds', '9', '-']])
        # An option without effect in one of them is no difference where its value is the same.
        left = write('left', 0.9, None, ['delta'], threat_model='none', delta='1e-5')
        right = write('right', 0.6, 1.75, threat_model='cdp', delta='1e-5', step_size='8')
        groups = self.read(left, right)
        self.assertEqual(self.find_table(groups, 'Settings')[1:],
                         [['threat-model', 'none', 'cdp'], ['step-size', '-', '8']])
        self.assertEqual(self.find_table(groups, 'What privacy')[1][2], 'step-size')

    def test_why_there_is_no_test(self):
        one = self.read(self.write_run('ideal', 1, [0.9]), self.write_run('wifi', 2, [0.8]))
        self.assertEqual(self.find_table(one, 'Difference')[1][-1], 'no test: 0 pairs of the same seed')
        # The differences agree in eleven digits, as numbers that are so much larger allow no more.
        self.assertNotEqual(30.301 - 30.3, 70.101 - 70.1)
        same = self.read(*[self.write_run(name, run, [value]) for name, run, value in (
            ('a', 1, 30.3), ('a', 2, 70.1), ('b', 1, 30.301), ('b', 2, 70.101))])
        self.assertEqual(self.find_table(same, 'Difference')[1][-1], 'no test: the same difference in all pairs')
        equal = self.read(*[self.write_run(name, run, [0.9]) for name, run in (('c', 1), ('d', 1))])
        self.assertEqual(comparison.describe_best(equal), 'The best mean accuracy at the end is 0.9, of all.')

    def test_doubts_more_where_there_are_more_tests(self):
        """Of 20 pairs with a difference of 0.1 +- 0.2, p is between 0.05 / 2 and 0.05: enough for one test."""
        folders = []
        for run in range(1, 21):
            folders += [self.write_run('ideal', run, [0.8]),
                        self.write_run('wifi', run, [0.9 if run % 2 == 0 else 0.5])]
        self.assertEqual(comparison.describe_best(self.read(*folders)),
                         'The best mean accuracy at the end is 0.8, of network=ideal.')
        three = comparison.describe_best(self.read(*folders, self.write_run('lte', 1, [0.1])))
        self.assertIn('its difference from network=wifi (p = 0.04', three)
        self.assertIn('too few runs of the same seeds to tell its difference from network=lte from chance.',
                      three)

    def test_what_cannot_be_compared(self):
        digits = self.write_run('ideal', 1, [0.9], parameters={'data': 'glyphs'})
        line = {name: value for name, value in make_round(0, 0).items() if not name.startswith('accuracy')}
        numbers = self.write_run('wifi', 1, (), [line], parameters={'data': 'linear-gaussian'})
        self.assertIn(' The runs differ in data, so that they learn different things. There is no accuracy of '
                      'data=linear-gaussian.', comparison.describe_best(self.read(digits, numbers)))

    def test_complete_runs_only(self):
        folders = [self.write_run('ideal', 1, 3 * [0.9]), self.write_run('ideal', 2, 3 * [0.7]),
                   self.write_run('ideal', 3, [0.1], status='failed')]
        folders += [self.write_run('wifi', run, 3 * [value]) for run, value in ((1, 0.6), (2, 0.5), (3, 0.5))]
        groups = self.read(*folders)
        self.assertEqual(comparison.describe_left_out(groups),
                         '1 of 6 runs is not complete and left out of means, costs and tests')
        self.assertTrue(comparison.describe_best(groups).startswith(
            'The best mean accuracy at the end is 0.8, of network=ideal.'))
        self.assertEqual([row[2] for row in self.find_table(groups, 'At the last')[1:3]], ['2 (1 left out)', '3'])
        self.assertEqual(self.find_table(groups, 'Cost of accuracy 0.5')[1][2], '2 of 2 (1 left out)')
        self.assertEqual(self.find_table(groups, 'Difference')[1][1], '2')
        failed = self.read(folders[2])
        self.assertEqual(comparison.describe_best(failed), 'No run is complete.')
        self.assertIsNone(comparison.find_common_target(failed))

    def test_names(self):
        """As many settings as it takes to tell runs apart; an attribute alone where no other has its name."""
        def names(*settings):
            runs = [comparison.Run(self.write_run(f'r{self.number}', k, [0.5], **{'parameters': {}, **more}))
                    for k, more in enumerate(settings)]
            self.number += 1
            comparison.name_by_differences(runs)
            return [run.name for run in runs]
        self.number = 0
        none, lossy = {'parameters': {'loss': '0'}}, {'parameters': {'loss': '0.1'}}
        self.assertEqual(names(none, lossy, {**none, 'attributes': {'ns3::dlearn::X::Y': '5'}},
                               {**none, 'program': 'dlearn-other'}),
                         ['program=dlearn-demo loss=0', 'program=dlearn-demo loss=0.1',
                          'program=dlearn-demo loss=0 Y=5', 'program=dlearn-other loss=0'])
        self.assertEqual(names({'attributes': {'ns3::TcpSocket::RcvBufSize': '65536'}},
                               {'attributes': {'ns3::UdpSocket::RcvBufSize': '65536'}}, {}),
                         ['ns3::TcpSocket::RcvBufSize=65536', 'ns3::UdpSocket::RcvBufSize=65536', 'defaults'])
        neutral = [{'parameters': dict.fromkeys(comparison.NEUTRAL, value), 'globals': {'RngRun': value}}
                   for value in '12']
        self.assertEqual(names(*neutral), ['dlearn-demo', 'dlearn-demo'])

    def test_damaged_results(self):
        """Also in refusals.txt."""
        folder = pathlib.Path(self.write_run('a', 1, [0.5, 0.6]))
        for name, old, new, message in (
                ('results.jsonl', '"round": 1', '"round": 0', 'results.jsonl:2: round 0 is there twice'),
                ('results.jsonl', '"round": 1', '"round": 5', 'one for each evaluated round'),
                ('results.jsonl', '{"round": 1', 'x', 'results.jsonl:2: must be a JSON object with'),
                ('rounds.csv', '0.002', 'x', "rounds.csv:2: 'x' is not a value of column compute_s"),
                ('summary.json', '"warnings": []', '"warnings": {}', "member 'warnings' is damaged: {}"),
                ('summary.json', '"status"', '"other"', "summary.json: no member 'status'")):
            with self.subTest(message):
                good = (folder / name).read_text()
                self.assertIn(old, good)
                (folder / name).write_text(good.replace(old, new))
                message = message.replace('one for each', 'must have a line for each')
                with self.assertRaisesRegex(Refusal, re.escape(message)):
                    comparison.Run(str(folder))
                (folder / name).write_text(good)

    def test_students_law(self):
        """Student (1908), "The probable error of a mean": additional hours of sleep of ten patients by two
        drugs. R's t.test(extra ~ group, paired = TRUE): df = 9, p = 0.002833, 95 % interval -2.4598858 to
        -0.7001142."""
        first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
        second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
        test, p = comparison.test_pairs([a - b for a, b in zip(first, second)])
        self.assertAlmostEqual(test.mean, -1.58, 12)
        self.assertAlmostEqual(test.interval[0], -2.4598858, 6)
        self.assertAlmostEqual(test.interval[1], -0.7001142, 6)
        self.assertAlmostEqual(p, 0.002833, 6)
        for none in ([], [1], [0.5, 0.5, 0.5], [0.6 - 0.5, 0.4 - 0.3]):
            self.assertIsNone(comparison.test_pairs(none))
        # Of two pairs the law is that of Cauchy; of three it has a closed form, too.
        self.assertAlmostEqual(comparison.test_pairs([1, 2])[1], 1 - 2 * math.atan(3) / math.pi, 12)
        for t in (0.1, 1, 30, 1e6):
            wanted = 1 - t / math.sqrt(2 + t * t) if t < 1e3 else 1 / t**2
            self.assertAlmostEqual(spread.find_tail(t, 2) / wanted, 1, 9)


if __name__ == '__main__':
    with contextlib.suppress(KeyboardInterrupt):
        os.environ.pop('DLEARN_PROGRAMS', None)
        unittest.main()
