"""manim's own command line, with the limit on how long a scene may draw nothing.

`python -m pipeline.plain_preview SCENES FILE ARGUMENT…`: where the scenes lie, the scene's file, what manim is told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .jobs import SceneFaultError
from .scene_pool import scene_fault
from .stall import alive, finished, stall_limited


def main() -> int:
    """Run manim; it exits by itself. The exit status of a scene that was stopped."""
    folder, file, *arguments = sys.argv[1:]
    from manim.__main__ import main as manim  # noqa: PLC0415 (it takes a second)
    from manim.renderer.cairo_renderer import CairoRenderer  # noqa: PLC0415

    for name in ("play", "render"):
        _before(CairoRenderer, name, alive)
    # The film is written and opened then, and whoever watches it may take his time.
    _before(CairoRenderer, "scene_finished", finished)
    try:
        with stall_limited(Path(folder)):
            manim(args=arguments, prog_name="manim")
    except SceneFaultError as error:
        print(scene_fault(error, Path(file), Path(folder)), file=sys.stderr)
    return 1


def _before(cls: Any, name: str, first: Callable[[], None]) -> None:
    """Let `first` be called before each call of the method `name`."""
    method = getattr(cls, name)

    def called(*args: Any, **options: Any) -> Any:
        first()
        return method(*args, **options)

    setattr(cls, name, called)


if __name__ == "__main__":
    sys.exit(main())
