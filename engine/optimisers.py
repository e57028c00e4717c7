"""Two ways downhill: plain gradient descent, and Adam. Both see one vector of weights and its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from engine.ops import Array


class Optimiser(Protocol):
    """Something that knows where to go next."""

    def step(self, weights: Array, gradient: Array, rate: float) -> Array:
        """The weights after one step with the learning rate `rate`."""
        ...


class GradientDescent:
    """weights − rate · gradient: straight downhill, the steeper the further."""

    def step(self, weights: Array, gradient: Array, rate: float) -> Array:
        """The weights after one step with the learning rate `rate`."""
        return weights - rate * gradient


class Adam:
    """weights − rate · m / (√v + 1e-8): gradient descent in which every weight has a stride of its own.

    m and v are running means of the gradient and of its square. They begin at 0 and are divided by the share of it that
    has been replaced so far. A weight whose gradient keeps its sign moves by about `rate` a step, whatever the
    gradient's size; one whose gradient keeps changing sign hardly moves.
    Source: Kingma & Ba 2015, algorithm 1.
    """

    BETA_M, BETA_V, TINY = 0.9, 0.999, 1e-8

    def __init__(self) -> None:
        self._m: Array | float = 0.0
        self._v: Array | float = 0.0
        # What is left of the zeros in the beginning, multiplied up: a power's last bit depends on the machine.
        self._left_m = self._left_v = 1.0

    def step(self, weights: Array, gradient: Array, rate: float) -> Array:
        """The weights after one step with the learning rate `rate`."""
        self._m = self.BETA_M * self._m + (1.0 - self.BETA_M) * gradient
        self._v = self.BETA_V * self._v + (1.0 - self.BETA_V) * (gradient * gradient)
        self._left_m *= self.BETA_M
        self._left_v *= self.BETA_V
        m, v = self._m / (1.0 - self._left_m), self._v / (1.0 - self._left_v)
        return weights - rate * m / (np.sqrt(v) + self.TINY)


OPTIMISERS: Mapping[str, type[Adam] | type[GradientDescent]] = {"adam": Adam, "descent": GradientDescent}
