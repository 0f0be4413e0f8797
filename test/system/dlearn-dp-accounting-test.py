# SPDX-License-Identifier: GPL-2.0-only
"""Compare `dlearn-privacy fedavg` with Google's dp-accounting, and with Opacus.

Their accountants compose the privacy loss distributions of (Poisson-sampled) Gaussian events
independently of this program. Epsilons agree to 1e-3; ours is never smaller than that of
dp-accounting by more than 1e-4, and never above that of Renyi differential privacy. Of a client
that is replaced, dp-accounting composes the losses of the worst pair of distributions.
"""

import importlib.util
import math
import os
import subprocess
import sys
import types
import unittest

import dp_accounting
import numpy as np
from dp_accounting import pld, rdp
from dp_accounting.pld import pld_pmf
from scipy.stats import norm

PRIVACY = os.path.join(os.environ["DLEARN_PROGRAMS"], "dlearn-privacy")
ADD_REMOVE = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE


def import_opacus():
    """The accountants of Opacus, without PyTorch, which they do not need."""
    package = types.ModuleType("opacus")
    package.__path__ = importlib.util.find_spec("opacus").submodule_search_locations
    optimizers = types.ModuleType("opacus.optimizers")
    optimizers.DPOptimizer = object
    sys.modules.update({"opacus": package, "opacus.optimizers": optimizers})
    return importlib.import_module("opacus.accountants")


def plan(**options):
    """The fields that the program prints."""
    command = [PRIVACY, "fedavg"] + [
        "--%s=%s" % (name.replace("_", "-"), value) for name, value in options.items()
    ]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if not line.startswith("#")]
    fields = dict(line.split("=", 1) for line in lines)
    return float(fields["noise_multiplier"]), float(fields["epsilon"])


def account(accountant, q, multiplier, rounds, delta):
    event = dp_accounting.GaussianDpEvent(multiplier)
    if q < 1:
        event = dp_accounting.PoissonSampledDpEvent(q, event)
    return accountant.compose(event, rounds).get_epsilon(delta)


def plan_in_secret(clients, drawn, multiplier, rounds, delta, adjacency="add-remove"):
    """The epsilon of a federation whose server draws clients in secret."""
    _, epsilon = plan(
        learners=clients,
        sample_count=drawn,
        secret_sampling="true",
        adjacency=adjacency,
        noise_multiplier=multiplier,
        rounds=rounds,
        delta=delta,
    )
    return epsilon


def account_replaced(q, multiplier, rounds, delta, pessimistic):
    """(1-q) N(0) + q N(m) against (1-q) N(0) + q N(-m), with losses rounded up, or down."""
    interval = 2e-5
    m = 1 / multiplier
    x = np.linspace(-12 - m, 12 + m, 1000001)
    with_update, with_other = (
        np.log(1 - q + q * np.exp(sign * m * x - m * m / 2)) for sign in (1, -1)
    )
    losses = (with_update - with_other) / interval
    masses = np.diff((1 - q) * norm.cdf(x) + q * norm.cdf(x - m))
    rounded = np.ceil(losses[1:]) if pessimistic else np.floor(losses[:-1])
    values, places = np.unique(rounded.astype(int), return_inverse=True)
    mass = dict(zip(values.tolist(), np.bincount(places, masses).tolist()))
    pmf = pld_pmf.create_pmf(mass, interval, 0, pessimistic)
    return pmf.self_compose(rounds).get_epsilon_for_delta(delta)


