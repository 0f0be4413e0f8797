#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""FedAvg in plain PyTorch with the options of a run of dlearn-fedavg, for the presets.

    dlearn-preset-reference.py SUMMARY.json [SEED]

prints the accuracy that PyTorch reaches with the options of that run. Without arguments, a few short rounds of each
preset are learned by both, with three seeds each. The means differ by less than 8.61 standard errors, a quantile of
Student's distribution with four degrees of freedom, which fails with a probability of 1e-3 for each preset; but the
seeds are fixed. It needs PyTorch, DLEARN_DATA and the folder DLEARN_PROGRAMS; see test/presets.sh.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import torch

SEEDS = 3
QUANTILE = 8.61
SHORT = ['--rounds=5', '--samples=200', '--evaluate-every=5', '--evaluation-samples=2000']
PRESETS = ['cifar10-cnn', 'fashion-cnn', 'mnist-mlp', 'mnist-cnn']


def read(folder, name, head, shape):
    with gzip.open(f'{os.environ["DLEARN_DATA"]}/{folder}/{name}.gz') as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=head).reshape(shape)


def load(options):
    """Training and test samples as pairs of pixels from 0 to 1 and labels."""
    data = options['data']
    if data == 'cifar10':
        records = read(data, 'data_batch_1_first4000.bin', 0, (-1, 3073))
        records = records[numpy.random.permutation(len(records))]
        cut = round(len(records) * (1 - float(options['test-fraction'])))
        sets = [(part[:, 1:].reshape(-1, 3, 32, 32), part[:, 0]) for part in (records[:cut], records[cut:])]
    else:
        sets = [(read(data, f'{part}-images-idx3-ubyte', 16, (-1, 1, 28, 28)),
                 read(data, f'{part}-labels-idx1-ubyte', 8, -1)) for part in ('train', 't10k')]
    sets = [(torch.tensor(pixels / numpy.float32(255)), torch.tensor(labels.astype(int))) for pixels, labels in sets]
    if options['normalize'] in ('true', '1', True):
        mean = sets[0][0].mean((0, 2, 3), keepdim=True)
        scale = sets[0][0].std((0, 2, 3), unbiased=False, keepdim=True)
        sets = [((pixels - mean) / scale, labels) for pixels, labels in sets]
    return sets


def make_net(text, image):
    """The network of --task=net:TEXT, with the weights of HeGlorotInitializer."""
    layers = []
    for word in text.split(':')[1].split(','):
        if word.startswith('conv'):
            filters, side = map(int, word[4:].split('x'))
            layers.append(torch.nn.LazyConv2d(filters, side))
        elif word.startswith('pool'):
            layers.append(torch.nn.MaxPool2d(int(word[4:])))
        elif word == 'relu':
            layers.append(torch.nn.ReLU())
        else:
            layers += [torch.nn.Flatten(), torch.nn.LazyLinear(int(word[2:]))]
    net = torch.nn.Sequential(*layers)
    net(image)
    weights = [layer for layer in net if hasattr(layer, 'weight')]
    for layer in weights:
        torch.nn.init.zeros_(layer.bias)
        if layer is not weights[-1]:
            torch.nn.init.kaiming_normal_(layer.weight)
        else:
            torch.nn.init.xavier_normal_(layer.weight)
    return net


def cut_shards(labels, clients, partition):
    if partition == 'iid':
        return numpy.array_split(numpy.random.permutation(len(labels)), clients)
    alpha = float(partition.split(':')[1])
    parts = [[] for _ in range(clients)]
    for label in range(10):
        order = numpy.random.permutation(numpy.flatnonzero(labels == label))
        cuts = numpy.cumsum(numpy.random.dirichlet(clients * [alpha]))[:-1]
        for part, piece in zip(parts, numpy.split(order, numpy.rint(cuts * len(order)).astype(int))):
            part.append(piece)
    return [shard for shard in map(numpy.concatenate, parts) if len(shard) > 0]


def learn(options, seed):
    """The accuracy after the rounds."""
    torch.manual_seed(seed)
    numpy.random.seed(seed)
    (pixels, labels), (test, answers) = load(options)
    shards = cut_shards(labels.numpy(), int(options['learners']), options['partition'])
    net = make_net(options['task'], pixels[:1])
    count = max(1, round(float(options['sample-fraction']) * len(shards)))
    batch = int(options['batch-size'])
    samples = 0 if options['samples'] == 'auto' else int(options['samples'])
    model = [value.detach().clone() for value in net.parameters()]
    for _ in range(int(options['rounds'])):
        total, mean = 0, [torch.zeros_like(value) for value in model]
        for client in numpy.random.permutation(len(shards))[:count]:
            for value, start in zip(net.parameters(), model):
                value.data.copy_(start)
            shard = numpy.random.permutation(shards[client])[:samples or None]
            optimizer = torch.optim.SGD(net.parameters(), lr=float(options['step-size']))
            for _ in range(int(options['epochs'])):
                order = torch.from_numpy(numpy.random.permutation(shard))
                for part in order.split(batch):
                    optimizer.zero_grad()
                    torch.nn.functional.cross_entropy(net(pixels[part]), labels[part]).backward()
                    optimizer.step()
            total += len(shard)
            for value, end in zip(mean, net.parameters()):
                value += len(shard) * end.detach()
        model = [value / total for value in mean]
    for value, end in zip(net.parameters(), model):
        value.data.copy_(end)
    with torch.no_grad():
        guesses = torch.cat([net(part).argmax(1) for part in test.split(1000)])
    return (guesses == answers).float().mean().item()


def simulate(preset, seed, *options):
    """The accuracy and the options of a run of dlearn-fedavg."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f'{os.environ["DLEARN_PROGRAMS"]}/dlearn-fedavg', f'--preset={preset}', f'--RngRun={seed}',
                        f'--out={folder}/out', *options], check=True, stdout=subprocess.DEVNULL)
        with open(f'{folder}/out/summary.json', encoding='utf-8') as file:
            summary = json.load(file)
    return summary['final']['accuracy'], summary['parameters']


class PresetTest(unittest.TestCase):
    """Short runs of both."""

    def test_presets_learn_as_in_pytorch(self):
        for preset in PRESETS:
            runs = [simulate(preset, 1 + seed, *SHORT) for seed in range(SEEDS)]
            ours = numpy.array([accuracy for accuracy, _ in runs])
            theirs = numpy.array([learn(runs[0][1], seed) for seed in range(SEEDS)])
            error = numpy.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / SEEDS)
            print(f'{preset}: {ours.mean():.4f}, PyTorch {theirs.mean():.4f}, standard error {error:.4f}')
            with self.subTest(preset=preset):
                self.assertLess(abs(ours.mean() - theirs.mean()), QUANTILE * error)


if __name__ == '__main__':
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding='utf-8') as summary_file:
            print(learn(json.load(summary_file)['parameters'], int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    else:
        unittest.main()
