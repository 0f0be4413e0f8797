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

* ``client``, from 1, and ``round``, from 0, in ``train``, with the settings that came with the
  model, such as those of a planner;
* ``samples``: positions of the samples that count, in ``data``, or in the samples of all clients
  one after the other if the script has its own; in ``train`` those of the round, in the order of
  use; in ``evaluate`` there are none if only test samples count;
* ``weights``: one for each of these, in ``evaluate`` and ``gradient``;
* ``clip``: the largest norm of the gradient of a sample, 0 for no clipping, in ``gradient``.

Models, positions and weights are arrays of NumPy where it is installed, else of the module
``array``; your functions may return any sequence of numbers. Before each call the generators of
``random``, NumPy and PyTorch are seeded from seed, client and round, so that results do not depend
on the number of processes. A module of PyTorch needs no functions on vectors, see
`dlearn_learner.torch`, nor does a ClientApp of Flower, see `dlearn_learner.flower`.
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

__all__ = ["Data", "serve", "serve_flower", "serve_module", "serve_torch"]

VERSION = 2
SOCKET = 3  # the file descriptor on which the program asks
HELLO, TRAIN, EVALUATE, GRADIENT, PLAN = 1, 2, 3, 4, 5
PLAN_KEYS = ("clients", "deadline", "enough", "minimum")
TIMES = 16  # an ability: training says how long it takes

Vector = Sequence[float]
Config = Dict[str, Any]
Train = Callable[[Vector, Config], Tuple[Vector, float, Dict[str, float]]]
Evaluate = Callable[[Vector, Config], Tuple[float, float, Dict[str, float]]]
Plan = Callable[[Dict[str, Any], Config], Dict[str, Any]]
Parts = List[Any]  # of an answer: objects of bytes, which are not joined as they may be large


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
            return numpy.frombuffer(part, dtype={"d": "<f8", "I": "<u4"}[kind]).copy()
        return array.array(kind, bytes(part))

    def text(self) -> str:
        size = self.number("Q")
        part, self.data = self.data[:size], self.data[size:]
        return bytes(part).decode("ascii")


def pack(kind: str, values: Iterable[float]) -> Parts:
    """An array after its length."""
    if numpy is not None and kind == "d":
        packed: Any = numpy.ascontiguousarray(values, dtype="<f8").ravel()
    else:
        packed = array.array(kind, values)
    data = [memoryview(packed).cast("B")] if len(packed) > 0 else []
    return [struct.pack("<Q", len(packed)), *data]


