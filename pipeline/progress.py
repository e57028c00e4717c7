"""One progress display for the whole film: clips done, frames, time left."""

from __future__ import annotations

import time
from threading import Lock
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

# Without a terminal a line now and then says that work goes on.
SECONDS_BETWEEN_LINES = 15.0


def say(console: Console, text: str) -> None:
    """`text` as it is: no colours guessed, no line cut."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


class FilmProgress:
    """Counts frames of all clips together. The total is a guess until a clip is done, then its true length counts."""

    def __init__(self, console: Console, estimates: dict[str, int]) -> None:
        self._console = console
        self._estimates = dict(estimates)
        self._frames = dict.fromkeys(estimates, 0)
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._began = time.monotonic()
        self._last_line = self._began
        self._guard = Lock()
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("Rendering"),
                BarColumn(),
                TextColumn("{task.description}"),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(self.status(), total=max(1, sum(estimates.values())))

    def __enter__(self) -> FilmProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def frames(self, clip: str, count: int) -> None:
        """`clip` has `count` frames by now. May be called from any thread."""
        with self._guard:
            self._frames[clip] = count
            self._estimates[clip] = max(self._estimates[clip], count)
        self._show()

    def finished(self, clip: str, frames: int | None, seconds: float = 0.0) -> None:
        """`clip` is done with so many frames, or failed (None)."""
        with self._guard:
            self._frames[clip] = self._estimates[clip] = frames or 0
            (self._failed if frames is None else self._done).add(clip)
            text = f"{clip}: failed" if frames is None else f"{clip}: {frames} frames in {duration(seconds)}"
        self._show(line=f"{text} ({self.status()})" if self._bar is None else None)

    def status(self) -> str:
        """Clips done, frames, time left, in one line."""
        done, total = sum(self._frames.values()), sum(self._estimates.values())
        parts = [f"{len(self._done)}/{len(self._estimates)} clips", f"{done:,}/{total:,} frames"]
        if self._failed:
            parts.insert(1, f"{len(self._failed)} failed")
        elapsed = time.monotonic() - self._began
        if 0 < done < total and elapsed > 1:
            parts.append(f"about {duration(elapsed / done * (total - done))} left")
        return " · ".join(parts)

    def _show(self, line: str | None = None) -> None:
        now = time.monotonic()
        with self._guard:
            status = self.status()
            done, total = sum(self._frames.values()), sum(self._estimates.values())
            due = line is not None or now - self._last_line >= SECONDS_BETWEEN_LINES
            if due:
                self._last_line = now
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=max(1, total), description=status)
        elif due:
            self._console.print(line or status, highlight=False, markup=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """`seconds` as a person writes it: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def size(count: int) -> str:
    """`count` bytes in kB or MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
