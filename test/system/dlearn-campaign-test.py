#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of examples/campaign, from outside: with programs of dlearn, which DLEARN_PROGRAMS leads to,
and with scripts in their place that note when they begin and end.

Exit status 77 when tests were skipped, which ctest shows.
"""

import argparse
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, 'examples', 'campaign')
PROGRAMS = os.environ.get('DLEARN_PROGRAMS')
sys.path.insert(0, os.path.dirname(TOOL))
sys.dont_write_bytecode = True  # not into the source tree
from dlearn_campaign import spread  # noqa: E402
from dlearn_campaign.spec import Campaign, Refusal  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(TOOL), 'campaigns'))
import plot  # noqa: E402


def find_plotter():
    """A Python with matplotlib; Debian's is not always the first one."""
    for python in (sys.executable, '/usr/bin/python3'):
        if subprocess.run([python, '-c', 'import matplotlib'], capture_output=True,
                          check=False).returncode == 0:
            return python
    return None


PLOTTER = find_plotter()

# Notes in $NOTES; --fail=yes: fails, --fail=once: fails the first time; --hold=1: waits as long as
# $NOTES.hold exists.
SCRIPT = '''#!/bin/sh
for word; do
    case $word in
    --out=*) out=${word#--out=} ;;
    --fail=*) fail=${word#--fail=} ;;
    --hold=*) hold=${word#--hold=} ;;
    esac
done
id=${out##*/}
echo "begin $id" >>"$NOTES"
while [ "$hold" = 1 ] && [ -e "$NOTES.hold" ]; do
    sleep 0.05 || exit
done
case $fail in
yes) printf 'first line\\nthe disk is full\\n\\n' >&2; exit 3 ;;
once) [ "$(grep -c "begin $id" "$NOTES")" -gt 1 ] || exit 4 ;;
esac
printf 'round,value,empty,text\\n0,0.5,,1_0\\n1,inf,,99999999999999999999\\n' >"$out/rounds.csv"
printf '{"round":0,"time_s":0.5,"epsilon":1.5}\\n{"round":4,"time_s":2,"epsilon":"inf","loss":null}\\n' >"$out/results.jsonl"
echo '{"simulated_s": 2, "final": {"accuracy": 0.75, "epsilon_max": "inf"}, "warnings": ["so <so>"]}' >"$out/summary.json"
echo "end $id" >>"$NOTES"
'''

# Stands for ssh: executes here, in a folder beside it that has the name of the host.
SSH = '''#!/bin/sh
while true; do
    case $1 in
    -[olpiFS]) shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
HOME=$(dirname "$0")/$1
export HOME
cd "$HOME" || exit
shift
[ "$1" != -- ] || shift
exec sh -c "$*"
'''


