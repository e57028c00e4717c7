"""The trace: every value of one run under its key, in the registry's order, and nothing that can be changed."""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike

from engine.config import ModelConfig
from engine.keys import KeySpec, key_specs
from engine.ops import Array


class TraceKeyError(KeyError):
    """A key, or a pattern, that a trace of this model does not have."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return self.message  # KeyError would show it in quotes


class TraceError(ValueError):
    """A value that a trace cannot take: recorded twice, misshapen, not finite, or missing at the end."""


class Recorder:
    """Takes the values of one run as they are computed and refuses what the registry does not foresee.

    `specs` are the keys to be recorded; without them, those of a run of `config`.
    """

    def __init__(self, config: ModelConfig, specs: Iterable[KeySpec] | None = None) -> None:
        self.config = config
        self.specs: Mapping[str, KeySpec] = {spec.key: spec for spec in specs or key_specs(config)}
        self._arrays: dict[str, Array] = {}

    def put(self, key: str, value: ArrayLike) -> Array:
        """Record `value` under `key` and hand it back, read-only.

        Raises `TraceKeyError` for an unknown key, `TraceError` for one recorded before and for a value that has
        another shape than the registry says or a number that is not finite.
        """
        spec = self.specs.get(key)
        if spec is None:
            raise _unknown(key, self.specs)
        if key in self._arrays:
            raise TraceError(f"{key}: recorded twice")
        array = np.asarray(value, dtype=np.float64)
        if array.shape != spec.shape:
            axes = ", ".join(spec.axes)
            raise TraceError(f"{key}: shape {array.shape}, but axes ({axes}) of this model have shape {spec.shape}")
        if not np.isfinite(array).all():
            raise TraceError(f"{key}: holds a number that is not finite")
        self._arrays[key] = frozen = _frozen(array)
        return frozen

    def whole(self) -> dict[str, Array]:
        """Everything recorded, in the registry's order. Raises `TraceError` while a key of the registry is missing."""
        missing = [key for key in self.specs if key not in self._arrays]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise TraceError(f"not recorded: {', '.join(missing[:5])}{more}")
        return {key: self._arrays[key] for key in self.specs}


def _frozen(array: Array) -> Array:
    """A copy that cannot be made writable again, because its memory is an immutable `bytes`."""
    if array.size == 0:
        empty = np.empty(array.shape)
        empty.setflags(write=False)
        return empty
    return np.frombuffer(array.tobytes(), dtype=np.float64).reshape(array.shape)


def _unknown(key: str, known: Mapping[str, KeySpec]) -> TraceKeyError:
    near = difflib.get_close_matches(str(key), list(known), n=3, cutoff=0.5)
    return TraceKeyError(f"no key {key!r} in the trace" + (f"; did you mean {', '.join(near)}?" if near else ""))


class Trace(Mapping[str, Array]):
    """Every value of one run: read-only float64 arrays by key, in the registry's order.

    Made of a `Recorder` that has everything; raises `TraceError` for one that has not. Ids are float64 too; `ids` and
    `words` turn them back.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, recorder: Recorder) -> None:
        self._config = recorder.config
        self._specs = recorder.specs
        self._arrays: Mapping[str, Array] = recorder.whole()

    @property
    def config(self) -> ModelConfig:
        """What was run."""
        return self._config

    def __getitem__(self, key: str) -> Array:
        """The array of `key`. Raises `TraceKeyError`, with near misses, if there is none."""
        try:
            return self._arrays[key]
        except KeyError:
            raise _unknown(key, self._specs) from None

    def __contains__(self, key: object) -> bool:
        return key in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __copy__(self) -> Trace:
        return self

    def __deepcopy__(self, _memo: object) -> Trace:
        """Nothing in a trace can change, so whoever copies a picture that holds one goes on with the same trace."""
        return self

    def __repr__(self) -> str:
        sentences = f"{' '.join(self._config.source)!r} -> {' '.join(self._config.target)!r}"
        return f"<Trace of {sentences}, {len(self)} keys>"

    def spec(self, key: str) -> KeySpec:
        """Axes, shape, step, formula and meaning of `key`. Raises `TraceKeyError` if there is none."""
        try:
            return self._specs[key]
        except KeyError:
            raise _unknown(key, self._specs) from None

    def ids(self, key: str) -> tuple[int, ...]:
        """The ids under `key` as integers; of `….next` the one id."""
        return tuple(int(number) for number in self[key].reshape(-1))

    def words(self, key: str) -> tuple[str, ...]:
        """The words whose ids stand under `key`."""
        return tuple(self._config.vocabulary[index] for index in self.ids(key))

    def select(self, pattern: str = "*") -> tuple[str, ...]:
        """Keys that match `pattern` (`*`, `?` and `[…]` as in file names), in order.

        Raises `TraceKeyError` if there is none.
        """
        keys = tuple(key for key in self if fnmatchcase(key, pattern))
        if not keys:
            raise TraceKeyError(f"no key of the trace matches {pattern!r}")
        return keys

    def digest(self) -> str:
        """SHA-256 over keys, shapes and the values' bytes, in hexadecimal."""
        digest = hashlib.sha256()
        for key, array in self.items():
            digest.update(f"{key} {array.shape}\n".encode())
            digest.update(array.astype("<f8").tobytes())
        return digest.hexdigest()

    def value_digest(self, key: str) -> str:
        """16 hexadecimal digits that stand for shape and values of `key`. Raises `TraceKeyError` if there is none."""
        array = self[key]
        return hashlib.sha256(f"{array.shape}\n".encode() + array.astype("<f8").tobytes()).hexdigest()[:16]

    def watched(self) -> WatchedTrace:
        """The same values in a trace that remembers which keys are looked up from now on."""
        return WatchedTrace(self)

    def to_json(self, pattern: str = "*") -> str:
        """key → {axes, shape, step, values} of the keys that match, one key a line, each number to its last bit."""
        lines = []
        for key in self.select(pattern):
            spec, array = self._specs[key], self[key]
            entry = {"axes": spec.axes, "shape": array.shape, "step": spec.step, "values": array.tolist()}
            lines.append(f"{json.dumps(key)}: {json.dumps(entry, allow_nan=False)}")
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def to_csv(self, pattern: str = "*") -> str:
        """One line per number: key, step, axes, index (as long as the axes, from 0), value to its last bit.

        An array without numbers, such as the following words of a one-word target, has no line.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["key", "step", "axes", "index", "value"])
        for key in self.select(pattern):
            spec, array = self._specs[key], self[key]
            axes = " ".join(spec.axes)
            for index in np.ndindex(array.shape):
                writer.writerow([key, spec.step, axes, " ".join(map(str, index)), repr(float(array[index]))])
        return out.getvalue()


class WatchedTrace(Trace):
    """A trace that remembers which keys were looked up, so that a picture can say what it depends on.

    Which keys there are follows from the model's sizes: to ask for that (`in`, iteration, `select`) is no look-up.
    """

    def __init__(self, trace: Trace) -> None:
        self._config = trace._config
        self._specs = trace._specs
        self._arrays = trace._arrays
        self._read: set[str] = set()

    def __getitem__(self, key: str) -> Array:
        array = super().__getitem__(key)
        self._read.add(key)
        return array

    def spec(self, key: str) -> KeySpec:
        """As `Trace.spec`. It counts as a look-up: the lengths of a trained model's axes depend on its training."""
        spec = super().spec(key)
        self._read.add(key)
        return spec

    def reads(self) -> dict[str, str]:
        """`value_digest` of every key looked up so far, in the order of the keys' names."""
        return {key: self.value_digest(key) for key in sorted(self._read)}
