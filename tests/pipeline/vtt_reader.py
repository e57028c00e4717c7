"""A reader of WebVTT that knows nothing of how the files were written."""

from __future__ import annotations

import re


def parse_vtt(text: str) -> list[tuple[str, float, float, list[str]]]:
    """A reader of its own for WebVTT: identifiers, times in seconds, payload lines. Raises AssertionError."""
    head, *blocks = text.rstrip("\n").split("\n\n")
    assert head == "WEBVTT"
    cues = []
    for block in blocks:
        name, times, *payload = block.split("\n")
        assert "-->" not in name
        match = re.fullmatch(r"(\d\d+):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d\d+):([0-5]\d):([0-5]\d)\.(\d{3})", times)
        assert match is not None, times
        h, m, s, ms, h2, m2, s2, ms2 = map(int, match.groups())
        assert payload
        for line in payload:
            assert line.strip()
            assert "-->" not in line
            assert "<" not in line
            assert re.search(r"&(?!amp;|lt;|gt;)", line) is None
        cues.append((name, h * 3600 + m * 60 + s + ms / 1000, h2 * 3600 + m2 * 60 + s2 + ms2 / 1000, payload))
    return cues
