"""All weights of a model as one long vector, and back. An optimiser sees nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from engine.ops import Array
from engine.params import Params


def learned(params: Params) -> Iterator[tuple[str, Array]]:
    """Every weight that training changes with its trace key: E, then the others in the trace's order."""
    yield "embed.weight", params.E
    yield from params.named()


def to_vector(params: Params) -> Array:
    """All weights one after the other, in the order of `learned`."""
    return np.concatenate([array.ravel() for _, array in learned(params)])  # -> (number of weights,)


def from_vector(like: Params, vector: Array) -> Params:
    """The numbers of `vector` in the shapes of `like`; its memory is shared, not copied.

    Raises `ValueError` for a vector of another length.
    """
    names, arrays = zip(*learned(like), strict=True)
    ends = np.cumsum([array.size for array in arrays])
    if vector.shape != (ends[-1],):
        raise ValueError(f"this model has {ends[-1]} weights; a vector of shape {vector.shape} cannot hold them")
    return from_named(like, dict(zip(names, np.split(vector, ends[:-1]), strict=True)))


def from_named(like: Params, arrays: Mapping[str, Array]) -> Params:
    """Weights in the shapes of `like`, taken from `arrays` by trace key.

    Raises `KeyError` for a weight that is missing, `ValueError` for one with another number of numbers.
    """

    def shaped(key: str, old: Array) -> Array:
        return arrays[key].reshape(old.shape)

    def block(stem: str, old: Any) -> Any:
        return None if old is None else type(old)(*(shaped(f"{stem}.{n}", array) for n, array in vars(old).items()))

    def layer(stem: str, old: Any) -> Any:
        return type(old)(*(block(f"{stem}.{part.name}", getattr(old, part.name)) for part in fields(old)))

    return Params(
        shaped("embed.weight", like.E),
        tuple(layer(f"weights.encoder.{index}", old) for index, old in enumerate(like.encoder)),
        tuple(layer(f"weights.decoder.{index}", old) for index, old in enumerate(like.decoder)),
        shaped("weights.W_out", like.W_out),
    )
