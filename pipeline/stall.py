"""How long a scene may draw nothing, and the clock that ends one that does so in the process that runs it.

Workers of a render are watched from outside (workers.py). What runs a scene in its own process (stills, contact sheets,
posters, previews) has the clock here: a timer of the system interrupts the scene wherever it is.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from .jobs import SceneFaultError
from .problems import UserError, shown_path

# A scene that draws nothing for so long is thought to hang.
STALL_SECONDS = 300.0
STALL_VARIABLE = "EXPLAINER_STALL_SECONDS"
# After so long a silence it is said what is being waited for.
SECONDS_OF_SILENCE = 20.0
# A scene that swallows even the interruption is interrupted so often, then its process ends.
INTERRUPTIONS, SECONDS_BETWEEN = 3, 2.0


class StalledError(BaseException):
    """Raised inside a scene that hangs. Not an Exception: the scene's own handlers are to let it pass."""


def stall_limit() -> float:
    """The seconds that a scene may draw nothing. Raises UserError where the environment names no such number."""
    text = os.environ.get(STALL_VARIABLE) or str(STALL_SECONDS)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise UserError(
            f'{STALL_VARIABLE} is "{text}"; allowed: a number of seconds above 0\n    next: correct it or unset it'
        )
    return seconds


def stalled(limit: float) -> str:
    """What is said of a scene that drew nothing for `limit` seconds."""
    return f"it drew nothing for {limit:g} seconds and was stopped; does it loop? ({STALL_VARIABLE} sets the limit)"


class _Clock:
    """Rings when the scene whose file lies in `folder` has been silent for the limit."""

    def __init__(self, folder: Path) -> None:
        self.limit = stall_limit()
        self._folder = folder
        self._last = 0.0
        self._rung = 0

    def restart(self) -> None:
        self._last, self._rung = time.monotonic(), 0
        signal.setitimer(signal.ITIMER_REAL, min(self.limit, SECONDS_OF_SILENCE))

    def ring(self, _signal: int, frame: FrameType | None) -> None:
        left = self._last + self.limit - time.monotonic()
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, left)
            so_far = f"nothing drawn for {SECONDS_OF_SILENCE:g} seconds"
            _say(f"{self._place(frame)}: {so_far}; it is stopped after {self.limit:g}, by Ctrl-C at once")
            return
        self._rung += 1
        if self._rung > INTERRUPTIONS:
            _say(f"{self._place(frame)}: {stalled(self.limit)}\n    next: correct the scene, then try again")
            os._exit(1)
        signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN)
        raise StalledError(stalled(self.limit))

    def _place(self, frame: FrameType | None) -> str:
        """File and line where the scene is, the innermost below the folder."""
        places = [] if frame is None else [(at.filename, at.lineno) for at in traceback.extract_stack(frame)]
        own = [f"{shown_path(file)}:{line}" for file, line in places if Path(file).is_relative_to(self._folder)]
        return own[-1] if own else shown_path(self._folder)


_clock: _Clock | None = None


@contextmanager
def stall_limited(folder: Path) -> Iterator[None]:
    """Limit how long the block may run without a call of `alive`. `folder`: where the scenes lie.

    Raises SceneFaultError, with the traceback of the place where the block was, when it takes longer. Outside the main
    thread, to which alone the system's timer speaks, there is no limit.
    """
    global _clock  # noqa: PLW0603 (a process has one such timer)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGALRM)
    _clock = _Clock(folder)
    signal.signal(signal.SIGALRM, _clock.ring)
    _clock.restart()
    try:
        yield
    except StalledError as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise SceneFaultError(str(error)).with_traceback(error.__traceback__) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        _clock = None


def alive() -> None:
    """The scene has got on: its silence begins anew. In a forked process this starts the limit, which forks lose."""
    if _clock is not None:
        _clock.restart()


def finished() -> None:
    """The scene is over: what comes after it may take as long as it likes."""
    if _clock is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _say(text: str) -> None:
    """Write to stderr from within a signal's handler: whoever was interrupted may be writing, too."""
    os.write(2, f"{text}\n".encode())