def pack_names(names: Sequence[str]) -> Parts:
    parts: Parts = [struct.pack("<I", len(names))]
    for name in names:
        parts += [struct.pack("<Q", len(name)), name.encode("ascii")]
    return parts


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

    def __init__(self, functions: Dict[int, Optional[Callable[..., Any]]], **says: Any) -> None:
        self.functions, self.says = functions, says
        self.config: Config = {}
        self.answers = {
            HELLO: self.answer_hello,
            TRAIN: self.answer_train,
            EVALUATE: self.answer_evaluate,
            GRADIENT: self.answer_gradient,
            PLAN: self.answer_plan,
        }

    def call(self, question: int, client: int, step: int, *arguments: Any) -> Any:
        function = self.functions[question]
        if function is None:
            raise RuntimeError("serve() was called without a function for this")
        seed_generators(self.config["seed"], self.config["run"], client, step)
        return function(*arguments)

    def choose(self, kind: str, values: Dict[str, float], what: str) -> List[float]:
        """The values of the names that were told."""
        names = self.says[kind]
        missing = [name for name in names if name not in values]
        if missing:
            raise ValueError(f"{what} must return {missing[0]}, got {list(values)}")
        return [values[name] for name in names]

    def answer_hello(self, body: Body) -> Parts:
        version = body.number("I")
        if version != VERSION:
            raise RuntimeError(f"dlearn has version {version} of the protocol, this is {VERSION}")
        clients, seed, run = body.number("I"), body.number("I"), body.number("Q")
        features, classes = body.number("I"), body.number("I")
        parts: List[Any] = [body.array("d") for _ in range(4)]
        if numpy is not None and features > 0:
            parts[0::2] = [part.reshape(-1, features) for part in parts[0::2]]
        data = Data(parts[0], parts[1], parts[2], parts[3], classes) if features > 0 else None
        self.config = {"clients": clients, "seed": seed, "run": run, "data": data}
        learns = self.functions[TRAIN] or self.functions[GRADIENT]
        if learns and data is None and self.says["samples"] is None:
            raise ValueError("serve(samples=...) must say how many samples each client has")
        model = self.call(HELLO, 0, 0, dict(self.config)) if self.functions[HELLO] else []
        samples = [] if self.says["samples"] is None else self.says["samples"]
        counts = [samples] * clients if isinstance(samples, int) else list(samples)
        abilities = sum(1 << (k - TRAIN) for k, f in self.functions.items() if k != HELLO and f)
        abilities += TIMES if self.says["timed"] else 0
        head = struct.pack("<IId", VERSION, abilities, self.says["flops"])
        names = [pack_names(self.says[kind]) for kind in ("figures", "metrics", "settings")]
        return [head, *pack("d", model), *pack("Q", counts), *sum(names, [])]

    def answer_train(self, body: Body) -> Parts:
        client, step = body.number("I"), body.number("I")
        samples, model = body.array("I"), body.array("d")
        settings = {body.text(): body.number("d") for _ in range(body.number("I"))}
        config = {**settings, **self.config, "client": client, "round": step, "samples": samples}
        result = self.call(TRAIN, client, step, model, config)
        model, count, figures = unpack(result, "train", "model", "samples", "figures")
        if self.says["timed"] and "seconds" not in figures:
            raise ValueError(f"train() must return the figure seconds, got {list(figures)}")
        values = [count, *self.choose("figures", figures, "train()")]
        seconds = figures["seconds"] if self.says["timed"] else 0
        return [*pack("d", model), *pack("d", values), struct.pack("<d", seconds)]

    def answer_evaluate(self, body: Body) -> Parts:
        config = {**self.config, "samples": body.array("I"), "weights": body.array("d")}
        result = self.call(EVALUATE, 0, 0, body.array("d"), config)
        loss, _, figures = unpack(result, "evaluate", "loss", "samples", "figures")
        metrics = self.choose("metrics", figures, "evaluate()")
        head = struct.pack("<dd", loss, figures.get("accuracy", float("nan")))
        return [head, *pack("d", metrics)]

    def answer_gradient(self, body: Body) -> Parts:
        config = {**self.config, "samples": body.array("I"), "weights": body.array("d")}
        config["clip"] = body.number("d")
        return pack("d", self.call(GRADIENT, 0, 0, body.array("d"), config))

    def answer_plan(self, body: Body) -> Parts:
        step, now = body.number("I"), body.number("d")
        clients = {}
        for _ in range(body.number("I")):
            client, suspected = body.number("I"), bool(body.number("I"))
            names = ("round", "seconds", "bytes", *self.says["figures"])
            values = {name: body.number("d") for name in names}
            known = {name: value for name, value in values.items() if value == value}
            clients[client] = {"suspected": suspected, **known}
        view = {"round": step, "time": now, "clients": clients}
        plan = self.call(PLAN, 0, step, view, dict(self.config))
        settings = self.choose("settings", plan, "plan()")
        unknown = set(plan).difference(PLAN_KEYS, self.says["settings"])
        if unknown:
            raise ValueError(
                f"plan() must return {', '.join(PLAN_KEYS)} and what serve(settings=[...]) names, "
                f"got {sorted(unknown)[0]}"
            )
        numbers = (plan.get("deadline", 0), plan.get("enough", 0), plan.get("minimum", 1))
        return [*pack("I", plan["clients"]), struct.pack("<dII", *numbers), *pack("d", settings)]

    def answer(self, question: int, body: Body) -> Parts:
        """The parts of an answer, its first byte included."""
        try:
            return [b"\0", *self.answers[question](body)]
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            sys.stderr.flush()
            text = f"{type(error).__name__}: {error}"
            return [b"\1", " ".join(text.split()).encode()]