class Folder(unittest.TestCase):
    """A folder with the script "probe" for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.spec = self.path('spec.json')
        self.out = self.path('out')
        self.environment = {**os.environ, 'NOTES': self.path('notes')}
        self.environment.pop('SHELL', None)  # there may be none, as in containers
        with open(self.path('probe'), 'w', encoding='utf-8') as file:
            file.write(SCRIPT)
        os.chmod(self.path('probe'), 0o755)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, spec):
        with open(self.spec, 'w', encoding='utf-8') as file:
            file.write(spec if isinstance(spec, str) else json.dumps(spec))

    def start(self, *arguments):
        return subprocess.Popen(
            [sys.executable, TOOL, self.spec, self.out, '--programs=' + self.folder, '--jobs=2',
             *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def run_tool(self, spec, *arguments):
        self.write(spec)
        child = self.start(*arguments)
        child.out, child.err = child.communicate(timeout=60)
        return child

    def query(self, sql):
        connection = sqlite3.connect(os.path.join(self.out, 'results.sqlite'))
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def read_page(self):
        """What index.html shows."""
        with open(os.path.join(self.out, 'index.html'), encoding='utf-8') as file:
            page = file.read()
        return json.loads(re.search('id="data">(.*)</script>', page)[1])['campaign']

    def notes(self, word):
        try:
            with open(self.path('notes'), encoding='utf-8') as file:
                return [line.split()[1] for line in file if line.startswith(word)]
        except FileNotFoundError:
            return []

    def wait_for(self, condition):
        for _ in range(1000):
            if condition():
                return
            time.sleep(0.01)
        self.fail('it did not happen within ten seconds')


class RefusalTest(Folder):
    """What makes no sense is refused in one line, and nothing is left behind."""

    def check(self, spec, message, *arguments):
        child = self.run_tool(spec, *arguments)
        self.assertEqual(child.returncode, 1, child.err)
        self.assertEqual(child.err.count('\n'), 1, child.err)
        self.assertIn(message, child.err)
        self.assertFalse(os.path.exists(self.out))

    def test_specs(self):
        self.check('{"program": ', 'spec.json: line 1, column 13: not JSON')
        good = {'program': 'probe', 'grid': {'a': [1, 2]}, 'seeds': [1]}
        self.check({**good, 'seeds': []}, 'spec.json: seeds must be a list of whole numbers')
        self.check({**good, 'program': 'nope'}, 'program nope is neither in')
        self.check({**good, 'program': './nope'}, 'program ./nope must be an executable file')
        for text, message in (
                ('{"seeds": [1], "seeds": [2]}', 'member "seeds" is there twice'),
                ('{"seeds": [NaN]}', 'a number must be finite, got NaN'),
                ('{"seeds": [' + 5000 * '1' + ']}',
                 'a whole number must have at most 100 digits, got 5000: 1111111111...'),
                ('[' * 100000, 'the SPEC must not be nested so deeply'),
                ('3', 'the SPEC must be an object or a list of objects, got 3'),
                ('[]', 'blocks must be a list of objects, got []')):
            with self.assertRaisesRegex(Refusal, re.escape(message)):
                Campaign(text)
        for change, message in (
                ({'sedes': [1]}, 'member "sedes" is unknown; it may have'),
                ({'program': 5}, 'program must be the name or path of a program, got 5'),
                ({'seeds': [-1]}, 'whole numbers of at least 0 and below 2^63, got [-1]'),
                ({'seeds': [2**63]}, 'and below 2^63, got [9223372036854775808]'),
                ({'seeds': [1, 1]}, 'seeds must be different, got [1, 1]'),
                ({'options': [1]}, 'options must be an object, got [1]'),
                ({'options': {'a b': 1}}, 'options: an option must be a name such as loss'),
                ({'options': {'--a': 1}}, 'without dashes before it, got "--a"'),
                ({'options': {'out': 'x'}}, 'option out is set by the campaign, from OUT'),
                ({'options': {'RngRun': 3}}, 'option RngRun is set by the campaign, from seeds'),
                ({'options': {'b': None}}, 'options: b must be a text, a number, true or false'),
                ({'grid': {'a': []}}, 'grid: a must be an object or a list with at least one value, got []'),
                ({'grid': {'a': 3}}, 'grid: a must be a list of values or an object of labels'),
                ({'grid': {'a': [1, 1]}}, 'grid: a: 1 is there twice'),
                ({'grid': {'a': {'x': {'c': 1}, 'y': {}}, 'b': {'z': {'c': 2}}}},
                 'grid: c is set by a and by b'),
                ({'grid': {'a': {'x': {'c': 1}, 'y': {'c': 1}}}}, 'are the same run'),
                ({'cases': [{'when': {'b': 1}, 'options': {}}]},
                 'cases[0]: when: "b" is neither a label nor a key of the grid'),
                ({'cases': [{'when': {'a': 3}, 'options': {}}]}, 'a must be one of 1, 2, got 3'),
                ({'cases': [{'when': {'a': 1}}]}, 'cases[0] must have either options or impossible'),
                ({'cases': [{'when': {'a': 1}, 'impossible': ''}]}, 'must be a reason in words'),
                ({'title': '\ud800'}, 'the SPEC: title must be a text that UTF-8 can hold, without null'),
                ({'labels': {'b': '\ud800'}}, 'the SPEC: labels: b must be a text that UTF-8 can hold'),
                ({'labels': {'a': 1}}, '"a" must not be a label and a key of the grid'),
                ({'blocks': [{}, {}]}, 'is there twice; tell them apart by labels')):
            with self.assertRaisesRegex(Refusal, re.escape(message)):
                Campaign(json.dumps({**good, **change}))

    def test_case_without_a_cell(self):
        with self.assertRaisesRegex(Refusal, r'blocks\[1\]: cases\[0\] applies to no cell: '
                                             r'{"x": \[1\]}'):
            Campaign(json.dumps({'program': 'probe', 'seeds': [1], 'blocks': [
                {'labels': {'x': 1}}, {'labels': {'x': 2, 'y': 3}, 'cases': [
                    {'when': {'x': 1}, 'options': {'b': 2}}]}]}))

    def test_arguments(self):
        good = {'program': 'probe', 'seeds': [1]}
        self.check(good, "--part: must be INDEX/PARTS such as 1/8, got '0/8'", '--part=0/8')
        self.check(good, "--jobs: must be a whole number of at least 1, got '0'", '--jobs=0')
        self.check(good, 'unrecognized arguments: --nope', '--nope')
        self.check(good, '--print-commands=ssh needs --sshlogin', '--print-commands=ssh')
        self.check(good, '--print-commands has no effect with --collect, which executes nothing',
                   '--collect', '--print-commands=slurm')
        self.check(good, "--programs must be a folder, got '/no/such/folder'",
                   '--programs=/no/such/folder')

    def test_relative_paths(self):
        """Runs do not begin in the folder of the SPEC, nor where the tool is called."""
        os.mkdir(self.path('data'))
        for name in ('mine.txt', 'data/other', 'plain', '0'):
            with open(self.path(name), 'w', encoding='utf-8'):
                pass
        for options, path in (({'data': 'mine.txt'}, 'mine.txt'), ({'a': 'csv:./plain'}, './plain'),
                              ({'data': 'data/other'}, 'data/other')):
            spec = {'program': 'probe', 'seeds': [1], 'options': options}
            self.check(spec, f'runs begin in OUT, where they do not find {path}; write an absolute '
                             'path, or one that begins with $SPEC/')
            self.check({'program': 'probe', 'seeds': [1],
                        'grid': {name: [value] for name, value in options.items()}}, path)
        self.write({'program': 'probe', 'seeds': [1], 'options': {
            'a': '$SPEC/mine.txt', 'b': 'plain', 'c': 0, 'd': 'nope.txt', 'e': 'data',
            'f': '../mine.txt', 'g': self.path('mine.txt'), 'h': 'csv:' + self.path('mine.txt')}})
        child = self.start('--print-commands=ssh', '--sshlogin=:')
        self.assertEqual(child.communicate(timeout=60)[1].count('error'), 0)
        self.assertEqual(child.returncode, 0)

    def test_a_foreign_folder(self):
        os.mkdir(self.out)
        with open(os.path.join(self.out, 'thesis.tex'), 'w', encoding='utf-8'):
            pass
        child = self.run_tool({'program': 'probe', 'seeds': [1]})
        self.assertEqual(child.returncode, 1)
        self.assertIn('OUT must be new, empty or the folder of a campaign', child.err)
        self.assertEqual(os.listdir(self.out), ['thesis.tex'])

    def test_nothing_to_collect(self):
        good = {'program': 'probe', 'seeds': [1]}
        self.check(good, f'OUT must be the folder of a campaign, got {self.out}', '--collect')
        os.mkdir(self.out)
        child = self.run_tool(good, '--collect')
        self.assertEqual(child.returncode, 1)
        self.assertEqual(os.listdir(self.out), [])

    def test_a_path_that_is_no_text(self):
        self.out = self.path('out\udcff')
        self.check({'program': 'probe', 'seeds': [1]}, 'a path must be a text that UTF-8 can hold')

    def test_a_missing_parallel(self):
        self.environment['PATH'] = self.folder
        self.check({'program': 'probe', 'seeds': [1]},
                   'GNU parallel is missing; on Debian: apt-get install parallel')


class ExpansionTest(Folder):
    """Which commands come of a SPEC; nothing is executed."""

    def expand(self, spec):
        child = self.run_tool(spec, '--print-commands=parallel')
        self.assertEqual(child.returncode, 0, child.err)
        child = self.run_tool(spec, '--collect')
        self.assertEqual(child.returncode, 1, child.err)  # the runs are not done
        return child

    def test_installed_specs(self):
        """Those of examples/campaigns are sound."""
        folder = os.path.join(ROOT, 'examples', 'campaigns')
        cells = {}
        for name in os.listdir(folder):
            if name.endswith('.json'):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    cells[name] = Campaign(file.read()).cells
        self.assertEqual(len(cells['survives.json']), 7 * 6 * 4 * 2)
        impossible = [cell for cell in cells['survives.json'] if cell.reason]
        self.assertEqual({cell.coordinates['network'] for cell in impossible}, {'LTE'})
        self.assertEqual(len(impossible), 4 * 4 * 2)  # four algorithms are of peers

    def test_large_numbers(self):
        """Those that SQLite cannot hold are rounded."""
        self.expand({'program': 'probe', 'seeds': [2**63 - 1], 'labels': {'a': 10**29}})
        self.assertEqual(self.query('SELECT a, seed FROM cells JOIN runs'), [(1e29, 2**63 - 1)])

    def test_a_grid(self):
        self.expand({'program': 'probe', 'options': {'x': True, 'y': 'a b'}, 'seeds': [3, 1],
                     'grid': {'loss': [0, 0.1], 'ns3::A::B': [5]}})
        self.assertEqual(self.query('SELECT command FROM runs'), [
            (f"probe --x=true '--y=a b' --loss={loss} --ns3::A::B=5 --RngRun={seed}",)
            for loss in (0, 0.1) for seed in (3, 1)])

    def test_labels_and_cases(self):
        self.expand({'program': 'probe', 'seeds': [1], 'options': {'f': 0, 'g': '$SPEC/h'},
                     'grid': {'attack': {'none': {}, 'alie': {'f': 2, 'attack': 'Alie'}},
                              'loss': [0, 0.5]},
                     'cases': [{'when': {'attack': 'alie', 'loss': [0.5]}, 'impossible': 'so <3'},
                               {'when': {'loss': 0.5}, 'options': {'f': None, 'wait': '1s'}}]})
        self.assertEqual(self.query('SELECT command FROM runs'), [
            (f'probe --f=0 --g={self.folder}/h --loss=0 --RngRun=1',),
            (f'probe --g={self.folder}/h --loss=0.5 --wait=1s --RngRun=1',),
            (f'probe --f=2 --g={self.folder}/h --attack=Alie --loss=0 --RngRun=1',)])
        self.assertEqual(self.query('SELECT attack, loss, reason FROM cells'), [
            ('none', 0, None), ('none', 0.5, None), ('alie', 0, None), ('alie', 0.5, 'so <3')])
        self.assertEqual(self.read_page()['cells'][3]['note'], 'impossible: so <3')

    def test_not_given(self):
        """null in a list: the option is not given, also if all cells have it otherwise."""
        child = self.expand({
            'program': 'probe', 'seeds': [1], 'options': {'task': 'a'},
            'grid': {'task': ['net:fc2', None], 'x': [1]},
            'cases': [{'when': {'task': None}, 'options': {'y': 2}}]})
        self.assertIn('2 cells, 0 impossible, 2 runs, 2 selected, 2 to do', child.err)
        self.assertEqual(self.query('SELECT command FROM runs'), [
            ('probe --task=net:fc2 --x=1 --RngRun=1',), ('probe --x=1 --y=2 --RngRun=1',)])
        self.assertEqual(self.query('SELECT task FROM cells'), [('net:fc2',), (None,)])
        self.assertEqual(self.read_page()['cells'][1]['coordinates'], ['not given', '1'])

    def test_blocks(self):
        self.expand({'seeds': [1], 'grid': {'a': [1, 2]}, 'options': {'o': 1}, 'blocks': [
            {'program': 'probe', 'labels': {'who': 'x'}},
            {'program': 'probe', 'labels': {'who': 'y'}, 'options': {'p': 2}, 'grid': {'a': [3]}}]})
        self.assertEqual(self.query('SELECT who, a, options FROM cells'), [
            ('x', 1, '{"o": "1", "a": "1"}'), ('x', 2, '{"o": "1", "a": "2"}'),
            ('y', 3, '{"o": "1", "p": "2", "a": "3"}')])

    def test_parts(self):
        """Parts are disjoint, together all, of equal size, and have all values of a long axis."""
        spec = {'program': 'probe', 'seeds': [1], 'grid': {'a': list(range(8)), 'b': [0, 1, 2, 3]}}
        chosen = []
        for part in range(1, 5):
            child = self.run_tool(spec, f'--part={part}/4', '--print-commands=parallel')
            self.assertEqual(child.returncode, 0, child.err)
            with open(os.path.join(self.out, 'pending'), encoding='utf-8') as file:
                chosen.append(file.read().split())
        self.assertEqual([len(part) for part in chosen], [8] * 4)
        self.assertEqual(len(set(sum(chosen, []))), 32)
        self.expand(spec)
        for part in chosen:
            ids = ','.join(f"'{name}'" for name in part)
            for axis, size in (('a', 8), ('b', 4)):
                self.assertEqual(self.query(
                    f'SELECT count(DISTINCT {axis}) FROM cells JOIN runs ON cell = cells.id '
                    f'WHERE runs.id IN ({ids})'), [(size,)])


@unittest.skipUnless(shutil.which('parallel'), 'GNU parallel is missing')
class ExecutionTest(Folder):
    """Runs of the script, and what disturbs them."""

    def test_results(self):
        child = self.run_tool({'program': 'probe', 'seeds': [1, 2], 'grid': {'a': [1, 2]}})
        self.assertEqual(child.returncode, 0, child.err)
        self.assertIn('4 of 4 runs done, 0 failed', child.err)
        self.assertEqual(self.query('SELECT status, count(*), min(wall_s) > 0 FROM runs'),
                         [('done', 4, 1)])
        self.assertEqual(self.query('SELECT round, value, empty, text, count(*) FROM rounds '
                                    'JOIN runs ON run = id GROUP BY round'),
                         [(0, 0.5, None, '1_0', 4), (1, float('inf'), None, 1e20, 4)])
        self.assertEqual(self.query('SELECT DISTINCT accuracy, epsilon_max, simulated_s FROM final'),
                         [(0.75, float('inf'), 2)])
        self.assertEqual(self.query('SELECT round, time_s, epsilon, loss, count(*) FROM evaluated '
                                    'JOIN runs ON run = id GROUP BY round'),
                         [(0, 0.5, 1.5, None, 4), (4, 2, float('inf'), None, 4)])
        page = self.read_page()
        self.assertEqual(page['cells'][1]['figures'], [[0.75, 0.75], [], [], [], ['inf', 'inf']])
        self.assertEqual(page['cells'][1]['command'], 'probe --a=2 --RngRun=1')
        self.assertEqual(self.query('SELECT warning, count(*) FROM warnings'), [('so <so>', 4)])
        self.assertEqual(page['cells'][0]['warnings'], ['seed 1, 2: so <so>'])
        self.assertIn('4 with warnings', page['counts'])

    def test_again_does_nothing(self):
        spec = {'program': 'probe', 'seeds': [1, 2]}
        self.run_tool(spec)
        child = self.run_tool(spec)
        self.assertEqual(child.returncode, 0, child.err)
        self.assertIn('0 to do', child.err)
        self.assertEqual(len(self.notes('begin')), 2)
        self.run_tool({**spec, 'seeds': [2, 3]})  # a campaign that grows
        self.assertEqual(len(self.notes('begin')), 3)
        self.assertEqual(self.query('SELECT seed, status FROM runs'), [(2, 'done'), (3, 'done')])

    def test_failures(self):
        spec = {'program': 'probe', 'seeds': [1], 'grid': {'fail': ['no', 'once', 'yes']}}
        child = self.run_tool(spec)
        self.assertEqual(child.returncode, 1)
        self.assertIn('1 of 3 runs failed:', child.err)
        self.assertIn('(fail=yes, seed 1): exit status 3: the disk is full', child.err)
        self.assertEqual(self.query('SELECT status FROM runs'), [('done',), ('done',), ('failed',)])
        self.assertEqual(len(self.notes('begin')), 5)  # once and yes were tried twice
        child = self.run_tool(spec)  # what failed is tried again, twice
        self.assertEqual(child.returncode, 1)
        self.assertEqual(len(self.notes('begin')), 7)
        self.assertEqual(self.read_page()['cells'][2]['note'], 'failed: exit status 3: the disk is full')

    def check_resumed(self, spec, count):
        """The campaign can be continued, and each run is done once then."""
        child = self.run_tool(spec)
        self.assertEqual(child.returncode, 0, child.err)
        ends = self.notes('end')
        self.assertEqual(len(ends), count)
        self.assertEqual(len(set(ends)), count)
        self.assertEqual(self.query('SELECT status, count(*) FROM runs'), [('done', count)])

    # Of two runs at a time, the first two pass, and the next two wait.
    HOLDING = {'program': 'probe', 'seeds': [1, 2], 'grid': {'hold': [0, 1, 2, 3]}}

    def start_holding(self):
        """Start a campaign, and wait until two runs are done and two are at work."""
        with open(self.path('notes.hold'), 'w', encoding='utf-8'):
            pass
        self.write(self.HOLDING)
        child = self.start()
        self.wait_for(lambda: len(self.notes('begin')) == 4)
        return child

    def test_sigkill(self):
        """Runs that are at work finish and count, no new ones begin, and nothing is done twice."""
        child = self.start_holding()
        child.kill()
        child.communicate()
        time.sleep(0.5)
        self.write(self.HOLDING)
        child = self.start()
        self.assertIn('waiting for the runs that a killed campaign left', child.stderr.readline())
        os.unlink(self.path('notes.hold'))
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, err)
        self.assertIn('8 runs, 8 selected, 4 to do', err)  # 2 if GNU parallel had gone on
        self.check_resumed(self.HOLDING, 8)
        self.assertEqual(len(self.notes('begin')), 8)

    def test_signals(self):
        """Runs that are at work end, and are repeated when the campaign continues."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.out = self.path(f'out-{number}')
                open(self.path('notes'), 'w', encoding='utf-8').close()
                child = self.start_holding()
                child.send_signal(number)
                _, err = child.communicate(timeout=60)
                self.assertEqual(child.returncode, 128 + number, err)
                self.assertIn('the same command continues', err)
                self.assertEqual(self.query('SELECT status, count(*) FROM runs GROUP BY status'),
                                 [('done', 2), ('pending', 6)])
                os.unlink(self.path('notes.hold'))
                time.sleep(0.3)  # nothing is at work any more
                self.assertEqual(len(self.notes('end')), 2)
                self.check_resumed(self.HOLDING, 8)
                self.assertEqual(len(self.notes('begin')), 10)

    def test_programs_of_one_name(self):
        os.mkdir(self.path('other'))
        shutil.copy(self.path('probe'), self.path('other', 'probe'))
        with open(self.path('other', 'probe'), 'a', encoding='utf-8') as file:
            file.write('echo other\n')
        child = self.run_tool([{'program': 'probe', 'seeds': [1]},
                               {'program': self.path('other', 'probe'), 'seeds': [1]}])
        self.assertEqual(child.returncode, 0, child.err)
        said = []
        for run, in self.query('SELECT id FROM runs ORDER BY cell'):
            with open(os.path.join(self.out, 'runs', run, 'stdout.txt'), encoding='utf-8') as file:
                said.append(file.read())
        self.assertEqual(said, ['', 'other\n'])

    def test_a_run_that_parallel_does_not_know(self):
        """What ended well while GNU parallel was killed, too, counts. Programs that are elsewhere,
        as on another host, are found by PATH."""
        spec = {'program': 'probe', 'seeds': [1, 2]}
        self.run_tool(spec, '--print-commands=parallel')
        with open(os.path.join(self.out, 'pending'), encoding='utf-8') as file:
            first = file.readline().strip()
        os.mkdir(self.path('bin'))
        elsewhere = shutil.move(self.path('probe'), self.path('bin'))
        path = self.path('bin') + os.pathsep + os.environ['PATH']
        subprocess.run(['sh', os.path.join(self.out, 'run.sh'), first], check=True,
                       env={**self.environment, 'PATH': path})
        shutil.move(elsewhere, self.path('probe'))
        self.check_resumed(spec, 2)
        self.assertEqual(len(self.notes('begin')), 2)

    def test_lock(self):
        first = self.start_holding()
        second = self.run_tool(self.HOLDING)
        self.assertEqual(second.returncode, 1)
        self.assertEqual(second.err.count('\n'), 1, second.err)
        self.assertIn(f'is in use by another campaign, process {first.pid}', second.err)
        os.unlink(self.path('notes.hold'))
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(self.out, 'lock')))  # stale, and no obstacle
        self.check_resumed(self.HOLDING, 8)

    @unittest.skipUnless(shutil.which('rsync'), 'rsync is missing')
    def test_hosts(self):
        """Runs on hosts leave their results here, and nothing there."""
        with open(self.path('ssh'), 'w', encoding='utf-8') as file:
            file.write(SSH)
        os.chmod(self.path('ssh'), 0o755)
        self.environment['PATH'] = self.folder + os.pathsep + os.environ['PATH']
        for name in ('east', 'west'):
            os.mkdir(self.path(name))
        with open(self.path('notes.hold'), 'w', encoding='utf-8'):
            pass
        self.write({'program': 'probe', 'seeds': [1, 2, 3], 'options': {'hold': 1}})
        child = self.start('--sshlogin=east', '--sshlogin=west', '--jobs=1')
        self.wait_for(lambda: len(self.notes('begin')) == 2)  # one on each
        os.unlink(self.path('notes.hold'))
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, err)
        self.assertEqual(self.query('SELECT DISTINCT host FROM runs ORDER BY host'),
                         [('east',), ('west',)])
        self.assertEqual(self.query('SELECT count(*) FROM final'), [(3,)])
        self.assertEqual(os.listdir(self.path('east')) + os.listdir(self.path('west')), [])

    def test_printed_commands(self):
        """The commands for GNU parallel and the script for Slurm do what the tool does."""
        spec = {'program': 'probe', 'seeds': [1, 2, 3]}
        child = self.run_tool(spec, '--print-commands=parallel')
        self.assertEqual(child.returncode, 0, child.err)
        subprocess.run(['sh', '-c', child.out], check=True, env=self.environment)
        child = self.run_tool(spec, '--collect')
        self.assertEqual(child.returncode, 0, child.err)

        self.out = self.path('slurm')
        child = self.run_tool({**spec, 'options': {'fail': 'once'}}, '--print-commands=slurm')
        self.assertEqual(child.out, f'cd {self.out} && sbatch campaign.sbatch\n')
        script = os.path.join(self.out, 'campaign.sbatch')
        with open(script, encoding='utf-8') as file:
            self.assertIn('\n#SBATCH --array=1-3%2\n', file.read())
        for task in '123':  # Slurm has each of them executed by a host
            subprocess.run(['sh', script], check=True,
                           env={**self.environment, 'SLURM_ARRAY_TASK_ID': task})
        child = self.run_tool({**spec, 'options': {'fail': 'once'}}, '--collect')
        self.assertEqual(child.returncode, 0, child.err)
        self.assertEqual(self.query('SELECT status, count(*) FROM runs'), [('done', 3)])


