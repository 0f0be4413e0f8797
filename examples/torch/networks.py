#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write a network as a TorchScript file, for --task=torch:FILE.

    python3 networks.py resnet18 resnet18.pt
    dlearn-cafcor --data=cifar10 --normalize --task=torch:resnet18.pt

resnet18: that of He et al., "Deep residual learning for image recognition" (2016), as it is common
for the 32 x 32 images of CIFAR-10: the first convolution is 3 x 3 and no pool follows. Group
normalization (Wu and He, "Group normalization", 2018) stands where batch normalization was, which
mixes the samples of a batch: a learner's gradient would be no sum over samples, and could not be
clipped by sample.

cnn: that of --task=cnn.

lstm: that of LEAF for the next character of Shakespeare's text (Caldas et al., "LEAF: a benchmark
for federated settings", 2018), which comes as numbers of 80 characters.

Needs PyTorch; on Debian: apt-get install --no-install-recommends python3-torch
"""

import argparse

import torch
from torch import nn


def normalize(channels, groups):
    return nn.GroupNorm(groups, channels)


class Block(nn.Module):
    """Two convolutions, and a way around them."""

    def __init__(self, inputs, outputs, stride, groups):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
            normalize(outputs, groups),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            normalize(outputs, groups),
        )
        self.around = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.around = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), normalize(outputs, groups)
            )

    def forward(self, x):
        return torch.relu(self.body(x) + self.around(x))


def make_resnet18(channels, classes, width, groups):
    layers = [
        nn.Conv2d(channels, width, 3, padding=1, bias=False),
        normalize(width, groups),
        nn.ReLU(),
    ]
    inputs = width
    for outputs, stride in ((width, 1), (2 * width, 2), (4 * width, 2), (8 * width, 2)):
        layers += [Block(inputs, outputs, stride, groups), Block(outputs, outputs, 1, groups)]
        inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)]
    return nn.Sequential(*layers)


def make_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10),
    )  # fmt: skip


class Lstm(nn.Module):
    """The character after a text."""

    def __init__(self, units, layers, characters=80, embedding=8):
        super().__init__()
        self.embedding = nn.Embedding(characters, embedding)
        self.lstm = nn.LSTM(embedding, units, layers, batch_first=True)
        self.last = nn.Linear(units, characters)

    def forward(self, x):
        states, _ = self.lstm(self.embedding(x.long()))
        return self.last(states[:, -1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=("resnet18", "cnn", "lstm"))
    parser.add_argument("file", help="where to write it")
    parser.add_argument("--seed", type=int, default=1, help="of the first model (default: 1)")
    resnet = parser.add_argument_group("resnet18")
    resnet.add_argument("--channels", type=int, default=3, help="of an image (default: 3)")
    resnet.add_argument("--classes", type=int, default=10, help="outputs (default: 10)")
    resnet.add_argument("--width", type=int, default=64, help="first filters (default: 64)")
    resnet.add_argument("--groups", type=int, default=32, help="of a normalization (default: 32)")
    lstm = parser.add_argument_group("lstm")
    lstm.add_argument("--units", type=int, default=256, help="of a layer (default: 256)")
    lstm.add_argument("--layers", type=int, default=2, help="of LSTM units (default: 2)")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    if options.network == "cnn":
        module = make_cnn()
    elif options.network == "lstm":
        module = Lstm(options.units, options.layers)
    else:
        module = make_resnet18(options.channels, options.classes, options.width, options.groups)
    torch.jit.script(module).save(options.file)
    print(options.file, sum(p.numel() for p in module.parameters()), "parameters")


if __name__ == "__main__":
    main()
