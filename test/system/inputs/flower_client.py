# SPDX-License-Identifier: GPL-2.0-only
"""A ClientApp of Flower for tests: two layers with batch normalization on points of its own.

As a program it is a learner of dlearn.
"""

import torch
from flwr.app import ArrayRecord, MetricRecord, RecordDict, Message
from flwr.clientapp import ClientApp

app = ClientApp()


def make_net():
    torch.manual_seed(5)
    return torch.nn.Sequential(
        torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.ReLU(), torch.nn.Linear(6, 2)
    )


def load(context):
    number = context.node_config["partition-id"]
    generator = torch.Generator().manual_seed(number)
    points = torch.randn(20 + 10 * number, 4, generator=generator)
    return points, (points.sum(1) > 0).long()


def take_net(message):
    net = make_net()
    net.load_state_dict(message.content["arrays"].to_torch_state_dict())
    return net


@app.train()
def train(message, context):
    net, (points, labels) = take_net(message), load(context)
    seen = context.state.metric_records.setdefault("seen", MetricRecord({"rounds": 0}))
    seen["rounds"] += 1
    optimizer = torch.optim.SGD(net.parameters(), lr=message.content["config"]["lr"], momentum=0.9)
    for _ in range(context.run_config["local-epochs"]):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(points), labels)
        loss.backward()
        optimizer.step()
    metrics = {"train_loss": loss.item(), "rounds": seen["rounds"], "num-examples": len(labels)}
    content = {"arrays": ArrayRecord(net.state_dict()), "metrics": MetricRecord(metrics)}
    return Message(content=RecordDict(content), reply_to=message)


@app.evaluate()
def evaluate(message, context):
    net, (points, labels) = take_net(message), load(context)
    net.eval()
    scores = net(points)
    loss = torch.nn.functional.cross_entropy(scores, labels).item()
    accuracy = (scores.argmax(1) == labels).float().mean().item()
    metrics = {"eval_loss": loss, "eval_acc": accuracy, "num-examples": len(labels), "half": 0.5}
    return Message(content=RecordDict({"metrics": MetricRecord(metrics)}), reply_to=message)


if __name__ == "__main__":
    import dlearn_learner

    dlearn_learner.serve_flower(
        app,
        make_net().state_dict(),
        samples=[20, 30, 40],
        run_config={"local-epochs": 2},
        config={"lr": 0.1},
        figures=["train_loss", "rounds"],
        metrics=["half"],
    )
