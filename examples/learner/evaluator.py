# SPDX-License-Identifier: GPL-2.0-only
"""Your own metric: the F1 score of softmax regression, the mean over the classes.

    dlearn-fedavg --evaluator="python3 evaluator.py" --data=glyphs --network=wifi-infra
"""

import numpy as np

import dlearn_learner


def evaluate(model, config):
    data = config["data"]
    guesses = (data.test_features @ model.reshape(data.classes, -1).T).argmax(axis=1)
    scores = []
    for label in range(data.classes):
        hits = np.sum((guesses == label) & (data.test_labels == label))
        scores.append(2 * hits / (np.sum(guesses == label) + np.sum(data.test_labels == label)))
    return np.nan, len(data.test_labels), {"f1": np.mean(scores)}


dlearn_learner.serve(evaluate=evaluate, metrics=["f1"])
