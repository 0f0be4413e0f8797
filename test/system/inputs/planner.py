# SPDX-License-Identifier: GPL-2.0-only
"""Plans for tests: planner.py TEXT, an expression of Python for the plan of each round."""

import sys

import dlearn_learner


def plan(view, config):
    return eval(sys.argv[1], {**config, "view": view, "clients": view["clients"]})


dlearn_learner.serve(plan=plan, figures=["loss"], settings=["StepSize"])