def unpack(result: Any, function: str, *names: str) -> Any:
    """What a function of the user returns, the last of which is a dict."""
    if isinstance(result, tuple) and len(result) == len(names) and hasattr(result[-1], "get"):
        return result
    raise TypeError(f"{function}() must return ({', '.join(names)}) with a dict, got {result!r:.60}")


class Receiver:
    """Receives bytes into memory that is used again, as fresh memory takes time."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.memory = connection, bytearray(8)

    def receive(self, size: int) -> Optional[memoryview]:
        """Some bytes, until the next call; None at the end of the connection."""
        if len(self.memory) < size:
            self.memory = bytearray(size)
        data = left = memoryview(self.memory)[:size]
        while left:
            count = self.connection.recv_into(left)
            if count == 0:
                return None
            left = left[count:]
        return data


def serve(
    train: Optional[Train] = None,
    evaluate: Optional[Evaluate] = None,
    initial: Optional[Callable[[Config], Vector]] = None,
    gradient: Optional[Callable[[Vector, Config], Vector]] = None,
    plan: Optional[Plan] = None,
    samples: Union[None, int, Sequence[int]] = None,
    figures: Sequence[str] = (),
    metrics: Sequence[str] = (),
    settings: Sequence[str] = (),
    flops: float = 0,
    timed: bool = False,
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
            Learners need it.
        gradient: gives a gradient, ``gradient(model, config) -> gradient``, for algorithms that
            make their own steps, such as those of peers: the mean over ``config["samples"]``, by
            ``config["weights"]``.
        plan: plans a round, ``plan(view, config) -> plan``, of the option ``planner``. ``view`` is
            a dict with ``round``, ``time`` in simulated seconds, and ``clients``, by number:
            ``suspected`` (seems to have failed) and, once the client has answered, ``round`` and
            ``seconds`` of its last answer, ``bytes``, and the figures of its updates. The plan is a
            dict with ``clients``, the numbers of those that take part, and may have ``deadline``,
            seconds after which the round closes; ``enough``, the number of updates with which it
            closes; ``minimum``, the number without which there is no new model.
        samples: how many samples each client has, one number for all or one for each. Needed if
            the script has its own data.
        figures: names of the figures that ride with each update; of a planner, those that clients
            are to report.
        metrics: names of the figures of ``evaluate`` that are columns of the results.
        settings: names of further numbers of a plan, which travel with the model: attributes of
            the clients' rule, or entries of ``config`` in ``train``.
        flops: floating-point operations of the gradient of a sample, from which simulated
            computing times follow; 0: six for each parameter.
        timed: whether the figure ``seconds`` of ``train`` is the simulated time that it takes.
    """
    if initial is None and (train or gradient):
        raise TypeError("serve() needs the function initial")
    try:
        connection = socket.socket(fileno=SOCKET)
    except OSError:
        sys.exit('dlearn_learner: a program of dlearn starts this one: --learner="python3 FILE"')
    functions = {HELLO: initial, TRAIN: train, EVALUATE: evaluate, GRADIENT: gradient, PLAN: plan}
    learner = Learner(
        functions,
        samples=samples,
        figures=figures,
        metrics=metrics,
        settings=settings,
        flops=flops,
        timed=timed,
    )
    receiver = Receiver(connection)
    with connection:
        while True:
            head = receiver.receive(8)
            frame = receiver.receive(struct.unpack("<Q", head)[0]) if head else None
            if not frame:
                return
            parts = learner.answer(frame[0], Body(frame[1:]))
            connection.sendall(struct.pack("<Q", sum(len(part) for part in parts)))
            for part in parts:
                connection.sendall(part)


def serve_module(*args: Any, **kwargs: Any) -> None:
    """See `dlearn_learner.torch.serve_module`."""
    from . import torch  # pylint: disable=import-outside-toplevel

    torch.serve_module(*args, **kwargs)


def serve_torch(*args: Any, **kwargs: Any) -> None:
    """See `dlearn_learner.torch.serve_torch`."""
    from . import torch  # pylint: disable=import-outside-toplevel

    torch.serve_torch(*args, **kwargs)


def serve_flower(*args: Any, **kwargs: Any) -> None:
    """See `dlearn_learner.flower.serve_flower`."""
    from . import flower  # pylint: disable=import-outside-toplevel

    flower.serve_flower(*args, **kwargs)
