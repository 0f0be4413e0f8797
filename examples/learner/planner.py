# SPDX-License-Identifier: GPL-2.0-only
"""Your own planner: the half of the clients that answers fastest, with shorter and shorter steps.

    dlearn-fedavg --planner="python3 planner.py" --network=wifi-infra
"""

import dlearn_learner


def plan(view, config):
    seconds = {number: client.get("seconds", 0) for number, client in view["clients"].items()}
    fastest = sorted(seconds, key=seconds.get)[: max(len(seconds) // 2, 1)]
    return {
        "clients": fastest,
        "deadline": 2 * max(seconds[number] for number in fastest),
        "StepSize": 1 / (1 + view["round"]),
    }


dlearn_learner.serve(plan=plan, settings=["StepSize"])
