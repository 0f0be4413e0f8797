# SPDX-License-Identifier: GPL-2.0-only
"""Your own learner: softmax regression in NumPy.

    dlearn-fedavg --learner="python3 numpy_client.py 0.5" --data=glyphs --network=wifi-infra
"""

import sys

import numpy as np

import dlearn_learner

STEP = float(sys.argv[1])


def initial(config):
    data = config["data"]
    return np.zeros((data.features.shape[1], data.classes))


def get_scores(model, features):
    return features @ model.reshape(features.shape[1], -1)


def get_slopes(scores, labels):
    """The derivative of each sample's cross-entropy by its scores, and the cross-entropy."""
    scores = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rows = np.arange(len(labels)), labels.astype(int)
    losses = -np.log(shares[rows])
    shares[rows] -= 1
    return shares, losses


def train(model, config):
    data, samples = config["data"], config["samples"]
    for batch in np.array_split(samples, max(len(samples) // 20, 1)):
        features = data.features[batch]
        slopes, _ = get_slopes(get_scores(model, features), data.labels[batch])
        model = model - STEP * (features.T @ slopes).ravel() / len(batch)
    return model, len(samples), {}


def evaluate(model, config):
    data, samples = config["data"], config["samples"]
    _, losses = get_slopes(get_scores(model, data.features[samples]), data.labels[samples])
    winners = get_scores(model, data.test_features).argmax(axis=1)
    accuracy = np.mean(winners == data.test_labels)
    return losses @ config["weights"], len(samples), {"accuracy": accuracy}


dlearn_learner.serve(train, evaluate, initial)
