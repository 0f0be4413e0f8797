# SPDX-License-Identifier: GPL-2.0-only
"""Your own training in the simulated networks of dlearn.

A program of dlearn starts your script, asks it to train in place of the clients, and simulates how
models and updates travel::

    import dlearn_learner

    def initial(config):
        return numpy.zeros(785)

    def train(model, config):
        ...
        return model, samples, {"loss": loss}

    def evaluate(model, config):
        return loss, samples, {"accuracy": accuracy}

    dlearn_learner.serve(train=train, evaluate=evaluate, initial=initial, samples=600)

and, in a shell, ``dlearn-fedavg --learner="python3 client.py" --network=wifi-infra``.

``config`` is a dict. It always has:

* ``clients``: the number of learners that train, which are numbered from 1;
* ``seed`` and ``run``: those of ns-3;
* ``data``: the samples of the option ``data``, see `Data`, or None if the script has its own.

More depends on the function:

* ``client``, from 1, and ``round``, from 0, in ``train``;
* ``samples``: positions of the samples that count, in ``data``, or in the samples of all clients
  one after the other if the script has its own; in ``train`` those of the round, in the order of
  use;
* ``weights``: one for each of these, in ``evaluate`` and ``gradient``;
* ``clip``: the largest norm of the gradient of a sample, 0 for no clipping, in ``gradient``.

Models, positions and weights are arrays of NumPy where it is installed, else of the module
``array``; your functions may return any sequence of numbers. Before each call the generators of
``random``, NumPy and PyTorch are seeded from seed, client and round, so that results do not depend
on the number of processes. Nothing but the functions below is needed to use PyTorch; see
`dlearn_learner.torch.serve_torch`.
"""

from __future__ import annotations

import array
import random
import socket
import struct
import sys
import traceback
import zlib
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

__all__ = ["Data", "serve", "serve_torch"]

VERSION = 1
SOCKET = 3  # the file descriptor on which the program asks
HELLO, TRAIN, EVALUATE, GRADIENT = 1, 2, 3, 4

Vector = Sequence[float]
Config = Dict[str, Any]
Train = Callable[[Vector, Config], Tuple[Vector, float, Dict[str, float]]]
Evaluate = Callable[[Vector, Config], Tuple[float, float, Dict[str, float]]]


class Data(NamedTuple):
    """The samples of the option ``data``: one row each, or with the module ``array`` one row after
    the other. There are no classes in a regression."""

    features: Any
    labels: Any
    test_features: Any
    test_labels: Any
    classes: int


class Body:
    """Takes numbers and arrays from the body of a question."""

    def __init__(self, data: memoryview) -> None:
        self.data = data

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack_from("<" + kind, self.data)
        self.data = self.data[struct.calcsize("<" + kind):]
        return value

    def array(self, kind: str) -> Any:
        size = self.number("Q") * struct.calcsize("<" + kind)
        part, self.data = self.data[:size], self.data[size:]
        if numpy is not None:
            values = numpy.frombuffer(part, dtype={"d": "<f8", "I": "<u4"}[kind])
            return numpy.require(values, requirements="AW")
        return array.array(kind, bytes(part))


def pack(kind: str, values: Iterable[float]) -> bytes:
    """An array after its length."""
    if numpy is not None and kind == "d":
        flat = numpy.ascontiguousarray(values, dtype="<f8").ravel()
        return struct.pack("<Q", flat.size) + flat.tobytes()
    packed = array.array(kind, values)
    return struct.pack("<Q", len(packed)) + packed.tobytes()


def seed_generators(*numbers: int) -> None:
    """Seed the generators of the modules that are loaded."""
    seed = zlib.crc32(struct.pack(f"<{len(numbers)}Q", *numbers))
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