@unittest.skipUnless(shutil.which('parallel'), 'GNU parallel is missing')
class DoneRunsTest(Folder):
    """Runs count as done only with all that they left, and as runs of the commands that are shown."""

    GOOD = {'program': 'probe', 'seeds': [1, 2]}

    def get_path(self, name):
        """A file of the first run."""
        return os.path.join(self.out, 'runs', self.query('SELECT id FROM runs ORDER BY seed')[0][0], name)

    def change(self, name, text):
        with open(self.get_path(name), 'w', encoding='utf-8') as file:
            file.write(text)

    def test_damaged_runs_are_repeated(self):
        self.run_tool(self.GOOD)
        for name, text, got in (('summary.json', None, 'none'), ('rounds.csv', 'round,value\n0', 13),
                                ('results.jsonl', '', 0)):
            with self.subTest(name):
                path = self.get_path(name)
                size = os.path.getsize(path)
                if text is None:
                    os.unlink(path)
                else:
                    self.change(name, text)
                message = f'{path} must have {size} bytes, as when the run ended, got {got}: the run is ' \
                          'to be repeated'
                child = self.run_tool(self.GOOD, '--collect')
                self.assertEqual(child.returncode, 1)
                self.assertIn(message, child.err)
                self.assertIn('1 of 2 runs are not done', child.err)
                self.assertEqual(self.query('SELECT count(*) FROM rounds'), [(2,)])
                child = self.run_tool(self.GOOD)
                self.assertEqual(child.returncode, 0, child.err)
                self.assertIn(message, child.err)
                self.assertIn('1 to do', child.err)
                self.assertEqual(os.path.getsize(path), size)
                self.assertEqual(self.query('SELECT count(*) FROM rounds JOIN final USING (run)'), [(4,)])

    def test_emptied_folders(self):
        """They are no runs; neither is one that a user repeated and that failed again."""
        self.run_tool(self.GOOD)
        path = self.get_path('exit.txt')
        for text in (None, '3\n'):
            shutil.rmtree(os.path.dirname(path))
            os.mkdir(os.path.dirname(path))
            if text:
                self.change('exit.txt', text)
            child = self.run_tool(self.GOOD, '--collect')
            self.assertEqual(child.returncode, 1)
            self.assertIn(f'{path} must say 0, as the joblog does: the run is to be repeated', child.err)
            child = self.run_tool(self.GOOD)
            self.assertEqual(child.returncode, 0, child.err)
            self.assertIn('1 to do', child.err)

    def test_unreadable_results(self):
        """A file that its program wrote like this is left out as a whole, and nothing else is."""
        self.run_tool(self.GOOD)
        os.unlink(self.get_path('sizes.txt'))
        for name, text, message in (
                ('summary.json', '{"final"', 'Expecting'),
                ('summary.json', '[]', 'its content must be an object, got []'),
                ('summary.json', '{"final": 5}', 'final must be an object, got 5'),
                ('summary.json', '{"warnings": 5}', 'warnings must be a list, got 5'),
                ('summary.json', '{"warnings": ["a", "\\ud800"]}', 'surrogates not allowed'),
                ('summary.json', '{"final": ' + 100000 * '[', 'recursion'),
                ('results.jsonl', '{"round": 0}\n5\n', 'line 2 must be an object, got 5'),
                ('results.jsonl', '{"round": 0}\n{"round": []}\n', 'type'),
                ('results.jsonl', '{"a\\u0000": 0}\n', 'null character'),
                ('rounds.csv', 'round,value\n0,1\n1\n',
                 'line 3 must have 2 fields, as its header has, got 1')):
            with self.subTest(text[:40]):
                path = self.get_path(name)
                with open(path, encoding='utf-8') as file:
                    good = file.read()
                self.change(name, text)
                child = self.run_tool(self.GOOD)
                self.assertEqual(child.returncode, 1, child.err)
                self.assertRegex(child.err, f'warning: {re.escape(path)} is left out of the results: .*'
                                            f'{re.escape(message)}.*; to repeat the run, delete '
                                            f'{re.escape(os.path.dirname(path))}\n')
                self.assertEqual(child.err.count('\n'), 2, child.err)
                left_out = {'summary.json': ('final', 'warnings'), 'results.jsonl': ('evaluated',),
                            'rounds.csv': ('rounds',)}[name]
                for table, count in (('final', 1), ('warnings', 1), ('evaluated', 2), ('rounds', 2)):
                    self.assertEqual(self.query(f'SELECT count(*) FROM {table}'),
                                     [(count if table in left_out else 2 * count,)])
                self.assertIn('2 runs: 2 done', self.read_page()['counts'])
                self.change(name, good)

    def test_numbers_that_are_too_large(self):
        """For a database."""
        self.run_tool(self.GOOD)
        shutil.rmtree(os.path.join(self.out, 'runs'))
        with open(self.path('probe'), 'a', encoding='utf-8') as file:
            file.write(f'printf "round\\n{5000 * "1"}\\n" >"$out/rounds.csv"\n'
                       'sign=-; case $* in *RngRun=1*) sign= ;; esac\n'
                       'echo \'{"events": 10000000000000000000, "final": {"loss": 1.7e308, "accuracy": \''
                       '$sign\'1.7e308}}\' >"$out/summary.json"\n')
        child = self.run_tool(self.GOOD)
        self.assertEqual(child.returncode, 0, child.err)
        self.assertEqual(self.query('SELECT events, loss FROM final'), 2 * [(1e19, 1.7e308)])
        self.assertEqual(self.query('SELECT round FROM rounds'), 2 * [(float('inf'),)])
        self.assertEqual(self.read_page()['cells'][0]['figures'][:2], [[1.7e308, -1.7e308], 2 * [1.7e308]])

    def place_spec(self, folder):
        os.makedirs(self.path(folder), exist_ok=True)
        self.spec = self.path(folder, 'spec.json')
        return {**self.GOOD, 'options': {'data': '$SPEC/d.txt'}}

    def check_refused(self, folder, known):
        before = len(self.notes('begin'))
        for arguments in ((), ('--collect',), ('--print-commands=parallel',)):
            child = self.run_tool(self.place_spec(folder), *arguments)
            self.assertEqual(child.returncode, 1)
            self.assertEqual(child.err.count('\n'), 1, child.err)
            self.assertIn(f'$SPEC must stand for the same folder as in the runs of OUT, "{known}", got '
                          f'"{self.path(folder)}"; use another OUT, or delete '
                          f'{self.out}/spec-folder if the folder was moved', child.err)
        self.assertEqual(len(self.notes('begin')), before)

    def test_specs_of_two_folders(self):
        """What $SPEC stands for belongs to the runs."""
        self.run_tool(self.place_spec('A'))
        self.check_refused('B', self.path('A'))
        for name in ('run.sh', 'index.html'):
            with open(os.path.join(self.out, name), encoding='utf-8') as file:
                text = file.read()
            self.assertIn(self.path('A', 'd.txt'), text)
            self.assertNotIn(self.path('B', 'd.txt'), text)
        self.place_spec('B')
        child = self.run_tool({**self.GOOD, 'seeds': [3]})  # a SPEC without $SPEC may be anywhere
        self.assertEqual(child.returncode, 0, child.err)

    def check_done(self, folder):
        child = self.run_tool(self.place_spec(folder))
        self.assertEqual(child.returncode, 0, child.err)
        self.assertIn('0 to do', child.err)

    def test_moved_campaigns(self):
        """They keep their runs."""
        self.run_tool(self.place_spec('A'))
        os.mkdir(self.path('new'))
        shutil.move(self.path('A'), self.path('new', 'A'))
        self.out = shutil.move(self.out, self.path('new', 'out'))
        self.check_done('new/A')
        self.out = shutil.move(self.out, self.path('elsewhere'))
        self.check_done('new/A')
        shutil.move(self.path('new', 'A'), self.path('C'))
        self.check_refused('C', self.path('new', 'A'))
        os.unlink(os.path.join(self.out, 'spec-folder'))
        self.check_done('C')