class SecretSampling(unittest.TestCase):
    CASES = [  # clients, drawn, noise multiplier, rounds, delta
        (100, 20, 2, 30, 1e-5),
        (100, 20, 1, 30, 1e-5),
        (100, 20, 0.6, 30, 1e-5),
        (100, 1, 0.8, 1000, 1e-5),
        (1000, 20, 0.7, 200, 1e-6),
        (1000, 10, 1.1, 5000, 1e-5),
        (100, 90, 3, 10, 1e-5),
        (10, 5, 8, 3, 1e-3),
        (100, 20, 2, 1, 1e-5),
    ]

    def test_epsilons_are_those_of_dp_accounting(self):
        for clients, drawn, multiplier, rounds, delta in self.CASES:
            with self.subTest(clients=clients, drawn=drawn, multiplier=multiplier, rounds=rounds):
                ours = plan_in_secret(clients, drawn, multiplier, rounds, delta)
                q = drawn / clients
                fine = pld.PLDAccountant(ADD_REMOVE, value_discretization_interval=1e-5)
                expected = account(fine, q, multiplier, rounds, delta)
                orders = list(range(2, 200))
                renyi = account(rdp.RdpAccountant(orders, ADD_REMOVE), q, multiplier, rounds, delta)
                self.assertLessEqual(abs(ours - expected), 1e-3 * expected, (ours, expected))
                self.assertGreaterEqual(ours, expected * (1 - 1e-4))
                self.assertLessEqual(ours, renyi)

    def test_epsilons_are_those_of_clients_that_are_replaced(self):
        for clients, drawn, multiplier, rounds, delta in (
            (100, 20, 1.854657, 30, 1e-5),
            (100, 20, 4, 30, 1e-5),
            (1000, 20, 2, 200, 1e-6),
            (100, 90, 3, 10, 1e-5),
        ):
            with self.subTest(clients=clients, drawn=drawn, multiplier=multiplier, rounds=rounds):
                case = drawn / clients, multiplier, rounds, delta
                ours = plan_in_secret(clients, drawn, multiplier, rounds, delta, "replace")
                low, high = (account_replaced(*case, up) for up in (False, True))
                expected = (low + high) / 2
                self.assertGreater(ours, low)
                self.assertLessEqual(abs(ours - expected), 1e-3 * expected, (ours, expected))

    def test_epsilons_are_those_of_opacus(self):
        accountants = import_opacus()
        for clients, drawn, multiplier, rounds, delta in self.CASES[:3]:
            with self.subTest(clients=clients, drawn=drawn, multiplier=multiplier, rounds=rounds):
                ours = plan_in_secret(clients, drawn, multiplier, rounds, delta)
                accountant = accountants.PRVAccountant()
                accountant.history = [(multiplier, drawn / clients, rounds)]
                error = 2e-4 * ours  # part of what it returns
                expected = accountant.get_epsilon(delta, eps_error=error) - error
                self.assertLessEqual(abs(ours - expected), 1e-3 * expected, (ours, expected))

    def test_noise_meets_the_target(self):
        for target in (0.5, 3, 8):
            multiplier, epsilon = plan(
                learners=100,
                sample_count=20,
                secret_sampling="true",
                adjacency="add-remove",
                target_epsilon=target,
                rounds=30,
            )
            fine = pld.PLDAccountant(ADD_REMOVE, value_discretization_interval=1e-5)
            expected = account(fine, 0.2, multiplier, 30, 1e-5)
            self.assertTrue(math.isclose(epsilon, target, rel_tol=1e-6))
            self.assertTrue(math.isclose(expected, target, rel_tol=1e-3), (expected, target))


class PublicSampling(unittest.TestCase):
    def test_epsilons_are_those_of_plain_gaussian_noise(self):
        for model in ("cdp", "ldp"):
            for adjacency, distance in (("add-remove", 1), ("replace", 2)):
                _, ours = plan(
                    learners=100,
                    threat_model=model,
                    adjacency=adjacency,
                    noise_multiplier=5,
                    rounds=30,
                )
                fine = pld.PLDAccountant(value_discretization_interval=1e-5)
                expected = account(fine, 1, 5 / distance, 30, 1e-5)
                self.assertTrue(math.isclose(ours, expected, rel_tol=1e-3), (ours, expected))


if __name__ == "__main__":
    unittest.main()
