# SPDX-License-Identifier: GPL-2.0-only
"""Federated averaging of a small network on MNIST, in PyTorch alone.

    python3 mnist_plain.py FOLDER CLIENTS ROUNDS
"""

import gzip
import sys

import numpy as np
import torch
from torch import nn

folder, clients, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def load(name, header):
    with gzip.open(f"{folder}/{name}-ubyte.gz") as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def load_pair(part):
    images = load(f"{part}-images-idx3", 16).reshape(-1, 1, 28, 28) / np.float32(255)
    return torch.tensor(images), torch.tensor(load(f"{part}-labels-idx1", 8).astype(int))


images, labels = load_pair("train")
test_images, test_labels = load_pair("t10k")
torch.manual_seed(1)
net = nn.Sequential(
    nn.Conv2d(1, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 5), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10),
)  # fmt: skip
criterion = nn.CrossEntropyLoss()


def train(client):
    """Train on the client's share, with images shifted by up to two pixels; the mean loss."""
    share = torch.arange(client - 1, len(labels), clients)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
    total = 0.0
    for batch in share[torch.randperm(len(share))].split(50):
        shift = torch.randint(-2, 3, (2,)).tolist()
        optimizer.zero_grad()
        loss = criterion(net(images[batch].roll(shift, (2, 3))), labels[batch])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    return total / len(share)


def test():
    """The loss and the accuracy on the test images."""
    outputs = [net(batch) for batch in test_images.split(1000)]
    scores = torch.cat(outputs)
    accuracy = (scores.argmax(1) == test_labels).float().mean().item()
    return criterion(scores, test_labels).item(), accuracy


for number in range(rounds):
    start = [part.detach().clone() for part in net.parameters()]
    total = [torch.zeros_like(part, dtype=torch.float64) for part in start]
    for client in range(1, clients + 1):
        for part, value in zip(net.parameters(), start):
            part.data.copy_(value)
        torch.manual_seed(1000 * number + client)
        train(client)
        for sum_, part in zip(total, net.parameters()):
            sum_ += part.detach() / clients
    for part, sum_ in zip(net.parameters(), total):
        part.data.copy_(sum_)
    with torch.no_grad():
        print(number, *test(), flush=True)