@unittest.skipUnless(shutil.which('parallel') and PROGRAMS, 'GNU parallel or dlearn is missing')
class ProgramTest(Folder):
    """Runs of a program of dlearn."""

    def test_fedavg(self):
        child = self.run_tool(
            {'program': os.path.join(PROGRAMS or '', 'dlearn-fedavg'), 'seeds': [1, 2],
             'options': {'network': 'p2p', 'rounds': 4}, 'grid': {'loss': [0, 0.1]}})
        self.assertEqual(child.returncode, 0, child.err)
        # Three clients and a server close each of the rounds.
        self.assertEqual(self.query('SELECT count(*) FROM rounds GROUP BY run'), [(16,)] * 4)
        for run, error, simulated in self.query('SELECT run, error, simulated_s FROM final'):
            with open(os.path.join(self.out, 'runs', run, 'summary.json'), encoding='utf-8') as file:
                summary = json.load(file)
            self.assertEqual(summary['final']['error'], error)
            self.assertEqual(summary['simulated_s'], simulated)
        errors = dict(self.query('SELECT seed, error FROM runs JOIN final ON run = runs.id '
                                 'WHERE cell = 0'))
        self.assertNotEqual(errors[1], errors[2])  # the seed is in force
        self.assertEqual(self.query('SELECT epsilon FROM rounds LIMIT 1'), [(None,)])

    def test_options_that_the_program_does_not_know(self):
        """Before anything runs."""
        program = os.path.join(PROGRAMS or '', 'dlearn-fedavg')
        for options, message in (({'round': 1}, "Invalid argument '--round=1'; did you mean --rounds?"),
                                 ({'ns3::No::Such': 1}, "no attribute 'ns3::No::Such'")):
            child = self.run_tool({'program': program, 'seeds': [1], 'options': {'network': 'p2p'},
                                   'grid': {'cell': {'a': {}, 'b': options}}})
            self.assertEqual(child.returncode, 1)
            self.assertIn(f'program {program}: {message}', child.err)
            self.assertFalse(os.path.exists(self.out))

    def test_rounds_of_servers(self):
        """A client closes a round before the update that it sends has spent anything, and a straggler
        closes others than its server: figures of a round are those of results.jsonl."""
        child = self.run_tool(
            {'program': os.path.join(PROGRAMS or '', 'dlearn-fedavg'), 'seeds': [1],
             'options': {'network': 'p2p', 'rounds': 12, 'data': 'generated', 'data-samples': 1200,
                         'learners': 6, 'clip': 0.5, 'target-epsilon': 100, 'step-size': 3,
                         'threat-model': 'cdp'},
             'grid': {'mode': {'sync': {}, 'buffered': {
                 'mode': 'buffered', 'buffer-size': 3, 'client-flops': 'lognormal:1e7:1.5'}}}})
        self.assertEqual(child.returncode, 0, child.err)
        connection = sqlite3.connect(os.path.join(self.out, 'results.sqlite'))
        self.addCleanup(connection.close)
        for run, mode in self.query('SELECT runs.id, mode FROM runs JOIN cells ON cell = cells.id'):
            with open(os.path.join(self.out, 'runs', run, 'results.jsonl'), encoding='utf-8') as file:
                rounds = [json.loads(line) for line in file]
            first = next(line for line in rounds if line['accuracy'] >= 0.75)
            self.assertGreater(first['epsilon'], 1)
            for metric in ('epsilon', 'time_s', 'round', 'tx_bytes'):
                arguments = argparse.Namespace(
                    table='evaluated', metric=metric, against='mode', where=f"mode = '{mode}'",
                    total=False, until='accuracy >= 0.75')
                self.assertEqual(plot.read_sweeps(connection, arguments),
                                 {'': {mode: [first[metric]]}})
            arguments = argparse.Namespace(metric='epsilon', against='time_s', total=False, until=None,
                                           where=f"mode = '{mode}'")
            arguments.table = plot.choose_table(connection, arguments, False)
            (_, curves), = plot.read_curves(connection, arguments).values()
            self.assertEqual(curves, [[(line['time_s'], line['epsilon']) for line in rounds]])

    def plot(self, *arguments):
        child = subprocess.run([PLOTTER, os.path.join(os.path.dirname(TOOL), 'campaigns', 'plot.py'),
                                self.out, *arguments], capture_output=True, text=True, check=False)
        return child.returncode, child.stdout, child.stderr

    @unittest.skipUnless(PLOTTER, 'matplotlib is missing')
    def test_plots(self):
        child = self.run_tool(
            {'program': os.path.join(PROGRAMS or '', 'dlearn-fedavg'), 'seeds': [1, 2],
             'options': {'network': 'p2p'}, 'grid': {'loss': [0, 0.1], 'rounds': [2, 3]}})
        self.assertEqual(child.returncode, 0, child.err)
        # Of each line the comment above its name in the legend.
        for against, lines in (('round', 4), ('loss', 2), ('rounds', 2)):
            path = self.path(against + '.svg')
            self.assertEqual(self.plot('error', '--against=' + against, '--out=' + path),
                             (0, path + '\n', ''))
            with open(path, encoding='utf-8') as file:
                self.assertEqual(len(re.findall(r'<!-- .*\(2 runs( a point)?\) -->', file.read())), lines)
        # Totals end with the sum of all learners and rounds.
        for table, against in (('evaluated', 'tx_bytes'), ('evaluated', 'expected'),
                               ('rounds', 'tx_bytes')):
            arguments = argparse.Namespace(table=table, metric='error', against=against, where='1',
                                           total=True, until=None)
            with sqlite3.connect(os.path.join(self.out, 'results.sqlite')) as connection:
                curves = plot.read_curves(connection, arguments)
            ends = sorted(run[-1][0] for _, runs in curves.values() for run in runs)
            self.assertEqual(ends, sorted(total for total, in self.query(
                f'SELECT sum({against}) FROM rounds GROUP BY run')))
        # Both tables have a loss; --where means that of cells.
        status, out, fault = self.plot('error', '--against=rounds', '--where=loss > 0')
        self.assertEqual((status, out, fault), (0, os.path.join(self.out, 'error-by-rounds.svg\n'), ''))
        with open(out.strip(), encoding='utf-8') as file:
            self.assertEqual(len(re.findall(r'<!-- .*\(2 runs a point\) -->', file.read())), 1)


