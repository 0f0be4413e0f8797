#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A ClientApp of Flower in a simulated network beside a plain loop over its model.

It needs flwr, PyTorch and the folder DLEARN_PROGRAMS; test/flower.sh installs flwr.
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = f'{ROOT}/test/system/inputs'
CLIENTS, ROUNDS, EPOCHS, RATE = 3, 10, 2, 0.1
sys.path.insert(0, INPUTS)
import flower_client  # noqa: E402


class Node:
    """The part of a context from which a client loads its data."""

    def __init__(self, number):
        self.node_config = {'partition-id': number}


def learn():
    """FedAvg without Flower and dlearn: the state after the rounds."""
    net = flower_client.make_net()
    state = {name: value.double() for name, value in net.state_dict().items()}
    kinds = {name: value.dtype for name, value in net.state_dict().items()}
    shards = [flower_client.load(Node(number)) for number in range(CLIENTS)]
    total = sum(len(labels) for _, labels in shards)
    for _ in range(ROUNDS):
        start, mean = state, {name: torch.zeros_like(value) for name, value in state.items()}
        for points, labels in shards:
            net.load_state_dict({name: (value if kinds[name].is_floating_point else value.round()).to(kinds[name])
                                 for name, value in start.items()})
            net.train()
            optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=0.9)
            for _ in range(EPOCHS):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(net(points), labels).backward()
                optimizer.step()
            for name, value in net.state_dict().items():
                mean[name] += value.double() * len(labels) / total
        state = mean
    return numpy.concatenate([value.numpy().ravel() for value in state.values()])


class FlowerTest(unittest.TestCase):
    """A run of dlearn-fedavg whose clients are a ClientApp."""

    def test_client_app_learns_as_in_a_plain_loop(self):
        environment = dict(os.environ, PYTHONPATH=f'{ROOT}/python')
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([f'{os.environ["DLEARN_PROGRAMS"]}/dlearn-fedavg', f'--out={folder}/out',
                            f'--learner={sys.executable} {INPUTS}/flower_client.py', '--network=p2p',
                            f'--learners={CLIENTS}', f'--rounds={ROUNDS}', '--float-bits=64',
                            '--learner-processes=2'], env=environment, check=True, cwd=folder)
            model = numpy.load(f'{folder}/out/model.npy')
            with open(f'{folder}/out/rounds.csv', encoding='utf-8') as file:
                rows = [row for row in csv.DictReader(file) if row['role'] == 'server']
        numpy.testing.assert_allclose(model, learn(), atol=1e-5)
        self.assertEqual([row['half'] for row in rows], ['0.5'] * ROUNDS)
        self.assertGreater(float(rows[-1]['accuracy']), 0.6)
        self.assertLess(float(rows[-1]['loss']), float(rows[0]['loss']))


if __name__ == '__main__':
    unittest.main()