class Learner:
    """Answers the questions of a program by the functions of `serve`."""

    def __init__(
        self,
        train: Optional[Train],
        evaluate: Optional[Evaluate],
        gradient: Optional[Callable[[Vector, Config], Vector]],
        initial: Callable[[Config], Vector],
        samples: Union[None, int, Sequence[int]],
        figures: Sequence[str],
        flops: float,
    ) -> None:
        self.train, self.evaluate, self.gradient = train, evaluate, gradient
        self.initial, self.samples, self.figures, self.flops = initial, samples, figures, flops
        self.config: Config = {}
        self.answers = {
            HELLO: self.answer_hello,
            TRAIN: self.answer_train,
            EVALUATE: self.answer_evaluate,
            GRADIENT: self.answer_gradient,
        }

    def seed(self, client: int, step: int) -> None:
        seed_generators(self.config["seed"], self.config["run"], client, step)

    def answer_hello(self, body: Body) -> bytes:
        version = body.number("I")
        if version != VERSION:
            raise RuntimeError(f"dlearn has version {version} of the protocol, this is {VERSION}")
        clients, seed, run = body.number("I"), body.number("I"), body.number("Q")
        features, classes = body.number("I"), body.number("I")
        parts: List[Any] = [body.array("d") for _ in range(4)]
        if numpy is not None and features > 0:
            parts[0::2] = [part.reshape(-1, features) for part in parts[0::2]]
        data = Data(*parts, classes) if features > 0 else None
        self.config = {"clients": clients, "seed": seed, "run": run, "data": data}
        self.seed(0, 0)
        model = self.initial(dict(self.config))
        samples = [] if self.samples is None else self.samples
        counts = [samples] * clients if isinstance(samples, int) else list(samples)
        abilities = sum(
            1 << bit
            for bit, function in enumerate((self.train, self.evaluate, self.gradient))
            if function
        )
        names = [name.encode() for name in self.figures]
        return (
            struct.pack("<IId", VERSION, abilities, self.flops)
            + pack("d", model)
            + pack("Q", counts)
            + struct.pack("<I", len(names))
            + b"".join(struct.pack("<Q", len(name)) + name for name in names)
        )

    def answer_train(self, body: Body) -> bytes:
        client, step = body.number("I"), body.number("I")
        config = {**self.config, "client": client, "round": step, "samples": body.array("I")}
        self.seed(client, step)
        model, samples, figures = self.train(body.array("d"), config)  # type: ignore[misc]
        missing = [name for name in self.figures if name not in figures]
        if missing:
            raise ValueError(f"train() must return the figure {missing[0]}, got {list(figures)}")
        values = [samples, *(figures[name] for name in self.figures)]
        return pack("d", model) + pack("d", values)

    def answer_evaluate(self, body: Body) -> bytes:
        config = {**self.config, "samples": body.array("I"), "weights": body.array("d")}
        self.seed(0, 0)
        loss, _, figures = self.evaluate(body.array("d"), config)  # type: ignore[misc]
        return struct.pack("<dd", loss, figures.get("accuracy", float("nan")))

    def answer_gradient(self, body: Body) -> bytes:
        config = {**self.config, "samples": body.array("I"), "weights": body.array("d")}
        config["clip"] = body.number("d")
        self.seed(0, 0)
        return pack("d", self.gradient(body.array("d"), config))  # type: ignore[misc]

    def answer(self, question: int, body: Body) -> bytes:
        """The first byte and the body of an answer."""
        try:
            return b"\0" + self.answers[question](body)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            sys.stderr.flush()
            return b"\1" + f"{type(error).__name__}: {error}".encode()


def receive(connection: socket.socket, size: int) -> Optional[bytearray]:
    """Some bytes; None at the end of the connection."""
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = connection.recv_into(view)
        if count == 0:
            return None
        view = view[count:]
    return data


def serve(
    train: Optional[Train] = None,
    evaluate: Optional[Evaluate] = None,
    initial: Optional[Callable[[Config], Vector]] = None,
    gradient: Optional[Callable[[Vector, Config], Vector]] = None,
    samples: Union[None, int, Sequence[int]] = None,
    figures: Sequence[str] = (),
    flops: float = 0,
) -> None:
    """Answer the questions of the program that has started this one, until it ends.

    Each process has all functions, and trains its share of the clients. A function may keep what
    it likes for each client from round to round.

    Args:
        train: trains a client, ``train(model, config) -> (model, samples, figures)``; ``samples``
            is the weight of the update in the server's mean.
        evaluate: measures a model, ``evaluate(model, config) -> (loss, samples, figures)``: the
            loss is the mean over ``config["samples"]``, by ``config["weights"]``; the figure
            ``accuracy``, if any, is that of the test samples.
        initial: gives the model from which all learners begin, ``initial(config) -> model``.
        gradient: gives a gradient, ``gradient(model, config) -> gradient``, for algorithms that
            make their own steps, such as those of peers: the mean over ``config["samples"]``, by
            ``config["weights"]``.
        samples: how many samples each client has, one number for all or one for each. Needed if
            the script has its own data.
        figures: names of the figures that ride with each update.
        flops: floating-point operations of the gradient of a sample, from which simulated
            computing times follow; 0: six for each parameter.
    """
    if initial is None:
        raise TypeError("serve() needs the function initial")
    try:
        connection = socket.socket(fileno=SOCKET)
    except OSError:
        sys.exit('dlearn_learner: a program of dlearn starts this one: --learner="python3 FILE"')
    learner = Learner(train, evaluate, gradient, initial, samples, figures, flops)
    with connection:
        while True:
            head = receive(connection, 8)
            frame = receive(connection, struct.unpack("<Q", head)[0]) if head else None
            if not frame:
                return
            answer = learner.answer(frame[0], Body(memoryview(frame)[1:]))
            connection.sendall(struct.pack("<Q", len(answer)))
            connection.sendall(answer)


def serve_torch(*args: Any, **kwargs: Any) -> None:
    """See `dlearn_learner.torch.serve_torch`."""
    from . import torch  # pylint: disable=import-outside-toplevel

    torch.serve_torch(*args, **kwargs)