@unittest.skipUnless(PLOTTER, 'matplotlib is missing')
class PlotTest(Folder):
    """plot.py, with a database of one's own."""

    ROWS = ((0, 'peer', 1, 0.5, 3), (1, 'peer', 2, 0.7, 5), (2, 'byzantine', 3, 0.1, 9),
            (3, 'server', 4, None, None))

    def setUp(self):
        super().setUp()
        os.mkdir(self.out)
        self.connection = sqlite3.connect(os.path.join(self.out, 'results.sqlite'))
        self.addCleanup(self.connection.close)
        self.connection.executescript('''
            CREATE TABLE cells (id, program, options, reason, loss);
            CREATE TABLE runs (id, cell, program, wall_s);
            CREATE TABLE final (run, accuracy, epsilon_max, wall_s);
            CREATE TABLE rounds (run, time_s, round, node, role, accuracy, epsilon, tx_bytes);
            CREATE TABLE evaluated (run, round, time_s, accuracy, epsilon);
            INSERT INTO evaluated VALUES ('a', 10, 14, 0.7, 8), ('a', 0, 4, 0.6, 5);
            INSERT INTO cells VALUES (0, 'probe', '{}', NULL, 0.5);
            INSERT INTO runs VALUES ('a', 0, 'probe', 1);
            INSERT INTO final VALUES ('a', 0.6, 5, 1);''')
        for time_s in (0, 10):
            self.connection.executemany(
                f'INSERT INTO rounds VALUES ("a", ? + {time_s}, {time_s}, ?, ?, ?, ?, 100)',
                [(at, node, role, accuracy, epsilon)
                 for node, role, at, accuracy, epsilon in self.ROWS])
        self.connection.commit()

    def read(self, metric, against='time_s', **more):
        arguments = argparse.Namespace(**{'table': 'rounds', 'metric': metric, 'against': against,
                                          'where': '1', 'total': False, 'until': None, **more})
        if against == 'loss':
            return plot.read_sweeps(self.connection, arguments)
        (_, runs), = plot.read_curves(self.connection, arguments).values()
        return runs

    def test_honest_learners(self):
        """What Byzantine learners have does not count; the epsilon is the largest."""
        for got, want in zip(self.read('accuracy')[0], ((2, 0.6), (12, 0.6)), strict=True):
            self.assertAlmostEqual(got[0], want[0])
            self.assertAlmostEqual(got[1], want[1])
        self.assertEqual(self.read('epsilon'), [[(2, 5), (12, 5)]])
        self.assertEqual(self.read('epsilon', 'tx_bytes', total=True), [[(200, 5), (600, 5)]])
        self.assertEqual(self.read('epsilon', 'loss'), {'': {0.5: [5]}})
        self.connection.execute('ALTER TABLE rounds DROP COLUMN role')
        self.assertEqual(self.read('epsilon'), [[(3, 9), (13, 9)]])

    def test_until(self):
        """What a run has in the first evaluated round in which a condition holds."""
        for condition, metric, want in (
                ('accuracy > 0.5', 'round', 0), ('accuracy > 0.65', 'round', 10),
                ('accuracy > 0.65', 'epsilon', 8), ('epsilon >= 8', 'time_s', 14),
                ('epsilon >= 9', 'time_s', None)):
            got = self.read(metric, 'loss', table='evaluated', until=condition)
            self.assertEqual(got, {} if want is None else {'': {0.5: [want]}}, condition)

    def test_tables(self):
        """Figures of evaluated rounds are from their table; of learners' rows is what only they have."""
        for metric, against, total, until, want in (
                ('epsilon', 'time_s', False, None, 'evaluated'),
                ('tx_bytes', 'time_s', False, None, 'rounds'),
                ('epsilon', 'node', False, None, 'rounds'),
                ('epsilon', 'tx_bytes', True, None, 'evaluated'),
                ('accuracy', 'loss', False, None, 'final'),
                ('accuracy', 'loss', False, 'epsilon > 1', 'evaluated')):
            arguments = argparse.Namespace(metric=metric, against=against, total=total, until=until)
            self.assertEqual(plot.choose_table(self.connection, arguments, against == 'loss'), want)
        self.connection.execute('DELETE FROM evaluated')  # of a program without results.jsonl
        arguments = argparse.Namespace(metric='epsilon', against='round', total=False, until=None)
        self.assertEqual(plot.choose_table(self.connection, arguments, False), 'rounds')

    def test_epsilon_jumps(self):
        """Between two rounds of a run an epsilon may be as high as at the second one."""
        runs = [[(0, 1), (2, 3), (4, 5)], [(0, 1), (3, 7), (4, 9)]]
        self.assertEqual(list(plot.summarise(runs, True)),
                         [(0, 2, 3, 4), (1, 5, 6, 7), (1, 3, 5, 5), (1, 7, 7, 9)])
        self.assertEqual(list(plot.summarise(runs, False)),
                         [(0, 2, 3, 4), (1, 2, 5, 7), (1, 1, 3, 5), (1, 3, 7, 9)])

    def test_bands(self):
        """R: sd(c(1, 2, 4)), t.test(c(1, 2, 4))$conf.int, and qt(0.975, c(1, 2, 9, 30))."""
        runs = [[(0, y)] for y in (1, 2, 4)]
        for band, low, high in (('range', 1, 4), ('sd', 2.333333 - 1.527525, 2.333333 + 1.527525),
                                ('ci', -1.461250, 6.127917)):
            _, *columns = plot.summarise(runs, False, band)
            for (got,), want in zip(columns, (7 / 3, low, high), strict=True):
                self.assertAlmostEqual(got, want, 5)
        for freedom, t in ((1, 12.706205), (2, 4.302653), (9, 2.262157), (30, 2.042272)):
            self.assertAlmostEqual(spread.find_t(freedom), t, 5)
        self.assertEqual(plot.make_legend('FedAvg', [3, 3], ' a point'), 'FedAvg (3 runs a point)')
        self.assertEqual(plot.make_legend('', [1]), '(1 run)')

    def plot(self, *arguments):
        return subprocess.run([PLOTTER, os.path.join(os.path.dirname(TOOL), 'campaigns', 'plot.py'),
                               self.out, *arguments], capture_output=True, text=True, check=False)

    def test_names_of_figures(self):
        """Figures of different axes are different files."""
        for arguments, name in (((), 'accuracy.svg'), (('--against=loss',), 'accuracy-by-loss.svg'),
                                (('--against=tx_bytes',), 'accuracy-by-tx_bytes.svg'),
                                (('--against=tx_bytes', '--total'),
                                 'accuracy-by-total-tx_bytes.svg')):
            child = self.plot('accuracy', *arguments)
            self.assertEqual(child.stdout, os.path.join(self.out, name) + '\n', child.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.out, name)))
        self.assertEqual(self.plot('wall_s', '--against=loss').returncode, 0)

    def test_refusals(self):
        """One line says what is wrong."""
        for arguments, message in (
                (('accuracy', '--out=nodir/x.svg'), 'nodir/x.svg: No such file or directory'),
                (('accuracy', '--out=x.foo'), '--out must end in .svg, .pdf or .png, got x.foo'),
                (('accuracy', '--table=nope'),
                 'there is no table nope of results; there are evaluated, final, rounds'),
                (('accuracy', '--table=cells'), 'there is no table cells of results'),
                (('round', '--until=accuracy > 0'), '--until needs --against=KEY with a key of the grid'),
                (('round', '--against=loss', '--until=accuracy > 0', '--table=final'),
                 '--until is for the table evaluated, got --table=final'),
                (('round', '--against=loss', '--until=nope > 0'), 'no such column: nope'),
                (('round', '--against=loss', '--until=accuracy > 7'),
                 'no run of these cells has the metric round'),
                (('accuracy', '--total'), '--total needs --against=COLUMN with a column to add up'),
                (('accuracy', '--total', '--against=loss'), '--total is for columns of rounds, and'),
                (('epsilon', '--against=loss'), 'there is no column epsilon in the table final; '
                                                'similar: epsilon_max; all columns: run, '),
                (('accuracy', '--against=los'), 'there is no column los in the table rounds; '
                                                'similar: loss; all columns: ')):
            child = self.plot(*arguments)
            self.assertEqual(child.returncode, 1, arguments)
            self.assertEqual(child.stderr.count('\n'), 1, child.stderr)
            self.assertIn('plot.py: error: ' + message, child.stderr)


if __name__ == '__main__':
    outcome = unittest.main(exit=False).result
    sys.exit(1 if not outcome.wasSuccessful() else 77 if outcome.skipped else 0)
