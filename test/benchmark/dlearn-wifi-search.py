#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Look for settings of Wi-Fi with which a run comes to a stand-still.

dlearn-wifi-search.py PROGRAM [--first=1] [--step=1] [--seconds=600] [--manager=NAME]

PROGRAM is dlearn-fedavg. Setting k, from the first on, is drawn from seed k: preset, standard, width, rate manager, 1 to 30
stations, distance, transport, motion, and in a quarter of the runs a station whose battery becomes empty (its radio is off
then). A run stalls when it warns of it, when a round over TCP ends by timeout although no station has died or moved, or when it
takes a minute. Prints a line for each run that does, and at the end how many of each rate manager.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

TIMEOUT = 8   # seconds of a round
SLOW = '2e6'  # operations a second: a second of training, in which much can happen


def draw(number):
    """The options of a setting, and whether a station may be gone."""
    dice = random.Random(number)
    preset = dice.choice(['n', 'ac', 'ax'])
    standard = dice.choice([preset, preset, 'n', 'ac', 'ax'])
    width = dice.choice([20, 40] if standard == 'n' else [20, 40, 80, 160])
    stations = dice.choice([dice.randint(1, 10), dice.randint(11, 30)])
    manager = dice.choice(['ideal', 'constant-rate', 'minstrel-ht'])
    options = {'wifi': preset, 'wifi-standard': standard, 'wifi-width': width, 'rate-manager': manager,
               'learners': stations, 'side': dice.choice([5, 20, 40, 60]),
               'transport': dice.choice(['tcp', 'tcp', 'udp']),
               'data-samples': 1000, 'rounds': 3, 'RngRun': number}
    moves = dice.random() < 0.3
    if moves:
        options['mobility'] = 'random-waypoint,speed=%d' % dice.choice([2, 20])
        if dice.random() < 0.5:
            options['side'] = 120  # and out of range now and then
    dies = dice.random() < 0.25
    if dies:
        options['energy'] = 'true'
        options['devices'] = round(dice.uniform(1.7, 4.0), 2)  # joules; it is ready after 1.7
    if moves or dies:
        options['rounds'] = 6
    if moves and not dies:
        options['client-flops'] = SLOW
    return options, dies, moves


def run(program, number, manager):
    options, dies, moves = draw(number)
    if manager:
        options['rate-manager'] = manager
    with tempfile.TemporaryDirectory() as folder:
        if dies:
            devices = os.path.join(folder, 'devices.csv')
            with open(devices, 'w', encoding='ascii') as file:
                file.write('client,battery,flops\n')
                for client in range(1, options['learners'] + 1):
                    battery = options['devices'] if client == 1 else 1e6
                    file.write(f'{client},{battery},{SLOW}\n')
            options['devices'] = devices
        command = [program, '--network=wifi-infra', '--data=glyphs', '--samples=20', '--evaluation-samples=20',
                   '--evaluate-every=3', f'--timeout={TIMEOUT}s', f'--out={folder}/out']
        command += [f'--{name}={value}' for name, value in options.items()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return options, 'no end', ' '.join(command)
        if done.returncode:
            return options, f'exit {done.returncode}: {done.stderr[-300:]}', ' '.join(command)
        with open(f'{folder}/out/summary.json', encoding='utf8') as file:
            summary = json.load(file)
    told = [warning for warning in summary['warnings'] if 'stalls' in warning]
    if told:
        return options, told[0], ' '.join(command)
    ready = 2 + 0.01 * (options['learners'] + 1)
    if options['transport'] == 'tcp' and not dies and not moves:
        last = summary.get('simulated_s', summary.get('simulated_seconds'))
        if last - ready > TIMEOUT:
            return options, f'a round of {TIMEOUT} s: ended at {last} s', ' '.join(command)
    return options, None, ' '.join(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('--manager', default='')
    arguments = parser.parse_args()
    runs, stalls = collections.Counter(), collections.Counter()
    end = time.time() + arguments.seconds
    number = arguments.first
    while time.time() < end:
        options, why, command = run(arguments.program, number, arguments.manager)
        runs[options['rate-manager']] += 1
        if why:
            stalls[options['rate-manager']] += 1
            print(f'{number}: {why}\n    {command}', flush=True)
        number += arguments.step
    for manager, count in sorted(runs.items()):
        print(f'{manager}: {stalls[manager]} of {count} stall')
    sys.exit(1 if stalls else 0)


if __name__ == '__main__':
    main()
