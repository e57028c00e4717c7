"""The command that renders one scene again, with the options that this run was given: to be copied and run as it is."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

# What `make render` passes on, by the option that it becomes.
_OF_MAKE = {
    "--scenes": "SCENES",
    "--language": "LANGUAGE",
    "--quality": "QUALITY",
    "--voice": "VOICE",
}
MAKE_VARIABLE = "MAKELEVEL"  # set by make in everything that it runs


def command(scene: str, language: str, quality: str, given: Sequence[str]) -> str:
    """`given`: options and their values, alternating, that must be the same again."""
    options = ["--scenes", scene, "--language", language, "--quality", quality, *given]
    pairs = list(zip(options[::2], options[1::2], strict=True))
    if os.environ.get(MAKE_VARIABLE) and all(name in _OF_MAKE for name, _ in pairs):
        return shlex.join(["make", "render", *(f"{_OF_MAKE[name]}={value}" for name, value in pairs)])
    return shlex.join(["explain", "render", *options])
