# SPDX-License-Identifier: GPL-2.0-only
"""A module of PyTorch as a learner in the simulated networks of dlearn."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import torch

from . import Config, Vector, serve, unpack

Loader = Iterable[Tuple[torch.Tensor, torch.Tensor]]


def serve_module(
    model: torch.nn.Module,
    train: Callable[[torch.nn.Module, Config], Tuple[float, Dict[str, float]]],
    evaluate: Optional[Callable[[torch.nn.Module, Config], Tuple[float, Dict[str, float]]]] = None,
    buffers: bool = True,
    **options: Any,
) -> None:
    """Train a module by your own functions, until the program ends.

    The vector that travels has the parameters of the module, in the order of
    ``module.parameters()``, and behind them its buffers of real numbers, such as the means and
    variances of batch normalization, which the server then averages, too. With ``buffers=False``
    they do not travel: each client keeps its own, and models are evaluated with those that the
    module has at first. In the process numbers are those of the module, such as 32-bit floats.

    Args:
        model: of all clients; all of them begin with its parameters.
        train: trains the module in place, ``train(model, config) -> (samples, figures)``.
        evaluate: measures it, ``evaluate(model, config) -> (loss, figures)``.
        buffers: whether buffers travel.
        options: of `dlearn_learner.serve`, such as samples, figures and flops.
    """
    travelling: List[torch.Tensor] = list(model.parameters())
    if buffers:
        travelling += [buffer for buffer in model.buffers() if buffer.is_floating_point()]
    first = [buffer.clone() for buffer in model.buffers()]
    kept: Dict[int, List[torch.Tensor]] = {}

    def get_vector() -> Any:
        return torch.cat([part.detach().reshape(-1).double() for part in travelling]).numpy()

    def set_vector(vector: Vector, client: int) -> None:
        with torch.no_grad():
            for buffer, value in zip(model.buffers(), kept.get(client, first)):
                buffer.copy_(value)
            parts = torch.as_tensor(vector).split([part.numel() for part in travelling])
            for part, values in zip(travelling, parts):
                part.copy_(values.reshape(part.shape))

    def train_vector(vector: Vector, config: Config) -> Tuple[Vector, float, Dict[str, float]]:
        set_vector(vector, config["client"])
        model.train()
        samples, figures = unpack(train(model, config), "train", "samples", "figures")
        if not buffers:
            kept[config["client"]] = [buffer.clone() for buffer in model.buffers()]
        return get_vector(), samples, figures

    def evaluate_vector(vector: Vector, config: Config) -> Tuple[float, float, Dict[str, float]]:
        set_vector(vector, 0)
        model.eval()
        with torch.no_grad():
            result = evaluate(model, config)  # type: ignore[misc]
        loss, figures = unpack(result, "evaluate", "loss", "figures")
        return loss, 0, figures

    serve(
        train_vector,
        evaluate_vector if evaluate else None,
        lambda config: get_vector(),
        **options,
    )


def serve_torch(
    model: torch.nn.Module,
    optimizer: Callable[[Iterable[torch.nn.Parameter], Config], torch.optim.Optimizer],
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    loaders: Union[Sequence[Loader], Callable[[Config], Loader]],
    epochs: int = 1,
    **options: Any,
) -> None:
    """Train a module with an optimizer, in place of the clients, until the program ends.

    Args:
        model: of all clients; all of them begin with its parameters.
        optimizer: makes the optimizer of a round, ``optimizer(parameters, config)``; a rate that
            depends on the round is a function of ``config["round"]``.
        loss: mean loss of a batch, ``loss(outputs, targets)``.
        loaders: gives batches of inputs and targets, with their augmentation: ``loaders[k]`` those
            of client k, from 1, and ``loaders[0]`` those that models are measured on; or a function
            of ``config``, whose ``client`` is 0 for these.
        epochs: passes of a client over its samples in a round.
        options: of `serve_module` and `dlearn_learner.serve`: buffers, samples (by default those of
            the loaders), figures (``loss``, the mean loss in training) and flops.
    """

    def get_loader(config: Config) -> Loader:
        return loaders(config) if callable(loaders) else loaders[config["client"]]

    def train(module: torch.nn.Module, config: Config) -> Tuple[float, Dict[str, float]]:
        stepper = optimizer(module.parameters(), config)
        total, count = 0.0, 0
        for _ in range(epochs):
            for inputs, targets in get_loader(config):
                stepper.zero_grad()
                value = loss(module(inputs), targets)
                value.backward()
                stepper.step()
                total += value.item() * len(targets)
                count += len(targets)
        return count / epochs, {"loss": total / count}

    def evaluate(module: torch.nn.Module, config: Config) -> Tuple[float, Dict[str, float]]:
        total, right, count = 0.0, 0, 0
        for inputs, targets in get_loader({**config, "client": 0}):
            outputs = module(inputs)
            total += loss(outputs, targets).item() * len(targets)
            count += len(targets)
            if not targets.is_floating_point():
                right += int((outputs.argmax(1) == targets).sum())
        classes = not targets.is_floating_point()
        return total / count, {"accuracy": right / count} if classes else {}

    if not callable(loaders):
        counts = [len(loader.dataset) for loader in loaders[1:]]  # type: ignore[attr-defined]
        options.setdefault("samples", counts)
    serve_module(model, train, evaluate, **options)
