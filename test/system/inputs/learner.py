# SPDX-License-Identifier: GPL-2.0-only
"""Logistic regression by gradient steps, for tests: learner.py BATCH STEP [SECONDS].

The figure in FIGURE, steps or by default chance, rides with updates.

Without NumPy, and with 4 own samples for each client where no data come.
"""

import math
import os
import random
import sys

import dlearn_learner

FIGURE = os.environ.get("FIGURE", "chance")
BATCH, STEP, SECONDS = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
rows, labels, test = [], [], ()


def split(features, count):
    flat = [float(v) for v in (features.ravel() if hasattr(features, "ravel") else features)]
    size = len(flat) // count
    return [flat[k * size:(k + 1) * size] for k in range(count)]


def initial(config):
    global rows, labels, test
    data = config["data"]
    if data is None:
        own = random.Random(config["seed"])
        rows = [[own.gauss(0, 1), own.gauss(0, 1)] for _ in range(4 * config["clients"])]
        labels = [float(row[0] > 0) for row in rows]
        test = (rows, labels)
    else:
        rows, labels = split(data.features, len(data.labels)), list(data.labels)
        test = (split(data.test_features, len(data.test_labels)), list(data.test_labels))
    return [0.0] * len(rows[0])


def score(model, row):
    return math.fsum(a * b for a, b in zip(model, row))


def gradient(model, config):
    if config["clip"] != 0:
        raise ValueError("gradients are not clipped here")
    return slope(model, config["samples"], config["weights"])


def slope(model, samples, weights):
    total = [0.0] * len(model)
    for k, weight in zip(samples, weights):
        side = 1 - 2 * labels[k]
        factor = weight * side / (1 + math.exp(-side * score(model, rows[k])))
        total = [a + factor * b for a, b in zip(total, rows[k])]
    return total


def train(model, config):
    samples = config["samples"]
    for begin in range(0, len(samples), BATCH):
        part = samples[begin:begin + BATCH]
        step = slope(model, part, [1 / len(part)] * len(part))
        rate = config.get("StepSize", STEP)
        model = [a - rate * b for a, b in zip(model, step)]
    seconds = {"seconds": float(SECONDS[0]) * config["client"]} if SECONDS else {}
    figures = {"chance": random.random(), "steps": math.ceil(len(samples) / BATCH)}
    return model, len(samples), {**figures, **seconds}


def evaluate(model, config):
    loss = math.fsum(
        weight * math.log1p(math.exp((1 - 2 * labels[k]) * score(model, rows[k])))
        for k, weight in zip(config["samples"], config["weights"])
    )
    right = sum((score(model, row) > 0) == (label > 0) for row, label in zip(*test))
    return loss, len(test[1]), {"accuracy": right / len(test[1]), "right": right}


dlearn_learner.serve(
    train,
    evaluate,
    initial,
    gradient,
    samples=4,
    figures=[FIGURE],
    metrics=["right"],
    flops=100,
    timed=bool(SECONDS),
)
