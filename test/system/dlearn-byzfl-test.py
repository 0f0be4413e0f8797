#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Aggregators, pre-aggregations and attacks of dlearn-aggregate beside those of ByzFL.

It needs byzfl, SciPy, PyTorch and the folder DLEARN_PROGRAMS; test/byzfl.sh installs byzfl.

The definitions differ in the following, which is not compared:

* ByzFL approximates the largest eigenvalues of CAF and SMEA by one step of the power method from a
  random vector, dlearn computes them. In one dimension, where that step is exact, SMEA is compared.
* CAF of ByzFL takes the maximum over all vectors, as printed, dlearn over those whose weight is not
  0: they differ from the second step on.
* CenteredClipping of ByzFL begins where its last call ended, dlearn at the origin.
* Of vectors that are equally good, ByzFL may take any (argpartition), dlearn the first.
* ByzFL has vectors that are not finite in its sums, dlearn leaves them out.
* Gaussian vectors are drawn from other generators.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import types
import unittest

import numpy

# Its package also imports what draws the figures of its benchmark.
package = types.ModuleType('byzfl')
package.__path__ = importlib.util.find_spec('byzfl').submodule_search_locations
sys.modules['byzfl'] = package
from byzfl import aggregators, attacks  # noqa: E402

F = 3
COUNT = 13
TOLERANCE = 1e-6  # relative; both compute in 64 bits
SEEDS = range(3)
# Ours, and what makes theirs for f Byzantine vectors.
RULES = {
    'Average': lambda f: aggregators.Average(),
    'Median': lambda f: aggregators.Median(),
    'TrimmedMean': aggregators.TrMean,
    'SmoothedWeiszfeld:nu=0.2,t=8': lambda f: aggregators.GeometricMedian(nu=0.2, T=8),
    'Krum': aggregators.Krum,
    'MultiKrum': aggregators.MultiKrum,
    'CenteredClipping:l=4,tau=2.5': lambda f: aggregators.CenteredClipping(L=4, tau=2.5),
    'Mda': aggregators.MDA,
    'Meamed': aggregators.Meamed,
}
STAGES = {
    'Nnm': aggregators.NNM,
    'Clipping:c=3': lambda f: aggregators.Clipping(c=3.0),
    'Arc': aggregators.ARC,
}
ATTACKS = {
    'SignFlipping': attacks.SignFlipping(),
    'InnerProduct:tau=0.7': attacks.InnerProductManipulation(tau=0.7),
    'Alie:tau=1.2': attacks.ALittleIsEnough(tau=1.2),
    'Mimic:epsilon=2': attacks.Mimic(epsilon=2),
}
SEARCHES = {
    'OptimalInnerProduct': attacks.Optimal_InnerProductManipulation,
    'OptimalAlie': attacks.Optimal_ALittleIsEnough,
}


def draw(seed, count=COUNT, dimension=6):
    """Normal vectors, the last F of which are far from the others."""
    vectors = numpy.random.default_rng(seed).normal(1, 1, (count, dimension))
    vectors[-F:] *= 5
    return vectors


def aggregate(vectors, rule, *options):
    """What dlearn-aggregate prints."""
    with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
        numpy.savetxt(file, vectors, delimiter=',', fmt='%.17g')
        file.flush()
        program = os.path.join(os.environ['DLEARN_PROGRAMS'], 'dlearn-aggregate')
        line = subprocess.run([program, f'--in={file.name}', f'--aggregator={rule}', f'--f={F}', *options],
                              check=True, capture_output=True, text=True).stdout
    return numpy.array([float(word) for word in line.split(',')])


class ByzFlTest(unittest.TestCase):
    """The same vectors in both."""

    def expect(self, ours, theirs, **case):
        with self.subTest(**case):
            numpy.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE)

    def test_aggregators(self):
        for seed in SEEDS:
            for name, rule in RULES.items():
                for count in (COUNT, COUNT + 1):
                    vectors = draw(seed, count)
                    self.expect(aggregate(vectors, name), rule(F)(vectors.copy()), rule=name, seed=seed)
            line = draw(seed, dimension=1)
            self.expect(aggregate(line, 'Smea'), aggregators.SMEA(F)(line), rule='Smea', seed=seed)

    def test_pre_aggregations(self):
        for seed in SEEDS:
            vectors = draw(seed)
            for name, stage in STAGES.items():
                for rule in ('TrimmedMean', 'Krum'):
                    self.expect(aggregate(vectors, rule, f'--pre={name}'), RULES[rule](F)(stage(F)(vectors.copy())),
                                pre=name, rule=rule, seed=seed)
            numpy.random.seed(seed)
            order = '-'.join(map(str, numpy.random.permutation(COUNT)))
            numpy.random.seed(seed)
            self.expect(aggregate(vectors, 'Median', f'--pre=Bucketing:s=2,permutation={order}'),
                        RULES['Median'](F)(aggregators.Bucketing(s=2)(vectors)), pre='Bucketing', seed=seed)

    def test_attacks(self):
        for seed in SEEDS:
            honest = draw(seed)[:-F]
            for name, attack in ATTACKS.items():
                forged = (aggregate(honest, 'Average', f'--attack={name}') * COUNT - honest.sum(axis=0)) / F
                self.expect(forged, attack(honest.copy()), attack=name, seed=seed)

    def test_attacks_on_a_defence(self):
        for seed in SEEDS:
            honest = draw(seed)[:-F]
            for name, attack in SEARCHES.items():
                for rule in ('Average', 'TrimmedMean', 'Meamed'):
                    defence, stage = RULES[rule](F), aggregators.NNM(F)
                    forged = attack(agg=defence, pre_agg_list=[stage], f=F)(honest.copy())
                    theirs = defence(stage(numpy.vstack([honest] + F * [forged])))
                    self.expect(aggregate(honest, rule, '--pre=Nnm', f'--attack={name}'), theirs,
                                attack=name, rule=rule, seed=seed)


if __name__ == '__main__':
    unittest.main()
