# SPDX-License-Identifier: GPL-2.0-only
"""A ClientApp of Flower as a learner in the simulated networks of dlearn."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy
from flwr.app import (
    Array,
    ArrayRecord,
    ConfigRecord,
    Context,
    Message,
    Metadata,
    RecordDict,
)
from flwr.clientapp import ClientApp

from . import Config, Vector, serve

Records = Union[ArrayRecord, Mapping[str, Any]]
ARRAYS, CONFIG, SAMPLES = "arrays", "config", "num-examples"  # names in the messages of Flower


def serve_flower(
    app: ClientApp,
    arrays: Union[Records, Callable[[], Records]],
    samples: Union[int, Sequence[int]],
    run_config: Optional[Mapping[str, Any]] = None,
    config: Optional[Mapping[str, Any]] = None,
    loss: str = "eval_loss",
    accuracy: str = "eval_acc",
    **options: Any,
) -> None:
    """Train and evaluate by a ClientApp in place of the clients, until the program ends.

    Client k = 1, 2, ... is the node with ``partition-id`` k - 1, and keeps its ``context.state``.
    All arrays travel, one after the other, as one vector; whole numbers, such as counters of batch
    normalization, are rounded when they arrive.

    Args:
        app: has functions for the messages ``train`` and, maybe, ``evaluate``.
        arrays: initial ones, an ArrayRecord or the ``state_dict()`` of a module of PyTorch, or a
            function that makes them.
        samples: how many samples each client has, one number for all or one for each. The weight of
            an update is its metric ``num-examples``.
        run_config: ``context.run_config``.
        config: ConfigRecord of all messages; ``server-round`` (from 1) and what a planner sets are
            added.
        loss: metric that is the loss of a model, the mean over all clients by ``num-examples``.
        accuracy: the same for accuracy.
        options: of `dlearn_learner.serve`: figures (metrics of ``train``), metrics (of
            ``evaluate``) and flops.
    """
    contexts: Dict[int, Context] = {}
    dtypes: Dict[str, Tuple[numpy.dtype, Tuple[int, ...]]] = {}

    def initial(_: Config) -> Vector:
        made = arrays() if callable(arrays) else arrays
        record = made if isinstance(made, ArrayRecord) else ArrayRecord(dict(made))
        for name, array in record.items():
            values = array.numpy()
            dtypes[name] = (values.dtype, values.shape)
        return flatten(record)

    def flatten(record: ArrayRecord) -> Vector:
        return numpy.concatenate([record[name].numpy().ravel().astype(float) for name in dtypes])

    def restore(vector: Vector) -> ArrayRecord:
        record, begin = ArrayRecord(), 0
        for name, (dtype, shape) in dtypes.items():
            end = begin + int(numpy.prod(shape))
            part = numpy.asarray(vector)[begin:end].reshape(shape)
            part = numpy.rint(part) if numpy.issubdtype(dtype, numpy.integer) else part
            record[name] = Array(numpy.asarray(part, dtype=dtype))
            begin = end
        return record

    def ask(kind: str, client: int, vector: Vector, now: Config) -> RecordDict:
        if client not in contexts:
            node = {"partition-id": client - 1, "num-partitions": now["clients"]}
            contexts[client] = Context(now["run"], client, node, RecordDict(), dict(run_config or {}))
        settings = {k: v for k, v in now.items() if isinstance(v, float)}
        record = ConfigRecord({**(config or {}), **settings, "server-round": now["round"] + 1})
        content = RecordDict({ARRAYS: restore(vector), CONFIG: record})
        metadata = Metadata(
            run_id=contexts[client].run_id,
            message_id=f"{kind}-{client}-{now['round']}",
            src_node_id=0,
            dst_node_id=client,
            reply_to_message_id="",
            group_id="",
            created_at=time.time(),
            ttl=86400.0,
            message_type=kind,
        )
        message = Message(content=content, metadata=metadata)  # type: ignore[call-overload]
        reply = app(message, contexts[client])
        if reply.has_error():
            raise RuntimeError(f"the ClientApp has answered with an error: {reply.error.reason}")
        return reply.content

    def get_metrics(content: RecordDict) -> Dict[str, Any]:
        metrics: Dict[str, Any] = {}
        for record in content.metric_records.values():
            metrics.update(record)
        if SAMPLES not in metrics:
            raise ValueError(f"the ClientApp must return the metric {SAMPLES}, got {list(metrics)}")
        return metrics

    def train(vector: Vector, now: Config) -> Tuple[Vector, float, Dict[str, float]]:
        content = ask("train", now["client"], vector, now)
        metrics = get_metrics(content)
        (record,) = content.array_records.values()
        return flatten(record), metrics[SAMPLES], metrics

    def evaluate(vector: Vector, now: Config) -> Tuple[float, float, Dict[str, float]]:
        total = 0.0
        means: Dict[str, float] = {}
        for client in range(1, now["clients"] + 1):
            metrics = get_metrics(ask("evaluate", client, vector, {**now, "round": 0}))
            weight = metrics.pop(SAMPLES)
            total += weight
            for name, value in metrics.items():
                means[name] = means.get(name, 0) + (value - means.get(name, 0)) * weight / total
        return means.pop(loss), total, {"accuracy": means.pop(accuracy, float("nan")), **means}

    serve(train, evaluate, initial, samples=samples, **options)
