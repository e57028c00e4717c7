"""Waiting for something in a page whose policy allows no evaluated script, as Playwright's own waiting would need."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page


def until(page: Page | Frame, expression: str, argument: Any = None, *, seconds: float = 20.0) -> None:
    """Wait until the expression (or the function, called with `argument`) is true."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression, argument):
        assert time.monotonic() < deadline, f"not true within {seconds} seconds: {expression}"
        page.wait_for_timeout(40)


def ready(page: Page | Frame, video: str = "") -> None:
    """Wait until the video whose file's name holds `video` can be played."""
    until(page, "name => video.dataset.file?.includes(name) && !video.hasAttribute('aria-busy')", video)
